package skewed

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/lab/skewed/phase"
)

// Texts beside the tables. They contain no numbers, which would become outdated: numbers are in the tables.
var (
	//go:embed words/intro.md
	introWords string
	//go:embed words/fig6.md
	fig6Words string
	//go:embed words/realistic.md
	realisticWords string
	//go:embed words/waves.md
	wavesWords string
	//go:embed words/lambda.md
	lambdaWords string
	//go:embed words/parts.md
	partsWords string
	//go:embed words/mapsintro.md
	mapsIntro string
	//go:embed words/maps.md
	mapsWords string
	// liveWords are the measurements of the end-to-end test on a real cluster.
	//
	//go:embed live.md
	liveWords string
	// table3Words are the measurements of the paper's benchmarks; empty if these have not been run.
	//
	//go:embed table3.md
	table3Words string
)

func introduction(l lab) string {
	return fmt.Sprintf(introWords, l.seeds, l.largest, phase.ValueBytes, 100*noise, eachGroup*1e6, mean, maps, tick,
		lambda, entries*lambda)
}

func list(items []string) string {
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, ", ")
}
