// The command fit fits the numbers of the cost law (estimators/cost) to finished runs, and writes them with their
// standard errors as a source file. Without -o it prints the accuracy of the program's current numbers.

package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"io"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/paratimer/paratimer/estimators/cost"
)

// The fitted numbers, for runs with a profile and for first runs. Those of one kind do not affect runs of the other.
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

// runFit fits the numbers.
func runFit(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab fit", flag.ContinueOnError)
	folders := flags.String("runs", "../shared/corpus,../shared/recordings-spark", "folders of runs")
	pattern := flags.String("files", "*.eventlog.*", "files of runs in them")
	profileFolder := flags.String("profiles", "", "folder of profiles of runs whose recordings are not there")
	ticks := flags.Int("ticks", 24, "instants of each run that are looked at")
	samples := flags.Int("samples", 32, "replays for a range")
	most := flags.Int("most", 4, "pairs of a run and another one of its program at most")
	keep := flags.String("keep", "", "numbers that are not fitted, as the runs cannot show them")
	file := flags.String("o", "", "write fitted numbers to this file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	runs, err := readRuns(strings.Split(*folders, ","), *pattern, *profileFolder, *ticks)
	if err != nil {
		return err
	}
	first, with := pairsOf(runs, *most)
	best, deviations := *cost.Of(runs[0].profile), map[string]float64{}
	for _, part := range []struct {
		name    string
		pairs   []fitPair
		numbers []string
	}{{"with a profile", with, withProfile}, {"first runs", first, firstRuns}} {
		if *file == "" {
			s := summarize(scorePairs(part.pairs, cost.Costs, *samples))
			fmt.Fprintf(out, "%-14s %3d pairs: points median %v, worst %v; held %s; score %.4f\n", part.name, len(part.pairs),
				s.points.Median(), s.points.Most(), s.held.Quantile(0.5).Percent(), s.scores.Mean())
			continue
		}
		if len(part.pairs) == 0 {
			continue
		}
		f := &fitter{pairs: part.pairs, samples: *samples, log: os.Stderr}
		names := slices.DeleteFunc(slices.Clone(part.numbers), func(n string) bool {
			return slices.Contains(strings.Split(*keep, ","), n)
		})
		best = f.search(best, names)
		fmt.Fprintf(out, "%s\n\n", part.name)
		for name, e := range f.leaveOut(out, &best, names) {
			deviations[name] = e
		}
	}
	if *file == "" {
		return nil
	}
	return writeNumbers(*file, best, deviations, runs)
}

// A numbersTrial is a set of numbers with the scores of all pairs.
type numbersTrial struct {
	numbers cost.Numbers
	scores  []grade
}

// A fitter searches for numbers with a low continuous ranked probability score of the logarithm of a run's length. It
// is a proper score, and on the log scale errors of short and long runs count alike (Bosse et al., "Scoring
// epidemiological forecasts on transformed scales", 2023).
type fitter struct {
	pairs   []fitPair
	samples int
	trials  []numbersTrial
	log     io.Writer
}

// mean returns the mean score of a trial over the pairs of all programs except one.
func (f *fitter) mean(t *numbersTrial, without string) Number {
	var kept []grade
	for i, g := range t.scores {
		if f.pairs[i].run.program != without {
			kept = append(kept, g)
		}
	}
	return summarize(kept).scores.Mean()
}

func (f *fitter) try(n cost.Numbers) Number {
	t := numbersTrial{n, scorePairs(f.pairs, cost.With(cost.Options{Numbers: &n}), f.samples)}
	f.trials = append(f.trials, t)
	return f.mean(&t, "")
}

// leastGain is the smallest relative gain of a step that is kept.
const leastGain = 3e-4

// search improves the numbers one after the other, with decreasing steps.
func (f *fitter) search(from cost.Numbers, names []string) cost.Numbers {
	best, least := from, f.try(from)
	fmt.Fprintf(f.log, "%.5f at first\n", least)
	for _, step := range []float64{1.5, 1.2, 1.1} {
		for _, name := range names {
			if valueOf(&best, name) == 0 && !slices.Contains(signed, name) {
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
					fmt.Fprintf(f.log, "%.5f %s %.3g\n", s, name, valueOf(&best, name))
				}
				if moved {
					break
				}
			}
		}
	}
	return best
}

