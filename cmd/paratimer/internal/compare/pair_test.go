package compare

import (
	"fmt"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// A broadcast is a stage of eight tasks of equal length at one place in the program.
type broadcast struct {
	rdd     int
	ms      float64
	records float64 // of each task
}

// broadcasts is a run of an application of these stages, which start at once.
func broadcasts(day int, stages ...broadcast) *Run {
	start := dag.Instant(day * 86_400_000)
	r := &Run{
		From: fmt.Sprint("run", day), State: dag.Succeeded, Start: start, Length: 20_000,
		Plan: &dag.Plan{Name: "load", Jobs: []dag.Job{{Node: "application"}}}, Jobs: make([]Job, 1),
	}
	for _, s := range stages {
		name := fmt.Sprintf("broadcast at FutureTask.java:266 [RDD %d]", s.rdd)
		r.Plan.Jobs[0].Stages = append(r.Plan.Jobs[0].Stages, dag.Stage{Name: name, Tasks: 8, Known: true})
		phase := Phase{Stage: Stage{Name: name, Tasks: new(8)}}
		for task := range 8 {
			took := s.ms * (1 + 0.001*float64(task))
			phase.Took = append(phase.Took, Took{
				Task: task, Start: start, End: start + dag.Instant(took), Length: took, Work: took, Records: s.records,
			})
		}
		r.Jobs[0].Phases = append(r.Jobs[0].Phases, phase)
	}
	return r
}

// TestExchangedStages checks that stages of one place in the program are compared by their work, whatever number they
// have in a run, and that nothing is claimed of one that could be another.
func TestExchangedStages(t *testing.T) {
	t.Parallel()
	long, short := broadcast{8, 6000, 10}, broadcast{9, 300, 10}
	for _, c := range []struct {
		what   string
		last   []broadcast
		slower []string // RDDs of the last run
		faster []string
	}{
		{"as before", []broadcast{long, short}, nil, nil},
		{"exchanged", []broadcast{{8, 300, 10}, {9, 6000, 10}}, nil, nil},
		{"exchanged, and the long one is slower", []broadcast{{8, 300, 10}, {9, 9000, 10}}, []string{"9"}, nil},
		{"in the other order", []broadcast{short, long}, nil, nil},
		{"other numbers", []broadcast{{18, 300, 10}, {19, 6000, 10}}, nil, nil},
		{"one more, of other data", []broadcast{{8, 300, 10}, {9, 6000, 10}, {10, 6000, 999}}, nil, nil},
		{"one less", []broadcast{{8, 300, 10}}, nil, nil},
		{"both slower", []broadcast{{8, 12_000, 10}, {9, 3000, 10}}, []string{"8", "9"}, nil},
		{"the short one is as slow as the long one: it may be the long one", []broadcast{long, {9, 6000, 10}}, nil, nil},
		{"the short one is slower than the long one was", []broadcast{long, {9, 12_000, 10}}, []string{"9"}, nil},
		{"both faster", []broadcast{{8, 3000, 10}, {9, 100, 10}}, nil, []string{"8"}},
	} {
		var runs []*Run
		for day := range 3 {
			runs = append(runs, broadcasts(day, long, short))
		}
		runs = append(runs, broadcasts(4, c.last...))
		got, err := Compare(runs, 0)
		if err != nil {
			t.Fatal(err)
		}
		var slower, faster []string
		for _, f := range got.Findings {
			var rdd int
			if _, err := fmt.Sscanf(f.Phase, "broadcast at FutureTask.java:266 [RDD %d]", &rdd); err != nil {
				t.Fatalf("%q: %v", f.Phase, err)
			}
			if f.Slower {
				slower = append(slower, fmt.Sprint(rdd))
			} else {
				faster = append(faster, fmt.Sprint(rdd))
			}
		}
		if !slices.Equal(slower, c.slower) || !slices.Equal(faster, c.faster) ||
			got.Regressed != (len(c.slower) > 0) {
			t.Errorf("%s: slower %v, faster %v; want %v, %v", c.what, slower, faster, c.slower, c.faster)
		}
	}
}
