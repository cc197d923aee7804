//go:build foreign

package main

import (
	"flag"
	"os"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

var document = flag.String("document", "", "write the section of this file, from all trials: minutes of two cores")

// TestOutside checks the statements of docs/evidence/ernest.md about ranges and refusals, on a part of the trials:
// every sixteenth.
func TestOutside(t *testing.T) {
	t.Parallel()
	jobs, err := readOutside(fixtures.Foreign("runtimes"))
	if err != nil {
		t.Fatal(err)
	}
	every := 16
	if *document != "" {
		every = 1
	}
	tallied, err := tallyAll(jobs, every)
	if err != nil {
		t.Fatal(err)
	}
	for side, least := range map[string]float64{"among": 0.75, "beyond": 0.70} {
		all := tallied[place{"file", side}][allFiles]
		t.Log(all.row(side)...)
		covered := float64(all.within.Known().Mean())
		if !(covered >= least) || covered > 0.88 || all.all[0] < 100 {
			t.Errorf("coverage of %d predictions: got %.2f, want %.2f to 0.88", all.all[0], covered, least)
		}
		if 5*all.off[1] < 4*all.all[1] {
			t.Errorf("%d of %d refused ones were off", all.off[1], all.all[1])
		}
	}
	if *document == "" {
		return
	}
	text, err := os.ReadFile(*document)
	if err != nil {
		t.Fatal(err)
	}
	made, err := withSection(string(text), tallied)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*document, []byte(made), 0o600); err != nil {
		t.Fatal(err)
	}
}
