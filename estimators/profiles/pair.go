package profiles

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"

	"github.com/paratimer/paratimer/dag"
)

// A Trait describes a stage of a job and its work, to recognize it in another run of the program. NaN is unknown.
type Trait struct {
	Name    string
	Tasks   float64
	Records float64 // total records that its tasks read
	Length  float64 // of its median task, in milliseconds
	Reads   bool    // it reads other stages
	After   string  // its input stages: stages with the same text may start in either order
}

// A Pairing maps the stages of one run to those of another.
type Pairing struct {
	Of []int // by stage of the first: the second's, -1 for none
	// Doubtful contains, by stage of the first, the other stages of the second that may be the same.
	Doubtful [][]int
}

const (
	// clearly is the least gain for which two stages exchange their partners without a doubt, as the logarithm of a
	// ratio: half as long again.
	clearly = 0.405
	// sizeWeight is the weight of a stage's size relative to the length of its tasks, which depends on machines.
	sizeWeight = 2
	// band is the greatest difference of the numbers of stages in both runs up to a point.
	band = 256
	// together is the greatest distance of stages that are submitted at once, in either order.
	together = 4
)

// Pair recognizes the stages of a job in another run of it. Both are in order of submission; run may be only the
// beginning. Pair computes a global alignment of two sequences (Needleman and Wunsch 1970), which may pair stages
// at the same place in the program. Jobs that start at once swap their stages between runs, so neighbors of one
// place exchange partners if they clearly fit better the other way round.
func Pair(run, known []Trait) Pairing {
	p := Pairing{Of: alignSorted(run, known), Doubtful: make([][]int, len(run))}
	p.exchange(run, known)
	p.replace(run, known)
	return p
}

// exchange swaps the partners of neighbors that may start at once if that fits clearly better.
func (p *Pairing) exchange(run, known []Trait) {
	for k := range run {
		for other := k + 1; other < min(len(run), k+together); other++ {
			i, o := p.Of[k], p.Of[other]
			if i < 0 || o < 0 || !run[k].besides(&run[other]) || !known[i].besides(&known[o]) {
				continue
			}
			gain := exchanged(&run[k], &run[other], &known[i], &known[o])
			if gain > clearly {
				p.Of[k], p.Of[other] = o, i
			}
			if math.Abs(gain) <= clearly {
				p.Doubtful[k] = append(p.Doubtful[k], p.Of[other])
				p.Doubtful[other] = append(p.Doubtful[other], p.Of[k])
			}
		}
	}
}

// replace gives a stage another partner if that fits clearly better. The new partner must be free, and may start at
// once with the old one.
func (p *Pairing) replace(run, known []Trait) {
	taken := make([]bool, len(known))
	for _, i := range p.Of {
		if i >= 0 {
			taken[i] = true
		}
	}
	for k, i := range p.Of {
		if i < 0 {
			continue
		}
		for o := max(0, i-together+1); o < min(len(known), i+together); o++ {
			now := p.Of[k]
			if taken[o] || !known[now].besides(&known[o]) || run[k].Reads != known[o].Reads {
				continue
			}
			gain := run[k].far(&known[now]) - run[k].far(&known[o])
			if gain > clearly {
				taken[now], taken[o], p.Of[k] = false, true, o
			}
			if math.Abs(gain) <= clearly {
				p.Doubtful[k] = append(p.Doubtful[k], o)
			}
		}
	}
}

// besides reports whether two stages of a run have one place in the program and may start in either order.
func (t *Trait) besides(other *Trait) bool {
	return t.After == other.After && t.Reads == other.Reads && placeOf(t.Name) == placeOf(other.Name)
}

// exchanged returns how much better two stages of a run fit two known ones the other way round, as a sum of
// logarithms of ratios. All sizes may have grown alike, so only the ratio between the two stages counts.
func exchanged(a, b, knownA, knownB *Trait) float64 {
	is := ratio(a.Tasks, b.Tasks) + ratio(a.Records, b.Records)
	was := ratio(knownA.Tasks, knownB.Tasks) + ratio(knownA.Records, knownB.Records)
	return sizeWeight*(math.Abs(is-was)-math.Abs(is+was)) +
		a.longer(knownA) + b.longer(knownB) - a.longer(knownB) - b.longer(knownA)
}

// far returns the difference between two stages, as a sum of logarithms of ratios.
func (t *Trait) far(other *Trait) float64 {
	size := math.Abs(ratio(t.Tasks, other.Tasks)) + math.Abs(ratio(t.Records, other.Records))
	return sizeWeight*size + t.longer(other)
}

// longer returns the part of the difference that comes from the lengths of tasks.
func (t *Trait) longer(other *Trait) float64 {
	return math.Abs(ratio(max(t.Length, taskcost.ShortMS), max(other.Length, taskcost.ShortMS)))
}

// ratio returns the logarithm of a ratio, 0 if one of the two is not known.
func ratio(a, b float64) float64 {
	if !(a > 0 && b > 0) {
		return 0
	}
	return math.Log(a / b)
}

// Costs of an alignment: of a stage that the other run does not have, of a pair with names that differ only in a
// number, that only in one run reads other stages, or with numbers of tasks that differ by a factor of e or more.
const (
	gapCost  = 1.0 // the known run does not have the stage
	skipCost = 0.7 // this run leaves the stage out
	nameCost = 0.2
)

