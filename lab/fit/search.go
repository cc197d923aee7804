package fit

import (
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/paratimer/paratimer/estimators/cost"
)

// The fitted numbers, for runs with a profile and for first runs.
var (
	withProfile = []string{
		"Load", "LoadBoot", "Boot", "Pace", "Both", "Change", "Head", "Task", "Every", "HeadPart", "HeadWide", "Growth",
		"Drift", "Waves", "Pause", "EveryPart", "Launch", "Alone", "Files", "Node",
	}
	firstRuns = []string{
		"ToCome", "FirstHead", "FirstHeadSigma", "Unseen", "UnseenRead", "UnseenSigma", "NothingLater", "Later", "LaterSigma",
	}
	// signed are the numbers that are logarithms themselves.
	signed = []string{"FirstHead", "Unseen", "UnseenRead", "Later"}
)

// A trial is a set of numbers with its scores by program: the sum over the program's pairs, and their number.
type trial struct {
	numbers cost.Numbers
	scores  map[string][2]float64
}

// mean returns the mean score of the pairs of all programs except one.
func (t *trial) mean(without string) float64 {
	sum, n := 0.0, 0.0
	for program, s := range t.scores {
		if program != without {
			sum, n = sum+s[0], n+s[1]
		}
	}
	return sum / n
}

// A fitter searches for numbers with a low continuous ranked probability score of the logarithm of a run's length. It
// is a proper score, and on the log scale errors of short and long runs count alike (Bosse et al., "Scoring
// epidemiological forecasts on transformed scales", 2023).
type fitter struct {
	kinds   []kind
	samples int
	trials  []trial
	log     io.Writer
}

func (f *fitter) try(n cost.Numbers) float64 {
	t := trial{n, map[string][2]float64{}}
	for _, k := range f.kinds {
		for i, g := range score(k.pairs, cost.With(cost.Options{Numbers: &n}), f.samples) {
			if g.ranges > 0 {
				s := t.scores[k.pairs[i].run.program]
				t.scores[k.pairs[i].run.program] = [2]float64{s[0] + g.crps/float64(g.ranges), s[1] + 1}
			}
		}
	}
	f.trials = append(f.trials, t)
	return t.mean("")
}

// leastGain is the smallest relative gain of a step that is kept.
const leastGain = 3e-4

// search improves the numbers one after the other, with decreasing steps.
func (f *fitter) search(from cost.Numbers, names []string) cost.Numbers {
	best, least := from, f.try(from)
	fmt.Fprintf(f.log, "%.5f at first\n", least)
	for _, step := range []float64{1.5, 1.2, 1.1} {
		for _, name := range names {
			if reflect.ValueOf(best).FieldByName(name).Float() == 0 && !slices.Contains(signed, name) {
				continue // the engine does not use this number
			}
			for _, by := range []float64{step, 1 / step} {
				moved := false
				for next := stepped(best, name, by); ; next = stepped(best, name, by) {
					s := f.try(next)
					if !(s < least*(1-leastGain)) {
						break
					}
					best, least, moved = next, s, true
					fmt.Fprintf(f.log, "%.5f %s %.3g\n", s, name, reflect.ValueOf(best).FieldByName(name).Float())
				}
				if moved {
					break
				}
			}
		}
	}
	return best
}

func stepped(n cost.Numbers, name string, by float64) cost.Numbers {
	v := reflect.ValueOf(&n).Elem().FieldByName(name)
	if slices.Contains(signed, name) {
		v.SetFloat(v.Float() + math.Log(by))
	} else {
		v.SetFloat(v.Float() * by)
	}
	return n
}

// A leftOut is a cross-validation over programs: for each program, the trials give the numbers that are best on all
// other programs.
type leftOut struct {
	score  float64                 // the mean over the pairs, each with numbers that were chosen without its program
	errors map[string]float64      // by number: the jackknife's standard error (Efron and Stein 1981) of the logarithm
	best   map[string]cost.Numbers // by program: the numbers that were chosen without it
}

func (f *fitter) leaveOut(names []string) leftOut {
	out := leftOut{errors: map[string]float64{}, best: map[string]cost.Numbers{}}
	values := map[string][]float64{}
	sum, n := 0.0, 0.0
	for _, p := range slices.Sorted(maps.Keys(f.trials[0].scores)) {
		best := slices.MinFunc(f.trials, func(a, b trial) int {
			if a.mean(p) < b.mean(p) {
				return -1
			}
			return 1
		})
		sum, n = sum+best.scores[p][0], n+best.scores[p][1]
		out.best[p] = best.numbers
		for _, name := range names {
			v := reflect.ValueOf(best.numbers).FieldByName(name).Float()
			if v == 0 {
				continue
			}
			if !slices.Contains(signed, name) {
				v = math.Log(v)
			}
			values[name] = append(values[name], v)
		}
	}
	out.score = sum / n
	for name, v := range values {
		squares := 0.0
		for _, x := range v {
			squares += (x - mean(v)) * (x - mean(v))
		}
		out.errors[name] = math.Sqrt(squares * float64(len(v)-1) / float64(len(v)))
	}
	return out
}
