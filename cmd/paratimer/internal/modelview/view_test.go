package modelview

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

func TestViews(t *testing.T) {
	v := shown()
	compare(t, "one.txt", v.Text)
	compare(t, "one.json", v.JSON)
	compare(t, "all.txt", viewOf(answer(), simulated()).Text)
	sim := viewOf(simulated())
	sim.Bound = bound("", sim.Results[0].Centres, nil)
	compare(t, "simulated.txt", sim.Text)
	compare(t, "simulated.json", sim.JSON)
}

func TestTable(t *testing.T) {
	stuck := answer()
	stuck.Fixpoint = queueing.Fixpoint{Iterations: 500, Residual: 0.25}
	v := viewOf(answer(), stuck)
	v.Results = append(v.Results, Failed(queueing.Product, errors.New("it must be from 1")))
	v.Name = "a small job"
	for i := range v.Results {
		v.Results[i].Settings = []Value{{"map-slots", 2 - i}, {"nodes", 3}}
	}
	compare(t, "table.txt", v.Text)
	compare(t, "table.json", v.JSON)
}

// TestUnknown: what is not known is null.
func TestUnknown(t *testing.T) {
	r := answer()
	r.Converged = false
	j := &r.Jobs[0]
	j.Span, j.StandardError, j.Tree.Mean, j.Tree.Deviation = unknown, unknown, units.Float(math.Inf(1)), unknown
	v := viewOf(r)
	for name, write := range map[string]func(io.Writer) error{"text": v.Text, "JSON": v.JSON} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s := b.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("%s: %s", name, s)
		}
	}
	var b bytes.Buffer
	if err := v.Text(&b); err != nil || !strings.Contains(b.String(), "about 31.3s by product") {
		t.Errorf("%v, %s", err, &b)
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
	var b bytes.Buffer
	if err := viewOf(r).Text(&b); err != nil || b.Len() > 10_000 ||
		!strings.Contains(b.String(), "… and 99992 more") {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
}
