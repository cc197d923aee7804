package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestSimulatedPartsOfThePage: what docs/accuracy.md has of the paper's experiments and of monitoring is what the
// program says today.
func TestSimulatedPartsOfThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := papers(&b, examples); err != nil {
		t.Fatal(err)
	}
	if err := monitoring(&b, examples, 5); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), b.String()) {
		t.Errorf("docs/accuracy.md is of another day: run `make accuracy`. It should have\n%s", b.String())
	}
}

// The paper's figures of sections 4.2 to 4.4 that the simulation must meet.
func TestPublished(t *testing.T) {
	t.Parallel()
	all, err := experiments(examples)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		e := &all[i]
		got, total, err := e.run()
		if err != nil {
			t.Fatal(err)
		}
		for k, row := range e.rows {
			o := &got[k]
			switch {
			case row.estimator == "standard_static" && !(mean(o.points) <= 1.1 && most(o.points) <= 4.6):
				t.Errorf("%s: standard_static: %s", e.name, &o.errorsOf)
			case row.estimator == "standard" && strings.HasPrefix(e.name, "case") && e.name != caseD && o.under > 7:
				t.Errorf("%s: standard is under by %.1f", e.name, o.under)
			case row.estimator == "one_failure" && o.over > 30, row.estimator == "skew_high" && o.over > 17:
				t.Errorf("%s: %s is over by %.1f", e.name, row.estimator, o.over)
			case row.estimator == "skew_low" && !(mean(o.points) <= 6 && o.over < 1), row.estimator == "best_guess" &&
				mean(o.points) > 4:
				t.Errorf("%s: %s: %s", e.name, row.estimator, &o.errorsOf)
			}
		}
		if e.true != nil && (total < 2000 || total > 2100) {
			t.Errorf("%s takes %.0f s, and about 2050 in the paper", e.name, total)
		}
	}
}
