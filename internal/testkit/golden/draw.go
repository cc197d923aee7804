package golden

import (
	"math/rand/v2"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Draw returns a small random case without expectations: up to five jobs in any plan order, uniform and varied
// phases, some tasks of length 0, few slots, and tolerances about as long as tasks.
func Draw(t *rapid.T) *Case {
	n := rapid.IntRange(1, 5).Draw(t, "jobs")
	c := &Case{Name: "drawn", Slowdown: [4]float64{1, 1, 1, 1}}
	c.Delta1 = ms(rapid.SampledFrom([]int{0, 0, 10, 25, 200}).Draw(t, "delta1"))
	c.Delta2 = ms(rapid.SampledFrom([]int{0, 15, 200}).Draw(t, "delta2"))
	c.Plan = &dag.Plan{Jobs: make([]dag.Job, n), Cluster: dag.Cluster{
		MapSlots:     rapid.IntRange(1, 7).Draw(t, "map slots"),
		ReduceSlots:  rapid.IntRange(1, 5).Draw(t, "reduce slots"),
		SlotsPerNode: rapid.IntRange(1, 3).Draw(t, "slots per node"),
		Setup:        ms(rapid.SampledFrom([]int{0, 0, 5}).Draw(t, "setup")),
	}}
	first := make([]int, n)
	for i := range first {
		first[i] = i
	}
	order := rapid.Permutation(first).Draw(t, "plan order")
	for at, j := range order {
		job := &c.Plan.Jobs[j]
		job.Node = "j" + string(rune('1'+j))
		for _, a := range order[:at] {
			if rapid.IntRange(0, 3).Draw(t, "after") == 0 {
				job.After = append(job.After, a)
			}
		}
		job.Stages = dag.MapReduce(drawPhase(t, 10, 1), drawPhase(t, 6, 3))
	}
	return c
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func drawPhase(t *rapid.T, most, pipes int) dag.Stage {
	p := dag.Stage{Known: true, Tasks: rapid.IntRange(0, most).Draw(t, "tasks")}
	uniform := rapid.Bool().Draw(t, "uniform")
	for range pipes {
		sizes := dag.Uniform(float64(rapid.IntRange(0, 4).Draw(t, "tens") * 10))
		if !uniform {
			each := make([]float64, p.Tasks)
			for i := range each {
				each[i] = float64(rapid.IntRange(0, 40).Draw(t, "tuples"))
			}
			sizes = dag.Each(each)
		}
		p.Pipelines = append(p.Pipelines,
			dag.Pipeline{Tuples: sizes, Alpha: dag.Uniform(rapid.SampledFrom([]float64{1, 0.37}).Draw(t, "alpha"))})
	}
	return p
}

// DrawFault returns a fault that makes some first to third attempts fail at random times. It is deterministic for
// each attempt.
func DrawFault(t *rapid.T) schedule.Fault {
	seed := rapid.Uint64().Draw(t, "fault seed")
	percent := rapid.SampledFrom([]int{0, 10, 40}).Draw(t, "percent of attempts that fail")
	return func(x schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		r := rand.New(rand.NewPCG(seed, uint64(x.Job)<<48|uint64(x.Stage)<<40|uint64(x.Index)<<8|uint64(x.Attempt)))
		if x.Attempt > 2 || r.IntN(100) >= percent {
			return 0, false
		}
		return start + dag.Instant(r.Int64N(int64(end-start)+1)), true
	}
}

// PhaseOf makes a phase of equal tasks; costs are alternately tuples and alpha of each pipeline.
func PhaseOf(n int, tuplesAndAlpha ...float64) dag.Stage {
	p := dag.Stage{Tasks: n, Known: true}
	for i := 0; i < len(tuplesAndAlpha); i += 2 {
		p.Pipelines = append(p.Pipelines, dag.Pipeline{
			Tuples: dag.Uniform(tuplesAndAlpha[i]),
			Alpha:  dag.Uniform(tuplesAndAlpha[i+1]),
		})
	}
	return p
}

// OneJob has four maps of 10 s on two slots, then two reduces of 20 s.
func OneJob() *dag.Plan {
	return &dag.Plan{Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 2}, Jobs: []dag.Job{
		{Node: "j1", Stages: dag.MapReduce(PhaseOf(4, 1000, 10), PhaseOf(2, 0, 0, 0, 0, 1000, 20))},
	}}
}
