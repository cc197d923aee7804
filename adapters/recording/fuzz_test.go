package recording

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// FuzzReader feeds a reader anything. It must end without a panic, what it has read must be a plan with the state of
// each of its jobs, and it must go onto a tape and come back the same.
func FuzzReader(f *testing.F) {
	_, tape := short(f)
	f.Add(tape)
	f.Add(tape[:len(tape)/2])
	f.Add([]byte(`{"paratimer_recording":1}` + "\n" + `{"n":1,"t":1795222879638,"whole":true}` + "\n"))
	f.Add(edit(tape, func(l []string) []string { l[2], l[3] = l[3], l[2]; return l }))
	f.Add(edit(tape, func(l []string) []string { return slices.Insert(l, 3, l[1], "{}\n", "\n", "null\n") }))
	for _, line := range []string{
		`{"n":2,"t":null,"missed":"no"}`,
		`{"n":2,"t":1,"s":{"Plan":{"Jobs":null},"Jobs":null}}`,
		`{"n":2,"t":1,"s":{"Nodes":[{"Name":"\u00ff","MemoryMB":1,"Lost":true,"LostAt":null}],"Load":null,"Warnings":[]}}`,
		`{"n":2,"t":1,"lists":[{"job":0,"stage":0,"items":[{"i":0,"new":true,"set":{"Task":1,"Done":[1,null,"inf"]}},{"i":1,"cut":2}]}]}`,
		`{"n":2,"t":-9223372036854775808,"lists":[{"job":1,"stage":1,"items":[{"i":0,"new":true,"set":{"Task":2147483647,"Start":-9223372036854775808}}]}]}`,
		`{"n":2,"t":1,"s":{"Jobs":[{"Stages":[{},{}],"Groups":{"Origin":"tap","Maps":3}},{"Stages":[{},{}]}]},"lists":[{"job":0,"items":[{"i":0,"new":true},` +
			`{"i":1,"new":true,"set":{"Bytes":30,"Implicit":null,"Explicit":[{"Bytes":1},{"Count":3.5}],"Top":[{"Key":"#12","Bytes":9}],"Done+":[{"At":null,"Took":-3}]}}]}]}`,
		`{"n":2,"t":1,"s":{"Plan":{"Jobs":[{"Stages":[{},{"Out":[1,2],"Tasks":2,"After":[{}]}]},{"Stages":[{},{}]}]},"Warnings+":[{"code":"x"}]}}`,
	} {
		f.Add(edit(tape, func(l []string) []string { return append(l[:2], line+"\n") }))
	}
	const whole = `{"n":1,"t":1,"whole":true,"plan":{"jobs":2,"j":[{"i":0,"job":{"node":"a"}},{"i":1,"job":{"node":"b"}}]},"jobs":2}`
	for _, line := range []string{
		`{"n":2,"t":null,"missed":"no"}`,
		`{"n":2,"t":1,"plan":{"jobs":-1},"jobs":-1}`,
		`{"n":2,"t":1,"nodes":[{"name":{"hex":"ff"},"mb":1,"lost":true,"lost_at":null}],"load":null,"warnings":[]}`,
		`{"n":2,"t":1,"j":[{"i":0,"m":{"all":true,"a":[[0,16777216,0,3],[9,1,"0x7ff8000000000001"],[10,256,null],[11,8388608,"why"]]}}]}`,
		`{"n":2,"t":1,"j":[{"i":0,"m":{"x":[[0,0]],"a":[[0,16777217,1,1,"inf"]]}}]}`,
		`{"n":2,"t":-9223372036854775808,"j":[{"i":1,"r":{"a":[[2147483647,128,-9223372036854775808]]}}]}`,
		`{"n":2,"t":1,"j":[{"i":0,"g":{"whole":true,"origin":"tap","maps":3,"note":"a combiner","reduces":2,"r":[{"i":1,"b":30,"rest":null,"sizes":[1,[2,3.5]],` +
			`"top":[{"k":"#12","b":9}],"n":0,"d":[[-5,10,7],[0,null,1,2.5],[null,"inf",-3]],"open":1,"since":2,"key":"#1"},{"i":1,"keep":1,"d":[[3,4,5]]},{"i":0,"sizes":null,"keep":-1}]}}]}`,
		`{"n":2,"t":1,"plan":{"j":[{"i":0,"job":{"reduce":{"groups":{"reduces":3,"r":[{"i":2,"d":[[1,2,3]]}]}}}}]},"j":[{"i":1,"g":{"nil":true}}]}`,
	} {
		f.Add([]byte(`{"paratimer_tape":2}` + "\n" + whole + "\n" + line + "\n"))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			return
		}
		r.most, r.lines.limit = 2<<20, 100_000 // limits as real ones, only sooner
		var items []any
		for range 50 {
			s, err := r.Next(context.Background())
			var missed *dag.MissedError
			switch {
			case err == nil:
				walk(t, s)
				items = append(items, s)
			case errors.As(err, &missed):
				items = append(items, missed)
			case errors.Is(err, io.EOF):
				if !slices.ContainsFunc(items, func(i any) bool { _, ok := i.(*dag.Snapshot); return ok }) {
					t.Fatal("the end comes before any snapshot")
				}
			}
			if err != nil && missed == nil {
				break
			}
		}
		if len(items) == 0 {
			return
		}
		again := play(t, record(t, &script{items: slices.Clone(items)}))
		for i := range min(len(items), len(again)) {
			if d := unequal(items[i], again[i]); d != "" {
				t.Fatalf("observation %d: %s", i, d)
			}
		}
	})
}

// walk looks at all that an estimator does: the order of the plan's jobs, and each job's state beside its plan.
func walk(t *testing.T, s *dag.Snapshot) {
	t.Helper()
	if _, err := dag.NewGraph(s.Plan); err != nil {
		t.Fatalf("a plan that cannot be replayed: %v", err)
	}
	for j := range s.Plan.Jobs {
		for k := range s.Plan.Jobs[j].Stages {
			s.Plan.Jobs[j].Stages[k].Count()
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				if a.Task < 0 {
					t.Fatalf("job %d: an attempt of the task %d", j, a.Task)
				}
			}
		}
	}
	if len(s.Jobs) != len(s.Plan.Jobs) {
		t.Fatalf("the state of %d jobs of %d", len(s.Jobs), len(s.Plan.Jobs))
	}
}
