// Command models writes docs/models.md: a comparison of our figures with those published for Ernest and for the
// queueing models of MapReduce, of the models with the simulator, and the reason for each difference.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	runs := flag.Int("runs", 400, "simulated runs of a published configuration; a cell of the grids has half of them")
	seen := flag.String("live", filepath.Join("docs", "e2e.md"), "document of what was measured on a real cluster")
	measured := flag.String("machine", filepath.Join("..", "shared", "data", "mva", "test_CPU_parallel_HDP6.csv"),
		"table of jobs at once and seconds")
	before := flag.String("before", filepath.Join("docs", "models.md"),
		"document whose section is kept where that table is absent")
	runtimes := flag.String("runtimes", filepath.Join("..", "shared", "data", "runtimes"),
		"folder of runtimes that others have measured")
	document := flag.String("ernest", "", "write this document with its section of those runtimes instead")
	flag.Parse()
	began := time.Now()
	if *document != "" {
		text, err := withOutside(*document, *runtimes)
		if err != nil {
			fmt.Fprintln(os.Stderr, "models:", err)
			os.Exit(1)
		}
		fmt.Print(text)
		return
	}
	if err := run(os.Stdout, *runs, inputs{*seen, *measured, *before}); err != nil {
		fmt.Fprintln(os.Stderr, "models:", err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "models: took %v\n", time.Since(began).Round(time.Second))
}

// inputs are the input files.
type inputs struct{ seen, machine, before string }

func run(w io.Writer, runs int, in inputs) error {
	if runs < 16 || runs > 100_000 {
		return fmt.Errorf("-runs %d: want 16 to 100,000", runs)
	}
	return write(w, []section{
		coefficients(), designs(), greedy(), overhead(), live(in.seen),
		nets(), maxima(), machine(in.machine, in.before), table4(runs), independent(runs), figures(runs), grids(runs),
		chance(runs),
	})
}
