package fit

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/cost"
)

// A pair is a run and the run with the profile for its estimates; other is nil if there is none.
type pair struct{ run, other *run }

// A kind is the pairs with one relation.
type kind struct {
	name  string
	pairs []pair
}

// kindNames are the relations between a run and another one of its program: none; another recording; the same with a
// profile that lacks the first executor's start-up time; for programs of several sizes, the same size and cores,
// another size, other cores, or both; and for job histories of others, another job of the same name.
var kindNames = []string{"none", "recording", "start unknown", "again", "other size", "other cores", "both", "history"}

// Limits for the job histories of others: the number of pairs of one name, and the ratio of the jobs' lengths.
const (
	mostOfName = 4
	mostApart  = 2.5
)

// pairsOf groups the pairs of runs of the same program. In programs of several sizes a run has one larger and one
// smaller partner of each relation. A recording has at most most partners, or all if most is 0.
func pairsOf(runs []*run, most int) []kind {
	by, taken := map[string][]pair{}, map[string]int{}
	for _, r := range runs {
		if len(r.ticks) == 0 {
			continue
		}
		by["none"] = append(by["none"], pair{run: r})
		seen, partners := map[string]bool{}, 0
		for _, o := range runs {
			a, b := sized.FindStringSubmatch(r.name), sized.FindStringSubmatch(o.name)
			if o == r || o.program != r.program || (a == nil) != (b == nil) {
				continue
			}
			if r.history {
				ratio := r.end.Sub(r.first).Seconds() / o.end.Sub(o.first).Seconds()
				if max(ratio, 1/ratio) < mostApart &&
					taken[r.program] < mostOfName {
					by["history"] = append(by["history"], pair{r, o})
					taken[r.program]++
				}
				continue
			}
			if a == nil {
				if partners++; most > 0 && partners > most {
					continue
				}
				by["recording"] = append(by["recording"], pair{r, o})
				if o.profile.Overheads.Boot > 0 {
					by["start unknown"] = append(by["start unknown"], pair{r, o.withoutStart()})
				}
				continue
			}
			name := "both"
			switch size, cores := a[2] == b[2], a[3] == b[3]; {
			case size && cores:
				name = "again"
			case cores:
				name = "other size"
			case size:
				name = "other cores"
			}
			if key := fmt.Sprint(name, b[2] > a[2], b[3] > a[3]); !seen[key] {
				seen[key] = true
				by[name] = append(by[name], pair{r, o})
			}
		}
	}
	var out []kind
	for _, name := range kindNames {
		out = append(out, kind{name, by[name]})
	}
	return out
}

// withoutStart returns the run with a profile that lacks the first executor's start-up time.
func (r *run) withoutStart() *run {
	out, plan := *r, *r.profile
	plan.Overheads.Boot, out.profile = 0, &plan
	return &out
}

// A summary is the accuracy on some pairs: the sums of their ticks, and the means of each pair.
type summary struct {
	grade
	means, bars, scores, widths []float64
	better                      int // pairs with an error of at most the engine's bar
}

func summarize(grades []grade) summary {
	var s summary
	for i := range grades {
		g := &grades[i]
		s.ticks, s.points, s.ranges, s.held = s.ticks+g.ticks, s.points+g.points, s.ranges+g.ranges, s.held+g.held
		s.bars = append(s.bars, g.bar/float64(g.ticks))
		if g.points > 0 {
			s.means = append(s.means, g.errors/float64(g.points))
			if g.errors/float64(g.points) <= g.bar/float64(g.ticks) {
				s.better++
			}
		}
		if g.ranges > 0 {
			s.scores = append(s.scores, g.crps/float64(g.ranges))
			s.widths = append(s.widths, g.width/float64(g.ranges))
		}
	}
	return s
}

// report prints the accuracy of a model on the pairs, and on each pair if each is set.
func (k *kind) report(w io.Writer, grades []grade, each bool) {
	sum := summarize(grades)
	for i := range grades {
		if g := &grades[i]; each {
			other := "-"
			if o := k.pairs[i].other; o != nil {
				other = o.name
			}
			fmt.Fprintf(w, "   %-22s %-22s points %5.1f, bias %+5.1f, on %3.0f %%; range held %3.0f %%, width %.2f; bar %.1f\n",
				k.pairs[i].run.name, other, g.errors/float64(g.points), g.bias/float64(g.points),
				percent(g.points, g.ticks), percent(g.held, g.ranges), g.width/float64(g.ranges),
				g.bar/float64(g.ticks))
		}
	}
	if len(grades) == 0 {
		return
	}
	fmt.Fprintf(w, "%-13s %3d pairs: points median %5.2f, worst %5.2f, on %3.0f %% of the ticks; "+
		"range on %3.0f %%, held %3.0f %%, width %.2f; score %.4f; the engine's bar %.1f, at most that in %.0f %%\n",
		k.name, len(grades), median(sum.means), most(sum.means), percent(sum.points, sum.ticks),
		percent(sum.ranges, sum.ticks), percent(sum.held, sum.ranges), median(sum.widths), mean(sum.scores),
		median(sum.bars), percent(sum.better, len(sum.means)))
}

// printLeftOut prints the accuracy on each program, with the numbers that were fitted to all programs and with those
// that were fitted without it, as a table in Markdown.
func (f *fitter) printLeftOut(w io.Writer, all *cost.Numbers, without map[string]cost.Numbers) {
	fmt.Fprintln(w, "| program | pairs | score | score, left out | points, left out: median / worst | 80 % held |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, program := range slices.Sorted(maps.Keys(without)) {
		var pairs []pair
		for _, k := range f.kinds {
			for _, p := range k.pairs {
				if p.run.program == program {
					pairs = append(pairs, p)
				}
			}
		}
		numbers := without[program]
		whole := summarize(score(pairs, cost.With(cost.Options{Numbers: all}), f.samples))
		left := summarize(score(pairs, cost.With(cost.Options{Numbers: &numbers}), f.samples))
		fmt.Fprintf(w, "| %s | %d | %.4f | %.4f | %.1f / %.1f | %.0f %% |\n", program, len(pairs), mean(whole.scores),
			mean(left.scores), median(left.means), most(left.means), percent(left.held, left.ranges))
	}
}

func percent(a, b int) float64 { return 100 * float64(a) / math.Max(1, float64(b)) }

func most(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return slices.Max(v)
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if len(v) == 0 {
		return math.NaN()
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