// alignSorted aligns stages after sorting those that may start at once by their numbers of tasks, as the largest
// scan stays the largest.
func alignSorted(run, known []Trait) []int {
	a, b := bySize(run), bySize(known)
	sortedRun, sortedKnown := make([]Trait, len(run)), make([]Trait, len(known))
	for at, k := range a {
		sortedRun[at] = run[k]
	}
	for at, i := range b {
		sortedKnown[at] = known[i]
	}
	of := make([]int, len(run))
	for at, to := range align(sortedRun, sortedKnown) {
		if of[a[at]] = -1; to >= 0 {
			of[a[at]] = b[to]
		}
	}
	return of
}

// bySize returns the order of stages in which neighbors that may start at once are sorted by size, clearly larger
// ones first.
func bySize(all []Trait) []int {
	order := make([]int, len(all))
	for k := range all {
		at := k
		for ; at > 0; at-- {
			x, y := &all[order[at-1]], &all[k]
			if x.After != y.After || placeOf(x.Name) != placeOf(y.Name) || ratio(y.Tasks, x.Tasks) <= clearly {
				break
			}
			order[at] = order[at-1]
		}
		order[at] = k
	}
	return order
}

// align returns the pairs of the cheapest alignment: by stage of the run the known stage, -1 for none. Known stages
// after the last one of the run cost nothing.
func align(run, known []Trait) []int {
	n, m := len(run), len(known)
	of := slices.Repeat([]int{-1}, n)
	places := make([]string, m)
	for i := range known {
		places[i] = placeOf(known[i].Name)
	}
	const width = band + 1 + band // of a row: known stages i with |i-k| <= band
	best := make([]float64, (n+1)*width)
	from := make([]byte, (n+1)*width)
	at := func(k, i int) int { return k*width + i - k + band }
	inside := func(k, i int) bool { return k >= 0 && i >= 0 && i <= m && i-k >= -band && i-k <= band }
	for k := 0; k <= n; k++ {
		place := ""
		if k > 0 {
			place = placeOf(run[k-1].Name)
		}
		for i := max(0, k-band); i <= min(m, k+band); i++ {
			cost, step := math.Inf(1), byte(0)
			if k == 0 && i == 0 {
				cost = 0
			}
			if k > 0 && i > 0 && place == places[i-1] {
				cost, step = best[at(k-1, i-1)]+run[k-1].unlike(&known[i-1]), 'p'
			}
			if inside(k-1, i) && k > 0 && best[at(k-1, i)]+gapCost < cost {
				cost, step = best[at(k-1, i)]+gapCost, 'r'
			}
			if inside(k, i-1) && best[at(k, i-1)]+skipCost < cost {
				cost, step = best[at(k, i-1)]+skipCost, 'k'
			}
			best[at(k, i)], from[at(k, i)] = cost, step
		}
	}
	end := -1
	for i := 0; i <= m; i++ {
		if inside(n, i) && (end < 0 || best[at(n, i)] < best[at(n, end)]) {
			end = i
		}
	}
	for k, i := n, end; k > 0 && i >= 0; {
		switch from[at(k, i)] {
		case 'p':
			k, i = k-1, i-1
			of[k] = i
		case 'r':
			k--
		default:
			i--
		}
	}
	return of
}

// unlike returns the cost of a pair of stages at the same place of the program.
func (t *Trait) unlike(other *Trait) float64 {
	d := 0.0
	if t.Name != other.Name {
		d += nameCost
	}
	if t.Tasks > 0 && other.Tasks > 0 {
		d += min(math.Abs(math.Log(t.Tasks/other.Tasks)), 1) * nameCost
	}
	if t.Reads != other.Reads {
		d += nameCost
	}
	return d
}

// traitsOf returns the traits of a profile's job.
func traitsOf(job *dag.Job) []Trait {
	all := make([]Trait, len(job.Stages))
	for k := range all {
		s := &job.Stages[k]
		all[k] = Trait{
			Name: s.Name, Tasks: float64(s.Count()), Reads: len(s.After) > 0, After: fmt.Sprint(s.After),
			Records: math.NaN(),
			Length:  medianOf(&s.Extent, s.Count()),
		}
		if records := recordsOf(s); records > 0 {
			all[k].Records = records
		}
	}
	return all
}

// seenOf returns the traits of a running job. Records and lengths of a stage count once half of its tasks are done:
// the first tasks to end are often the short ones.
func seenOf(job *dag.Job, state *dag.JobState) []Trait {
	all := traitsOf(job)
	for k := range min(len(all), len(state.Stages)) {
		records, lengths := 0.0, []float64(nil)
		attempts := state.Stages[k].Attempts
		for i := range attempts {
			if a := &attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() && a.Start.Known() {
				lengths = append(lengths, float64(a.End-a.Start))
				if job.Stages[k].Copies() {
					records += max(a.Done[dag.Work], 0)
				} else {
					records += max(a.Done[0], 0)
				}
			}
		}
		if n := float64(len(lengths)); n > 0 && 2*n >= all[k].Tasks {
			slices.Sort(lengths)
			all[k].Length, all[k].Records = lengths[len(lengths)/2], records/n*all[k].Tasks
		}
	}
	return all
}

func medianOf(s *dag.Series, n int) float64 {
	var all []float64
	for i := range n {
		if v := s.At(i); v >= 0 {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}
