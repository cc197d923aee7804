// Command fit fits the numbers of the cost law (estimators/cost) to finished runs, and writes them with their
// standard errors as a source file. Without -o it prints the accuracy of the program's current numbers.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/estimators/cost"
)

func main() {
	if err := command(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context) error {
	folders := flag.String("runs", "../shared/corpus,../shared/recordings-spark", "folders of runs")
	pattern := flag.String("files", "*.eventlog.*", "files of runs in them")
	profiles := flag.String("profiles", "", "folder of profiles of runs whose recordings are not there")
	ticks := flag.Int("ticks", 24, "instants of each run that are looked at")
	samples := flag.Int("samples", 32, "replays for a range")
	kinds := flag.String("kinds", "", "kinds of pairs, all if empty: "+strings.Join(kindNames, ", "))
	each := flag.Bool("v", false, "print each pair")
	only := flag.String("only", "", "print the ticks of the pair of this run and this other one: RUN,OTHER")
	most := flag.Int("most", 0, "pairs of a run and another recording at most; 0: all")
	keep := flag.String("keep", "", "numbers that are not fitted, as the runs cannot show them")
	out := flag.String("o", "", "write fitted numbers to this file")
	flag.Parse()
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
		return printTicks(os.Stdout, pairs, *only, cost.Costs, *samples)
	}
	if *out == "" {
		for _, k := range pairs {
			k.report(os.Stdout, score(k.pairs, cost.Costs, *samples), *each)
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
		f.printLeftOut(os.Stdout, &best, left.best)
	}
	return write(*out, best, errors, runs)
}
