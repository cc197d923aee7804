package history

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/dag"
)

// BenchmarkProfile measures what a watch pays once for the history of 50 runs of ten jobs with 500 maps each.
func BenchmarkProfile(b *testing.B) {
	w := &state.Workflow{Name: "a.pig"}
	for i := range maxRuns {
		p := plan("a.pig", 2, fmt.Sprint(i), "1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
		for j := range p.Jobs {
			v := make([]float64, 500)
			for t := range v {
				v[t] = float64(1000*i + t)
			}
			m := &p.Jobs[j].Stages[dag.Map]
			m.Tasks, m.Pipelines[0].Tuples, m.Out, m.Bytes, m.Extent = 500, dag.Each(v), dag.Each(v), dag.Each(v),
				dag.Each(v)
		}
		kept, _, err := encode(p)
		if err != nil {
			b.Fatal(err)
		}
		put(w, state.Run{ID: fmt.Sprint(i), State: "succeeded", TotalSeconds: 60, WatchedSeconds: 60, Profile: kept},
			false)
	}
	b.ReportAllocs()
	for b.Loop() {
		if p, n := Lines(w, "")[0].Profile(); p == nil || n != maxRuns {
			b.Fatal(n)
		}
	}
}

// BenchmarkMatch10000 measures the cost of the first observation of a query, with 50 stored runs of its script among
// 10,000 of 200 scripts of three jobs: the file is read, its runs are put into lines and weighed, the line that fits is
// found, and its profile made. Against: the file's bytes are read and taken apart as JSON.
func BenchmarkMatch10000(b *testing.B) {
	store, err := state.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	now := plan("a.pig", 2, "", "1", "2", "3")
	var raw []byte
	for i := range 200 {
		err := store.Update(fmt.Sprintf("%d.pig", i), func(w *state.Workflow) error {
			for k := range maxRuns {
				kept, _, err := encode(plan("a.pig", 2, fmt.Sprint(k), "1", "2", "3"))
				if err != nil {
					return err
				}
				put(w, state.Run{
					ID: fmt.Sprint(k), State: "succeeded", TotalSeconds: 60, WatchedSeconds: 60,
					Profile: kept,
				}, false)
			}
			raw, err = json.Marshal(w)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("match", func(b *testing.B) {
		for b.Loop() {
			w, err := store.Read("100.pig")
			if err != nil {
				b.Fatal(err)
			}
			if p, n := Best(Lines(w, "new"), now).Profile(); p == nil || n != maxRuns {
				b.Fatal(n)
			}
		}
	})
	b.Run("json", func(b *testing.B) {
		for b.Loop() {
			var w state.Workflow
			if err := json.Unmarshal(raw, &w); err != nil || len(w.Runs) != maxRuns {
				b.Fatal(err)
			}
		}
	})
}
