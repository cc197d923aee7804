package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// vertexPlan is a job of Tez on containers for so many tasks at once.
func vertexPlan(containers int, stages ...dag.Stage) *dag.Plan {
	for k := range stages {
		stages[k].Known, stages[k].MemoryMB = true, 256
	}
	return &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 256 * (containers + 1)},
		Jobs:    []dag.Job{{Node: "dag", Rules: dag.AncestorsFirst, Stages: stages, MasterMB: 256}},
	}
}

func reads(kind dag.EdgeKind, ratio, full float64, from ...dag.StageIndex) []dag.Edge {
	var out []dag.Edge
	for _, f := range from {
		out = append(out, dag.Edge{From: f, Kind: kind, Ratio: ratio, Full: full})
	}
	return out
}

// tenSeconds is the work of every task; a container takes two more to be launched.
func tenSeconds(t Task) Cost {
	c := Cost{Work: 10 * time.Second, Same: 1}
	if t.Cold {
		c.Setup = 2 * time.Second
	}
	return c
}

// TestAncestorsFirst checks what Tez' master does, in schedules that were made by hand.
func TestAncestorsFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		plan *dag.Plan
		want string // by stage: when its tasks start and end, in seconds
	}{
		{"containers are used again", vertexPlan(2, dag.Stage{Name: "a", Tasks: 4}), "a 0-12 0-12 12-22 12-22"},
		{
			"the distance from the roots counts, not the order of the plan",
			vertexPlan(2,
				dag.Stage{Name: "a", Tasks: 3}, dag.Stage{Name: "b", Tasks: 1, After: reads(dag.SlowStart, 0.3, 0.3,
					0)}, dag.Stage{Name: "c", Tasks: 1}),
			"a 0-12 0-12 12-22 | b 22-32 | c 12-22",
		},
		{
			"between two ratios a share is asked for: one of four at 3/8, all at 6/8; they work once the last source has ended",
			vertexPlan(8, dag.Stage{Name: "uneven", Tasks: 8},
				dag.Stage{Name: "b", Tasks: 4, After: reads(dag.SlowStart, 0.25, 0.75, 0)}),
			"uneven 0-12 0-13 0-14 0-15 0-16 0-17 0-18 0-19 | b 14-29 15-29 16-29 17-29",
		},
		{
			"readers of a broadcast hold containers until it has come",
			vertexPlan(3, dag.Stage{Name: "a", Tasks: 1},
				dag.Stage{Name: "b", Tasks: 2, After: reads(dag.Broadcast, 0, 0, 0)}),
			"a 0-12 | b 0-22 0-22",
		},
	} {
		for _, lean := range []bool{false, true} {
			opt := Options{}
			if lean {
				opt.EndOnly = new(EndOnly)
			}
			left := func(t Task) Cost {
				cost := tenSeconds(t)
				if c.plan.Jobs[0].Stages[t.Stage].Name == "uneven" {
					cost.Work += time.Duration(t.Index) * time.Second
				}
				return cost
			}
			sch := mustReplay(t, blankSnapshot(c.plan), left, opt)
			if lean {
				full := mustReplay(t, blankSnapshot(c.plan), left, Options{})
				if sch.End != full.End {
					t.Errorf("%s: a lean replay ends at %d, a full one at %d", c.what, sch.End, full.End)
				}
				continue
			}
			if got := stagesOf(c.plan, sch); got != c.want {
				t.Errorf("%s:\n got %s\nwant %s", c.what, got, c.want)
			}
		}
	}
}

func stagesOf(p *dag.Plan, sch *Schedule) string {
	var all []string
	for k := range p.Jobs[0].NumStages() {
		text := p.Jobs[0].Stages[k].Name
		for _, sp := range spansOf(sch, 0, k) {
			for range sp.Count {
				text += fmt.Sprintf(" %d-%d", sp.Start/1000, sp.End/1000)
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, " | ")
}

// TestIdleContainers are kept for so long and not longer, and those that a snapshot shows are used.
func TestIdleContainers(t *testing.T) {
	t.Parallel()
	plan := vertexPlan(2,
		dag.Stage{Name: "a", Tasks: 2}, dag.Stage{Name: "b", Tasks: 1, After: reads(dag.Barrier, 0, 0, 0)},
		dag.Stage{Name: "c", Tasks: 2, After: reads(dag.Barrier, 0, 0, 1)})
	// b runs for ten seconds beside an idle container.
	for idle, want := range map[time.Duration]string{
		0:               "a 0-12 0-12 | b 12-22 | c 22-32 22-32",
		5 * time.Second: "a 0-12 0-12 | b 12-22 | c 22-32 22-34",
	} {
		p := *plan
		p.Overheads.Idle = idle
		if got := stagesOf(&p, mustReplay(t, blankSnapshot(&p), tenSeconds, Options{})); got != want {
			t.Errorf("kept for %v:\n got %s\nwant %s", idle, got, want)
		}
	}
	for held, want := range map[int]dag.Instant{256 * 3: 40_000, 256 * 2: 42_000} {
		s := blankSnapshot(plan)
		s.At = 25_000
		js := &s.Jobs[0]
		js.State, js.Submitted, js.Started, js.HeldMB = dag.Running, 0, 0, held
		ended := func(task int32, slot int32, start, end dag.Instant) dag.Attempt {
			return dag.Attempt{Task: task, Slot: slot, Node: -1, State: dag.AttemptSucceeded, Start: start, End: end}
		}
		js.Stages[0].Attempts = []dag.Attempt{ended(0, 0, 0, 12_000), ended(1, 1, 0, 24_000)}
		running := ended(0, 0, 24_000, dag.NoInstant)
		running.State = dag.AttemptRunning
		js.Stages[1].Attempts = []dag.Attempt{running}
		left := func(t Task) Cost {
			if t.Running != nil {
				return Cost{Work: 5 * time.Second, Same: 1}
			}
			return tenSeconds(t)
		}
		if sch := mustReplay(t, s, left, Options{}); sch.End != want {
			t.Errorf("holding %d MB the run ends at %d, want %d", held, sch.End, want)
		}
	}
}
