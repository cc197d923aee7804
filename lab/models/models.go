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
	"path/filepath"

	"github.com/paratimer/paratimer/lab/page"
)

// The pages have no numbers beside the tables: these would become outdated.
var (
	//go:embed models.md.tmpl
	modelsPage string
	//go:embed outside.md.tmpl
	outsidePage string
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

// RunOutside writes docs/ernest.md with a new section about runtimes that others have measured.
func RunOutside(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab ernest", flag.ContinueOnError)
	runtimes := flags.String("runtimes", filepath.Join("..", "shared", "data", "runtimes"),
		"folder of runtimes that others have measured")
	document := flags.String("document", filepath.Join("docs", "ernest.md"), "document that has the section")
	if err := flags.Parse(args); err != nil {
		return err
	}
	text, err := withOutside(*document, *runtimes)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
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
func percent(ratio float64) string { return fmt.Sprintf("%.1f %%", 100*ratio) }
