package profiles_test

import (
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// application is an open plan with stages of these names, each of four tasks, one after the other.
func application(name string, open bool, stages ...string) *dag.Plan {
	p := &dag.Plan{
		Name: name, Engine: "Spark", Whole: dag.Whole{Name: "application", Part: "stage", Parts: "stages"},
		Open: open, Cluster: dag.Cluster{Policy: dag.Executors, Cores: 4},
		Driver: dag.Eager, Jobs: []dag.Job{{Node: "application"}},
	}
	for k, stage := range stages {
		s := dag.Stage{Name: stage, Tasks: 4, Known: true, Extent: dag.Uniform(1000)}
		if k > 0 {
			s.After = []dag.Edge{{From: dag.StageIndex(k - 1)}}
		}
		p.Jobs[0].Stages = append(p.Jobs[0].Stages, s)
	}
	return p
}

// attached returns the plan of a run that has submitted these stages, with a profile.
func attached(profile *dag.Plan, stages ...string) *dag.Snapshot {
	p := application("run", true, stages...)
	return profiles.Attach(&dag.Snapshot{Plan: p, State: dag.Running, Jobs: p.BlockedJobs()}, []*dag.Plan{profile})
}

func names(p *dag.Plan) []string {
	var out []string
	for _, s := range p.Jobs[0].Stages {
		out = append(out, s.Name)
	}
	return out
}

// TestOpenPlan checks that a profile has the stages to come of an application, which is known by its places in the
// program.
func TestOpenPlan(t *testing.T) {
	t.Parallel()
	profile := application("other name", false, "map at A:1 [RDD 2]", "map at A:2 [RDD 5]", "sum at A:3 [RDD 7]",
		"sum at A:3 [RDD 9]")
	for _, c := range []struct {
		what   string
		stages []string
		want   []string
		open   bool
	}{
		{"the first stage", []string{"map at A:1 [RDD 2]"}, []string{
			"map at A:1 [RDD 2]", "map at A:2 [RDD 5]",
			"sum at A:3 [RDD 7]", "sum at A:3 [RDD 9]",
		}, false},
		{
			"other numbers",
			[]string{"map at A:1 [RDD 3]", "map at A:2 [RDD 6]"},
			[]string{"map at A:1 [RDD 3]", "map at A:2 [RDD 6]", "sum at A:3 [RDD 7]", "sum at A:3 [RDD 9]"},
			false,
		},
		{
			"one that was left out",
			[]string{"map at A:1 [RDD 2]", "sum at A:3 [RDD 7]"},
			[]string{"map at A:1 [RDD 2]", "sum at A:3 [RDD 7]", "sum at A:3 [RDD 9]"},
			false,
		},
		{
			"one that the profile does not have",
			[]string{"map at A:1 [RDD 2]", "map at A:9 [RDD 5]"},
			[]string{
				"map at A:1 [RDD 2]", "map at A:9 [RDD 5]", "map at A:2 [RDD 5]", "sum at A:3 [RDD 7]",
				"sum at A:3 [RDD 9]",
			},
			true,
		},
		{"another program", []string{"map at B:1 [RDD 2]"}, []string{"map at B:1 [RDD 2]"}, true},
	} {
		s := attached(profile, c.stages...)
		if got := names(s.Plan); !slices.Equal(got, c.want) || s.Plan.Open != c.open ||
			len(s.Jobs[0].Stages) != len(got) {
			t.Errorf("%s: stages %q, open %v, %d states; want %q, %v", c.what, got, s.Plan.Open, len(s.Jobs[0].Stages),
				c.want, c.open)
		}
	}
	if s := attached(profile, "map at A:1 [RDD 2]"); profiles.Find(s) == nil {
		t.Error("the profile that fits is not found")
	}
}
