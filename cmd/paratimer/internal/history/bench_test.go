package history

import (
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/dag"
)

// BenchmarkProfile is what a watch pays once for the history of 50 runs of ten jobs with 500 maps each.
func BenchmarkProfile(b *testing.B) {
	w := &state.Workflow{Name: "a.pig"}
	for i := range maxRuns {
		p := plan("a.pig", 2, fmt.Sprint(i), "1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
		for j := range p.Jobs {
			v := make([]float64, 500)
			for t := range v {
				v[t] = float64(1000*i + t)
			}
			m := &p.Jobs[j].Map
			m.Tasks, m.Pipelines[0].Tuples, m.Out, m.Bytes, m.Extent = 500, dag.Each(v), dag.Each(v), dag.Each(v), dag.Each(v)
		}
		kept, _, err := encode(p)
		if err != nil {
			b.Fatal(err)
		}
		put(w, state.Run{ID: fmt.Sprint(i), State: "succeeded", TotalSeconds: 60, WatchedSeconds: 60, Profile: kept}, false)
	}
	b.ReportAllocs()
	for b.Loop() {
		if p, n := Lines(w, "")[0].Profile(); p == nil || n != maxRuns {
			b.Fatal(n)
		}
	}
}
