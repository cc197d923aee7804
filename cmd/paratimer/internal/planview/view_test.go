package planview

import (
	"math"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

func TestViews(t *testing.T) {
	v := shown()
	compare(t, "one.txt", []byte(documentText(t, v)))
	compare(t, "one.json", []byte(documentJSON(t, v)))
	compare(t, "all.txt", []byte(documentText(t, modelViewOf(answer(), simulated()))))
	sim := modelViewOf(simulated())
	sim.Bound = bound("", sim.Results[0].Centres, nil)
	compare(t, "simulated.txt", []byte(documentText(t, sim)))
	compare(t, "simulated.json", []byte(documentJSON(t, sim)))
}

func TestTable(t *testing.T) {
	stuck := answer()
	stuck.Fixpoint = queueing.Fixpoint{Iterations: 500, Residual: 0.25}
	v := modelViewOf(answer(), stuck)
	v.Name = "a small job"
	compare(t, "table.txt", []byte(documentText(t, v)))
	compare(t, "table.json", []byte(documentJSON(t, v)))
}

// TestUnknown: unknown values are null.
func TestUnknown(t *testing.T) {
	r := answer()
	r.Converged = false
	j := &r.Jobs[0]
	j.Span, j.StandardError, j.Tree.Mean, j.Tree.Deviation = unknown, unknown, units.Float(math.Inf(1)), unknown
	v := modelViewOf(r)
	for name, s := range map[string]string{"text": documentText(t, v), "JSON": documentJSON(t, v)} {
		if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("%s: %s", name, s)
		}
	}
	if s := documentText(t, v); !strings.Contains(s, "about 31.3s by product") {
		t.Error(s)
	}
}

// TestWideTree: the text is bounded however many parts a tree has.
func TestWideTree(t *testing.T) {
	wide := &queueing.Tree{Op: queueing.Serial}
	for range 100_000 {
		wide.Parts = append(wide.Parts, &queueing.Tree{
			Op:    queueing.ParallelAnd,
			Parts: []*queueing.Tree{{Kind: new(queueing.Kind), Tasks: 2}},
		})
	}
	r := answer()
	r.Jobs[0].Tree = wide
	if s := documentText(t, modelViewOf(r)); len(s) > 10_000 || !strings.Contains(s, "… and 99992 more") {
		t.Errorf("%d bytes", len(s))
	}
}
