// Package skewed measures the accuracy of NearestFit and the other methods on reduce phases with skewed key groups and
// nonlinear costs. It compares them with the paper (E. Coppa, I. Finocchi, SoCC 2015, section 8) and with measurements
// of an independent reference program.
package skewed

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
)

// Run writes docs/nearestfit.md.
func Run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab nearestfit", flag.ContinueOnError)
	seeds := flags.Int("seeds", 5, "runs of each setting, with seeds from 1 on")
	largest := flags.Float64("largest", 10_000, "values of the largest group of the synthetic workload")
	folder := flags.String("graphs", filepath.Join("..", "shared", "data", "snap"),
		"folder of degree histograms (*"+histograms+")")
	before := flags.String("before", document, "document whose section of graphs is kept where that folder is absent")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return run(out, lab{*largest, *seeds}, *folder, *before)
}

// document is the file that make writes with this command.
var document = filepath.Join("docs", "nearestfit.md")

func run(w io.Writer, l lab, folder, before string) error {
	if l.seeds < 1 || !(l.largest >= 1 && l.largest <= 1e6) {
		return fmt.Errorf("-seeds %d -largest %v: want at least one seed, and 1 to 1,000,000 values", l.seeds,
			l.largest)
	}
	all, err := graphs(folder)
	if err != nil {
		return err
	}
	realistic := kept(realisticTitle, before, "the graphs of "+folder)
	if len(all) > 0 {
		realistic = realisticExperiment(all)
	}
	return write(w, l, []experiment{
		fig6Experiment(l), realistic, wavesExperiment(l), lambdaExperiment(l), partsExperiment(l), sharesExperiment(l),
		mapsExperiment(l),
	})
}
