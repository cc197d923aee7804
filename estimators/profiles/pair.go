package profiles

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A Trait is what a stage of a job is and did, by which it is recognized in another run of the program. NaN is unknown.
type Trait struct {
	Name    string
	Tasks   float64
	Records float64 // that its tasks read, all together
	Length  float64 // of its median task, in milliseconds
	Reads   bool    // it reads other stages
}

// A Pairing says which stage of one run is which stage of another one.
type Pairing struct {
	Of []int // by stage of the first: the second's, -1 for none
	// Doubtful has, by stage of the first, the other stages of the second that it could as well be.
	Doubtful [][]int
}

const (
	// clearly is by how much a pairing must fit better than another one to be preferred without a doubt, as the
	// logarithm of a ratio: half as long again.
	clearly = 0.405
	// shortTask is the length in milliseconds below which tasks are alike: the rest is start-up and chance.
	shortTask = 1000
	// sizeWeight is how much more the size of a stage counts than the length of its tasks, which machines change.
	sizeWeight = 2
	// mostPaired is the number of stages of one place in the program up to which they are compared with each other.
	// Stages of more are recognized by name and order.
	mostPaired = 256
)

// Pair recognizes the stages of a job in another run of it. Names have the place in the program and a number of what is
// made there. Numbers differ between runs in which jobs start at once, so that stages of one place that fit clearly
// better by their tasks, records and lengths are exchanged.
func Pair(run, known []Trait) Pairing {
	p := Pairing{Of: slices.Repeat([]int{-1}, len(run)), Doubtful: make([][]int, len(run))}
	taken := make([]bool, len(known))
	byName := make(map[string]int, len(known))
	for i := range known {
		byName[known[i].Name] = i
	}
	places := map[string]*[2][]int{} // the stages of both
	group := func(name string) *[2][]int {
		place := placeOf(name)
		if places[place] == nil {
			places[place] = new([2][]int)
		}
		return places[place]
	}
	for k := range run {
		if i, ok := byName[run[k].Name]; ok && !taken[i] {
			p.Of[k], taken[i] = i, true
		}
		g := group(run[k].Name)
		g[0] = append(g[0], k)
	}
	for i := range known {
		g := group(known[i].Name)
		g[1] = append(g[1], i)
	}
	for k := range run { // in order, so that the same input has the same pairing
		if g := group(run[k].Name); g[0][0] == k && len(g[1]) > 0 {
			p.byPlace(run, known, g[0], g[1], taken)
		}
	}
	return p
}

// byPlace pairs the stages of one place.
func (p *Pairing) byPlace(run, known []Trait, of, to []int, taken []bool) {
	p.inOrder(run, known, of, to, taken)
	if len(of) > mostPaired || len(to) > mostPaired || len(to) < 2 && len(of) < 2 {
		return
	}
	gain, taker := p.gains(run, known, of, to)
	p.exchange(of, to, taker, gain)
	for _, k := range of {
		for _, i := range to {
			if p.Of[k] >= 0 && p.Of[k] != i && gain(k, i) > -clearly {
				p.Doubtful[k] = append(p.Doubtful[k], i)
			}
		}
	}
}

// inOrder pairs the stages that their names have not paired, in order: first those of as many tasks.
func (p *Pairing) inOrder(run, known []Trait, of, to []int, taken []bool) {
	for _, same := range []bool{true, false} {
		for _, k := range of {
			if p.Of[k] >= 0 {
				continue
			}
			at := slices.IndexFunc(to, func(i int) bool {
				return !taken[i] && (!same || known[i].Tasks == run[k].Tasks)
			})
			if at >= 0 {
				p.Of[k], taken[to[at]] = to[at], true
			}
		}
	}
}

// gains returns how much better the pairing fits if stage k is i, and the one that was i is what k was, and the inverse
// of Of.
func (p *Pairing) gains(run, known []Trait, of, to []int) (gain func(k, i int) float64, taker map[int]int) {
	far := func(k, i int) float64 {
		if k < 0 || i < 0 {
			return 0
		}
		return run[k].far(&known[i])
	}
	taker = make(map[int]int, len(to))
	for _, i := range to {
		taker[i] = -1
	}
	for _, k := range of {
		if p.Of[k] >= 0 {
			taker[p.Of[k]] = k
		}
	}
	return func(k, i int) float64 {
		was, other := p.Of[k], taker[i]
		return far(k, was) + far(other, i) - far(k, i) - far(other, was)
	}, taker
}

// exchange gives stages each other's partners while that fits clearly better.
func (p *Pairing) exchange(of, to []int, taker map[int]int, gain func(k, i int) float64) {
	for range of { // ends early: each exchange makes the whole fit better
		changed := false
		for _, k := range of {
			for _, i := range to {
				was, other := p.Of[k], taker[i]
				if was == i || gain(k, i) <= clearly {
					continue
				}
				p.Of[k], taker[i], changed = i, k, true
				if other >= 0 {
					p.Of[other] = was
				}
				if was >= 0 {
					taker[was] = other
				}
			}
		}
		if !changed {
			break
		}
	}
}

// far says how unlike two stages are, as a sum of logarithms of ratios. What one of them does not know counts nothing.
func (t *Trait) far(other *Trait) float64 {
	ratio := func(a, b float64) float64 {
		if !(a > 0 && b > 0) {
			return 0
		}
		return math.Abs(math.Log(a / b))
	}
	d := sizeWeight*(ratio(t.Tasks, other.Tasks)+ratio(t.Records, other.Records)) +
		ratio(max(t.Length, shortTask), max(other.Length, shortTask))
	if t.Reads != other.Reads {
		d++
	}
	return d
}

// traitsOf are the traits of a profile's job.
func traitsOf(job *dag.Job) []Trait {
	all := make([]Trait, len(job.Stages))
	for k := range all {
		s := &job.Stages[k]
		all[k] = Trait{
			Name: s.Name, Tasks: float64(s.Count()), Reads: len(s.After) > 0, Records: math.NaN(),
			Length: medianOf(&s.Extent, s.Count()),
		}
		if mean := meanTuples(s); mean > 0 {
			all[k].Records = mean * float64(s.Count())
		}
	}
	return all
}

// seenOf are the traits of a job that runs. A stage shows its records and lengths once half of its tasks are done: the
// first ones are often the short ones.
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
