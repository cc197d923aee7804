package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A lengthLaw is a line through what a record takes against its length, both as logarithms, by the maps of a job: what
// a record takes is in proportion to a power of its length. A map's own records are taken for equal.
type lengthLaw struct{ n, x, y, xx, xy, yy float64 }

func (l *lengthLaw) add(length, took float64) {
	x, y := math.Log(length), math.Log(took)
	l.n, l.x, l.y = l.n+1, l.x+x, l.y+y
	l.xx, l.xy, l.yy = l.xx+x*x, l.xy+x*y, l.yy+y*y
}

const (
	leastMaps   = 5   // that show how long a record takes
	leastSpread = 0.1 // standard deviation of the logarithms of lengths
	surely      = 3   // standard errors that the power must lie above 0
	leastBytes  = 1 << 20
	leastPower  = 0.5
	mostPower   = 3
)

// power is what the law says, 0 where lengths hardly differ or do not explain what records take.
func (l *lengthLaw) power() float64 {
	if l.n < leastMaps {
		return 0
	}
	xx, xy, yy := l.xx-l.x*l.x/l.n, l.xy-l.x*l.y/l.n, l.yy-l.y*l.y/l.n
	if !(xx >= square(leastSpread)*l.n) {
		return 0
	}
	power := xy / xx
	miss := max(0, yy-power*xy) / (l.n - 2)
	if !(power >= leastPower && square(power) >= square(surely)*miss/xx) {
		return 0
	}
	return min(power, mostPower)
}

// learnLengths finds, for each job that no profile tells of, how much a record of a map counts. Where records of some
// maps are longer, and a record takes the longer for it, records are not alike, and neither is a map's rate another's.
func (m *Model) learnLengths(s *dag.Snapshot, profile *profiles.Match) {
	if m.fifo || m.learning {
		return
	}
	m.weights = map[*dag.Attempt]float64{}
	for j := range s.Jobs {
		if profile.Job(j) == nil {
			m.learnLength(s.Jobs[j].Stages[dag.Map].Attempts)
		}
	}
}

func (m *Model) learnLength(attempts []dag.Attempt) {
	var law lengthLaw
	for i := range attempts {
		a := &attempts[i]
		if length, took := recordBytes(a), recordMillis(a); length > 0 && took > 0 {
			law.add(length, took)
		}
	}
	power := law.power()
	if power == 0 {
		return
	}
	middle := math.Exp(law.x / law.n)
	for i := range attempts {
		if length := recordBytes(&attempts[i]); length > 0 {
			m.weights[&attempts[i]] = math.Pow(length/middle, power)
		}
	}
}

// recordBytes is the mean length of the records that a map has read; NaN unknown. Readers are some buffers ahead of the
// records, so that few bytes tell nothing.
func recordBytes(a *dag.Attempt) float64 {
	if !(a.Bytes >= leastBytes) {
		return math.NaN()
	}
	return positive(a.Bytes / a.Done[0])
}

// recordMillis is what a record of a map takes; NaN where it was not watched for long enough.
func recordMillis(a *dag.Attempt) float64 {
	if !a.First.At.Known() {
		return math.NaN()
	}
	done, at := a.Last.Done, a.Last.At
	if a.State == dag.AttemptSucceeded && a.End.Known() {
		done, at = a.Done[0], a.End
	}
	if took := float64(at - a.First.At); took >= minSampleMS {
		return positive(took / (done - a.First.Done))
	}
	return math.NaN()
}

// counts is how many records of the mean length one of an attempt counts for.
func (m *Model) counts(a *dag.Attempt) float64 {
	if w, ok := m.weights[a]; ok {
		return w
	}
	return 1
}

// byLength says whether records of a job's maps count by their length.
func (m *Model) byLength(j int) bool {
	attempts := m.Snapshot.Jobs[j].Stages[dag.Map].Attempts
	for i := range attempts {
		if _, ok := m.weights[&attempts[i]]; ok {
			return true
		}
	}
	return false
}

// unordered are the sizes of tasks of which nothing tells those that are to come: the mean.
func unordered(n int, seen []known) ([]float64, float64) {
	sizes, mean := make([]float64, n), 0.0
	for _, s := range seen {
		mean += s.units / float64(len(seen))
	}
	for i := range sizes {
		sizes[i] = mean
	}
	for _, s := range seen {
		if s.task < n {
			sizes[s.task] = s.units
		}
	}
	return sizes, mean
}
