package planfile

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
)

func written(t interface{ Fatalf(string, ...any) }, p *dag.Plan) []byte {
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatalf("writing: %v", err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlan(t)
		file := written(t, p)
		back, err := Read(bytes.NewReader(file), Options{})
		if err != nil {
			t.Fatalf("reading: %v\n%s", err, file)
		}
		if diff := cmp.Diff(p, back, sameSeries, cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("(-plan +read)\n%s\n%s", diff, file)
		}
	})
}

func TestRoundTripJSON(t *testing.T) {
	p := &dag.Plan{Name: "large \" \\ é 😀 \\u2028", Cluster: dag.Cluster{MapSlots: 10}}
	each := make([]float64, maxYAML)
	for i := range each {
		each[i] = float64(i) / 7
	}
	p.Jobs = []dag.Job{{Node: "j", Stages: dag.MapReduce(dag.Stage{
		Tasks: len(each), Known: true, Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(3), Alpha: dag.Each(each)}},
	}, dag.Stage{Known: true})}}
	file := written(t, p)
	if file[0] != '{' {
		t.Fatalf("a plan of %d values is written as %.20s", len(each), file)
	}
	back, err := Read(bytes.NewReader(file), Options{Name: "p.json"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, back, sameSeries, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-plan +read)\n%.2000s", diff)
	}
	if _, err := Read(bytes.NewReader(nil), Options{}); err == nil {
		t.Error("nothing is read")
	}
}

// JSON is YAML: a file in JSON gives the same through both parsers.
func TestJSONIsYAML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		if err := WriteJSON(&b, anyPlan(t)); err != nil {
			t.Fatal(err)
		}
		var both [2]string
		var show func(to *string, it *item)
		show = func(to *string, it *item) {
			*to += fmt.Sprintf("%v %q\n", it.kind, it.text)
			for i := range it.parts {
				show(to, &it.parts[i])
			}
		}
		j, err := open(b.Bytes(), "p.json", "plan")
		if err != nil {
			t.Fatalf("as JSON: %v\n%s", err, b.Bytes())
		}
		y := (&Document{src: b.Bytes()}).yaml()
		show(&both[0], &j.root)
		show(&both[1], &y)
		if diff := cmp.Diff(both[0], both[1]); diff != "" {
			t.Fatalf("(-JSON +YAML)\n%s\n%s", diff, b.Bytes())
		}
	})
}

// Golden plans survive the way into a file and back, bit by bit.
func TestGoldenPlans(t *testing.T) {
	for _, c := range golden.Load(t) {
		file := written(t, c.Plan)
		back, err := Read(bytes.NewReader(file), Options{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.Name, err, file)
		}
		if diff := cmp.Diff(c.Plan, back, sameSeries, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-plan +read)\n%s\n%s", c.Name, diff, file)
		}
	}
}

// A list in a file with the same value for each task is the uniform series.
func TestEqualValuesAreOne(t *testing.T) {
	const plan = `
cluster: {map_slots: 1}
jobs: [{name: j, map: {tasks: 3, records: [7, 7, 7], cost: [1ms, 1us, 1ms], out: [null, null, null]}}]`
	p, err := read(t, plan)
	if err != nil {
		t.Fatal(err)
	}
	m := p.Jobs[0].Stages[dag.Map]
	if got := fmt.Sprint(m.Pipelines[0].Tuples.IsUniform(), m.Pipelines[0].Alpha.Values(), m.Out.Known()); got != "true [1 0.001 1] false" {
		t.Errorf("got %s", got)
	}
}