func valueOf(n *cost.Numbers, name string) float64 {
	return reflect.ValueOf(n).Elem().FieldByName(name).Float()
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

// leaveOut is a cross-validation over programs: for each program, the trials give the numbers that are best on all
// other programs. It prints the accuracy on each program with these, beside that of all, as a table in Markdown, and
// returns the jackknife's standard error of each number's logarithm (Efron and Stein 1981).
func (f *fitter) leaveOut(out io.Writer, all *cost.Numbers, names []string) map[string]float64 {
	programs := map[string][]fitPair{}
	for _, p := range f.pairs {
		programs[p.run.program] = append(programs[p.run.program], p)
	}
	fmt.Fprint(out, "| program | pairs | score | score, left out | points, left out: median / worst | 80% held |\n"+
		"|---|---|---|---|---|---|\n")
	logs := map[string][]float64{}
	for _, program := range slices.Sorted(maps.Keys(programs)) {
		best := slices.MinFunc(f.trials, func(a, b numbersTrial) int {
			return cmp.Compare(f.mean(&a, program), f.mean(&b, program))
		}).numbers
		pairs := programs[program]
		whole := summarize(scorePairs(pairs, cost.With(cost.Options{Numbers: all}), f.samples))
		left := summarize(scorePairs(pairs, cost.With(cost.Options{Numbers: &best}), f.samples))
		fmt.Fprintln(out, Row(program, len(pairs), fmt.Sprintf("%.4f", whole.scores.Mean()),
			fmt.Sprintf("%.4f", left.scores.Mean()), fmt.Sprintf("%v / %v", left.points.Median(), left.points.Most()),
			left.held.Mean().Percent()))
		for _, name := range names {
			v := valueOf(&best, name)
			if v != 0 && !slices.Contains(signed, name) {
				v = math.Log(v)
			}
			logs[name] = append(logs[name], v)
		}
	}
	fmt.Fprintln(out)
	deviations := map[string]float64{}
	for name, v := range logs {
		deviations[name] = math.Sqrt(stat.PopVariance(v, nil) * float64(len(v)-1))
	}
	return deviations
}

// writeNumbers writes numbers as a source file of package cost.
func writeNumbers(file string, n cost.Numbers, deviations map[string]float64, runs []*fitRun) error {
	var programs []string
	for _, r := range runs {
		programs = append(programs, r.program)
	}
	programs = slices.Compact(slices.Sorted(slices.Values(programs)))
	var b bytes.Buffer
	engine := cmp.Or(runs[0].profile.Engine, "MapReduce")
	fmt.Fprintf(&b, `// Code generated by lab fit from %d runs of %d programs. DO NOT EDIT.

package cost

// %s are the numbers of %s. Standard errors are the jackknife's over programs, of a logarithm in percent.
var %s = Numbers{
`, len(runs), len(programs), engine, engine, engine)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[cost.Numbers]()) {
		v := valueOf(&n, field.Name)
		if v == 0 {
			continue // the engine does not use this number
		}
		fmt.Fprintf(&b, "\t%s: %.3g,", field.Name, v)
		if e, ok := deviations[field.Name]; ok {
			unit := fmt.Sprintf("%.0f%%", 100*e)
			if slices.Contains(signed, field.Name) {
				unit = fmt.Sprintf("%.2f", e)
			}
			fmt.Fprintf(&b, " // ± %s", unit)
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	text, err := format.Source(b.Bytes())
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return os.WriteFile(file, text, 0o600)
}
