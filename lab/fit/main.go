// Package fit fits the numbers of the cost law (estimators/cost) to finished runs, and writes them with their
// standard errors as a source file. Without -o it prints the accuracy of the program's current numbers.
package fit

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/estimators/cost"
)

// Run fits the numbers.
func Run(args []string, out io.Writer) error {
	ctx, flags := context.Background(), flag.NewFlagSet("lab fit", flag.ContinueOnError)
	folders := flags.String("runs", "../shared/corpus,../shared/recordings-spark", "folders of runs")
	pattern := flags.String("files", "*.eventlog.*", "files of runs in them")
	profiles := flags.String("profiles", "", "folder of profiles of runs whose recordings are not there")
	ticks := flags.Int("ticks", 24, "instants of each run that are looked at")
	samples := flags.Int("samples", 32, "replays for a range")
	kinds := flags.String("kinds", "", "kinds of pairs, all if empty: "+strings.Join(kindNames, ", "))
	each := flags.Bool("v", false, "print each pair")
	only := flags.String("only", "", "print the ticks of the pair of this run and this other one: RUN,OTHER")
	most := flags.Int("most", 0, "pairs of a run and another recording at most; 0: all")
	keep := flags.String("keep", "", "numbers that are not fitted, as the runs cannot show them")
	file := flags.String("o", "", "write fitted numbers to this file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	runs, err := readRuns(ctx, strings.Split(*folders, ","), *pattern, *ticks)
	if err != nil {
		return err
	}
	more, err := readProfiles(*profiles)
	if err != nil {
		return err
	}
	pairs := pairsOf(append(runs, more...), *most)
	if *kinds != "" {
		wanted := strings.Split(*kinds, ",")
		pairs = slices.DeleteFunc(pairs, func(k kind) bool { return !slices.Contains(wanted, k.name) })
	}
	if *only != "" {
		return printTicks(out, pairs, *only, cost.Costs, *samples)
	}
	if *file == "" {
		for _, k := range pairs {
			k.report(out, score(k.pairs, cost.Costs, *samples), *each)
		}
		return nil
	}
	// Numbers for first runs do not affect runs with a profile, and the reverse.
	best, errors := *cost.Of(runs[0].ticks[0].Plan), map[string]float64{}
	for _, part := range []struct {
		numbers []string
		first   bool
	}{{withProfile, false}, {firstRuns, true}} {
		f := &fitter{samples: *samples, log: os.Stderr}
		for _, k := range pairs {
			if (k.name == kindNames[0]) == part.first {
				f.kinds = append(f.kinds, k)
			}
		}
		if len(f.kinds) == 0 {
			continue
		}
		names := slices.DeleteFunc(part.numbers, func(n string) bool {
			return slices.Contains(strings.Split(*keep, ","), n)
		})
		best = f.search(best, names)
		left := f.leaveOut(names)
		fmt.Fprintf(os.Stderr, "programs left out: %.5f\n", left.score)
		for name, e := range left.errors {
			errors[name] = e
		}
		f.printLeftOut(out, &best, left.best)
	}
	return write(*file, best, errors, runs)
}
