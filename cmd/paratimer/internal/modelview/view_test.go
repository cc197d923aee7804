package modelview

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/paratimer/paratimer/estimators/queueing"
)

func TestViews(t *testing.T) {
	v := shown()
	compare(t, "one.txt", v.Text)
	compare(t, "one.json", v.JSON)
	all := &View{Spec: spec(), Answers: []Answer{answer(), simulated()}}
	compare(t, "all.txt", all.Text)
	sim := &View{Spec: spec(), Answers: []Answer{simulated()}}
	compare(t, "simulated.txt", sim.Text)
	compare(t, "simulated.json", sim.JSON)
}

func TestGridViews(t *testing.T) {
	stuck := answer()
	stuck.Result.Fixpoint = queueing.Fixpoint{Iterations: 500, Residual: 0.25, Cycle: 2}
	one := answer()
	g := &Grid{Name: "a small job", Axes: []Axis{{Name: "map-slots"}, {Name: "nodes"}}, Cells: []Cell{
		{Values: []int{1, 3}, Answer: &one},
		{Values: []int{2, 3}, Answer: &stuck},
		{Values: []int{0, 3}, Err: errors.New("it must be from 1")},
	}}
	compare(t, "grid.txt", g.Text)
	compare(t, "grid.json", g.JSON)
	if g.Nothing() != nil {
		t.Error("a grid with answers is nothing")
	}
	if g.Cells = g.Cells[2:]; g.Nothing() == nil {
		t.Error("a grid without answers is something")
	}
}

// TestUnknown: what is not known is null.
func TestUnknown(t *testing.T) {
	v := shown()
	r := v.Answers[0].Result
	r.Converged = false
	j := &r.Jobs[0]
	j.Response, j.Throughput, j.Tree.Mean, j.Tree.Variance = math.NaN(), math.NaN(), math.Inf(1), math.NaN()
	j.Threads[0].Pieces[0].End = math.Inf(1)
	j.Threads[1].Pieces[0].Start = math.NaN()
	j.Threads[2].Pieces[0].Start = -1e300
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
	if err := v.Text(&b); err != nil || !strings.Contains(b.String(), "about ? by product") {
		t.Errorf("%v, %s", err, &b)
	}
	if err := v.Unsettled(); err == nil {
		t.Error("nothing says that it did not converge")
	}
	v.Answers = append(v.Answers, simulated())
	if err := v.Unsettled(); err != nil {
		t.Errorf("one of two answers stands: %v", err)
	}
}

// TestHostileTree: a drawing is bounded whatever a tree is.
func TestHostileTree(t *testing.T) {
	deep := &queueing.Tree{Kind: queueing.Map, Tasks: 1, Mean: 1}
	for range 100_000 {
		deep = &queueing.Tree{
			Op: queueing.ParallelAnd, Parts: []*queueing.Tree{deep, {Kind: queueing.Map, Tasks: 1}},
			Mean: 1,
		}
	}
	wide := &queueing.Tree{Op: queueing.Serial}
	for range 100_000 {
		wide.Parts = append(wide.Parts, &queueing.Tree{
			Op:    queueing.ParallelAnd,
			Parts: []*queueing.Tree{{Kind: queueing.Map, Tasks: 2}},
		})
	}
	for _, tree := range []*queueing.Tree{deep, wide} {
		v := shown()
		v.Answers[0].Result.Jobs[0].Tree = tree
		for name, write := range map[string]func(io.Writer) error{"text": v.Text} {
			var b bytes.Buffer
			if err := write(&b); err != nil || b.Len() > 200_000 {
				t.Errorf("%s: %d bytes, %v", name, b.Len(), err)
			}
			for l := range strings.Lines(b.String()) {
				if before, _, branch := strings.Cut(l, "─"); branch &&
					utf8.RuneCountInString(before) > 3*treeDepth {
					t.Fatalf("%s: the tree runs out of the screen: %s", name, l)
				}
			}
		}
	}
	v := shown()
	v.Answers[0].Result.Jobs[0].Tree = deep
	var b bytes.Buffer
	if err := v.JSON(&b); err != nil || !json.Valid(b.Bytes()) || b.Len() > 1<<20 {
		t.Errorf("JSON: %d bytes, %v", b.Len(), err)
	}
}
