// Package models compares our figures with those published for Ernest and for the queueing models of MapReduce, and the
// models with the simulator and with runs of other people.
package models

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"

	"github.com/paratimer/paratimer/lab/page"
)

// The pages have no numbers beside the tables: these would become outdated.
var (
	//go:embed models.md.tmpl
	modelsPage string
	// publishedText are the published figures that the tables compare ours with.
	//
	//go:embed published.json
	publishedText []byte
)

var published = func() (p struct {
	Example  exampleRun
	Designs  []design
	Table4   []comparison
	Settings []grid
	Figures  []figure
	Grids    []grid
},
) {
	if err := json.Unmarshal(publishedText, &p); err != nil {
		panic("published.json: " + err.Error())
	}
	return p
}()

// tables makes the tables of docs/models.md, by that many simulated runs of a configuration.
type tables struct{ runs int }

// Run writes docs/models.md.
func Run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab models", flag.ContinueOnError)
	runs := flags.Int("runs", 400, "simulated runs of a published configuration")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *runs < 48 || *runs > 100_000 {
		return fmt.Errorf("-runs %d: give 48 to 100,000", *runs)
	}
	return page.Write(out, modelsPage, tables{*runs})
}

// upTo formats a small figure as a power of ten that bounds it. Its digits are rounding errors, which differ between
// machines.
func upTo(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("below 1e%d", int(math.Floor(math.Log10(v)))+1)
}

// apart is the difference of a figure from a published one, as a ratio of the latter if that is not 0.
func apart(ours, published float64) float64 {
	if published == 0 {
		return ours
	}
	return ours/published - 1
}

// percent formats a ratio in percent.
func percent(ratio float64) string { return fmt.Sprintf("%.1f%%", 100*ratio) }
