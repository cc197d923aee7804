package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// joinOf is the plan of examples/pig-join.yaml, its records and costs scaled.
func joinOf(t *testing.T, records, cost float64) *dag.Plan {
	t.Helper()
	p, err := planfile.ReadFile("../../../../examples/pig-join.yaml", planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for j := range p.Jobs {
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			ph := &p.Jobs[j].Stages[k]
			ph.Out = scaled(ph.Out, records)
			ph.Bytes = scaled(ph.Bytes, records)
			for i := range ph.Pipelines {
				ph.Pipelines[i].Tuples = scaled(ph.Pipelines[i].Tuples, records)
				ph.Pipelines[i].Alpha = scaled(ph.Pipelines[i].Alpha, cost)
			}
		}
	}
	return p
}

func scaled(s dag.Series, by float64) dag.Series {
	switch {
	case !s.Known():
		return s
	case s.IsUniform():
		return dag.Uniform(math.Round(s.At(0)*by*1e6) / 1e6)
	}
	out := make([]float64, len(s.Values()))
	for i, v := range s.Values() {
		out[i] = math.Round(v * by)
	}
	return dag.Each(out)
}

var hour = dag.InstantOf(time.Date(2026, 11, 1, 1, 0, 0, 0, time.UTC))

// night simulates the plan once; n is the night, from which the seed is.
func night(t *testing.T, p *dag.Plan, n int, o simulate.Options) *Run {
	t.Helper()
	o.Seed, o.Start, o.Know = uint64(n)+1, hour+dag.Instant(n)*86_400_000, simulate.Nothing
	src, err := simulate.New(p, o)
	if err != nil {
		t.Fatal(err)
	}
	var run dag.Run
	var all Collector
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		run = run.Append(s)
		all.See(s)
	}
	r, err := all.Run(fmt.Sprintf("night-%d", n), run, cost.With(cost.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// usual is how nights differ: each task's work, and all of a night's.
var usual = simulate.Options{Every: time.Second, Noise: 0.05, Speed: 0.03, SetupNoise: 0.2}
