package profiles_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// trait returns a stage of 8 tasks that read 80 records, with the milliseconds of each task.
func trait(name string, ms float64) profiles.Trait {
	return profiles.Trait{Name: name, Tasks: 8, Records: 80, Length: ms}
}

// two are stages a and b of these lengths.
func two(a, b string, first, second float64) []profiles.Trait {
	return []profiles.Trait{trait(a, first), trait(b, second)}
}

func with(t profiles.Trait, change func(*profiles.Trait)) profiles.Trait {
	change(&t)
	return t
}

// TestPair checks which stage of a run is which of an earlier one if their numbers differ, and where that is in doubt.
func TestPair(t *testing.T) {
	t.Parallel()
	a, b, c := "b at F:1 [RDD 8]", "b at F:1 [RDD 9]", "b at F:1 [RDD 12]"
	many := func(x *profiles.Trait) { x.Records = 8000 }
	for _, x := range []struct {
		what       string
		run, known []profiles.Trait
		want       []int
		doubtful   [][]int
	}{
		{"as before", two(a, b, 6000, 2000), two(a, b, 6000, 2000), []int{0, 1}, nil},
		{"exchanged", two(a, b, 6000, 300), two(a, b, 300, 6000), []int{1, 0}, nil},
		{"one became slower", two(a, b, 6000, 4000), two(a, b, 6000, 2000), []int{0, 1}, nil},
		{
			"one became as slow as the other",
			two(a, b, 6000, 6000),
			two(a, b, 6000, 2000),
			[]int{0, 1},
			[][]int{{1}, {0}},
		},
		{
			"alike",
			two(a, b, 500, 900),
			two(a, b, 900, 500),
			[]int{0, 1},
			[][]int{{1}, {0}},
		},
		{
			"by records, though the lengths are exchanged",
			[]profiles.Trait{with(trait(a, 2000), many), trait(b, 6000)},
			[]profiles.Trait{with(trait(a, 6000), many), trait(b, 2000)},
			[]int{0, 1},
			nil,
		},
		{
			"another number of stages",
			[]profiles.Trait{trait(a, 6000), trait(b, 2000), with(trait(c, 6000), many)},
			[]profiles.Trait{with(trait(a, 6000), many), trait(b, 6000)},
			[]int{0, 1, -1},
			[][]int{{1}, {0}, nil},
		},
		{"numbers that neither has", two(a, b, 6000, 300), two(c, "b at F:1 [RDD 13]", 300, 6000), []int{1, 0}, nil},
		{"another place", []profiles.Trait{trait(a, 6000)}, []profiles.Trait{trait("b at F:2 [RDD 8]", 6000)}, []int{-1}, nil},
		{
			"nothing but names is known",
			[]profiles.Trait{{Name: a, Records: math.NaN(), Length: math.NaN()}},
			[]profiles.Trait{trait(a, 6000)},
			[]int{0},
			nil,
		},
		{"no stage", nil, nil, []int{}, nil},
	} {
		got := profiles.Pair(x.run, x.known)
		if x.doubtful == nil {
			x.doubtful = make([][]int, len(x.run))
		}
		if d := cmp.Diff(profiles.Pairing{Of: x.want, Doubtful: x.doubtful}, got); d != "" {
			t.Errorf("%s: %s", x.what, d)
		}
	}
}

// broadcasts is a profile with two stages that start at once, whose tasks take so long.
func broadcasts(first, second float64) *dag.Plan {
	p := application("run", false, "b at F:1 [RDD 8]", "b at F:1 [RDD 9]")
	p.Jobs[0].Stages[1].After = nil
	for k, ms := range []float64{first, second} {
		s := &p.Jobs[0].Stages[k]
		s.Extent = dag.Uniform(ms)
		s.Pipelines = []dag.Pipeline{{Tuples: dag.Uniform(10), Alpha: dag.Uniform(ms / 10)}}
	}
	return p
}

// TestExchangedStages checks that two stages that exchange their numbers from run to run are learned and recognized by
// their work.
func TestExchangedStages(t *testing.T) {
	t.Parallel()
	merged, ok := profiles.Merge([]*dag.Plan{broadcasts(6000, 300), broadcasts(6000, 300), broadcasts(300, 6000)}, nil)
	if !ok {
		t.Fatal("they do not fit")
	}
	for k, want := range []float64{30, 600} {
		if got := merged.Jobs[0].Stages[k].Pipelines[0].Alpha.At(0); math.Abs(got-want) > 1e-6 {
			t.Errorf("stage %d: %v ms a record, want %v", k, got, want)
		}
	}
	run := broadcasts(0, 0)
	states := run.BlockedJobs()
	states[0].State = dag.Running
	for task := range int32(4) {
		states[0].Stages[0].Attempts = append(states[0].Stages[0].Attempts, dag.Attempt{
			Task: task, State: dag.AttemptSucceeded, Start: 1000, End: 1310, Done: [dag.Pipelines]float64{10},
		})
	}
	for k := range run.Jobs[0].Stages {
		run.Jobs[0].Stages[k].Extent, run.Jobs[0].Stages[k].Pipelines = dag.Series{}, nil
	}
	s := profiles.Attach(&dag.Snapshot{Plan: run, State: dag.Running, Jobs: states}, []*dag.Plan{broadcasts(6000, 300)})
	for name, want := range map[string]float64{"b at F:1 [RDD 8]": 300, "b at F:1 [RDD 9]": 6000} {
		if got := profiles.Stage(&s.Profiles[0].Jobs[0], name).Extent.At(0); got != want {
			t.Errorf("%s: %v ms a task, want %v", name, got, want)
		}
	}
	if strings.Contains(strings.Join(names(s.Plan), " "), "'") {
		t.Errorf("stages %q", names(s.Plan))
	}
}

// TestPairRepeated checks that the beginning of a run of a program that repeats its stages is paired with the beginning
// of the other run, though its scans have as many tasks as later ones there.
func TestPairRepeated(t *testing.T) {
	t.Parallel()
	stages := func(queries int, scan float64) (all []profiles.Trait) {
		for q := range queries {
			for k, tasks := range []float64{scan, 12, float64(6 - q)} {
				all = append(all, profiles.Trait{
					Name: fmt.Sprintf("parquet at F:0 [RDD %d]", 20*q+4*k), Tasks: tasks, Reads: k > 0,
					Records: math.NaN(), Length: math.NaN(), After: fmt.Sprint(q, k),
				})
			}
		}
		return all
	}
	run := stages(2, 22)
	for k := range run { // what is made between stages has other numbers
		run[k].Name = fmt.Sprintf("parquet at F:0 [RDD %d]", 100+k)
	}
	known := stages(5, 12)
	for k := 6; k < len(known); k += 3 {
		known[k].Tasks = 22
	}
	if got, want := profiles.Pair(run, known).Of, []int{0, 1, 2, 3, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("paired with %v, want %v", got, want)
	}
}
