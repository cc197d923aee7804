// Package models compares our figures with those published for Ernest and for the queueing models of MapReduce, and the
// models with the simulator, and gives the reason for each difference.
package models

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
)

// Run writes docs/models.md.
func Run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab models", flag.ContinueOnError)
	runs := flags.Int("runs", 400, "simulated runs of a published configuration; a cell of the grids has half of them")
	seen := flags.String("live", filepath.Join("docs", "e2e.md"), "document of what was measured on a real cluster")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return run(out, *runs, *seen)
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

// run writes the page. seen is the document of what was measured on a real cluster.
func run(w io.Writer, runs int, seen string) error {
	if runs < 16 || runs > 100_000 {
		return fmt.Errorf("-runs %d: want 16 to 100,000", runs)
	}
	return write(w, []section{
		coefficients(), designs(), greedy(), overhead(), live(seen),
		table4(runs), independent(runs), figures(runs), grids(runs),
		chance(runs),
	})
}
