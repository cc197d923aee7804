package simulate

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// drawYARN draws a plan for containers: each node has room for every job's master and a task, so that masters
// alone cannot fill what trouble leaves of the cluster.
func drawYARN(t *rapid.T) *dag.Plan {
	p := drawPlan(t)
	o := &p.Overheads
	for _, d := range []*time.Duration{
		&o.AMStart, &o.Beat, &o.Finish, &o.Wave, &o.Stagger, &o.Handoff, &o.AMHold,
		&o.Copy, &o.SetupMin, &o.SetupPer, &o.Cold,
	} {
		*d = millis(rapid.SampledFrom([]int64{0, 0, 300, 1000, 2500}).Draw(t, "overhead"))
	}
	o.Launch = o.AMStart + millis(rapid.Int64Range(0, 3000).Draw(t, "launch"))
	mb := 256 * rapid.IntRange(9, 14).Draw(t, "memory")
	p.Cluster = dag.Cluster{Policy: dag.YARN, MemoryMB: mb}
	for n := range rapid.IntRange(0, 4).Draw(t, "nodes") {
		p.Cluster.MemoryMB = (n + 1) * mb
		p.Cluster.Nodes = append(p.Cluster.Nodes, dag.Node{Name: string(rune('A' + n)), MemoryMB: mb, Slow: float64(n)})
	}
	for j := range p.Jobs {
		p.Jobs[j].MasterMB = 512
		p.Jobs[j].MapReduce = dag.MapReduceLimits{
			MapMB: 256, ReduceMB: 256,
			SlowStart: rapid.SampledFrom([]float64{0.05, 1}).Draw(t, "slow start"), RampUp: 0.5,
		}
	}
	return p
}

// drawPlan draws a plan that can be played: a few jobs, uneven sizes, pipelines that take no time.
func drawPlan(t *rapid.T) *dag.Plan {
	p := &dag.Plan{Name: "drawn", Cluster: dag.Cluster{
		MapSlots: rapid.IntRange(1, 6).Draw(t, "map slots"), ReduceSlots: rapid.IntRange(1, 6).Draw(t, "reduce slots"),
		SlotsPerNode: rapid.IntRange(0, 3).Draw(t, "slots per node"),
		Setup:        millis(rapid.Int64Range(0, 3000).Draw(t, "setup")),
	}}
	for j := range rapid.IntRange(1, 4).Draw(t, "jobs") {
		job := dag.Job{Node: string(rune('a' + j)), Stages: dag.MapReduce(drawPhase(t, 1), drawPhase(t, dag.Pipelines))}
		for a := range j {
			if rapid.Bool().Draw(t, "after") {
				job.After = append(job.After, a)
			}
		}
		p.Jobs = append(p.Jobs, job)
	}
	return p
}

func drawPhase(t *rapid.T, pipes int) dag.Stage {
	p := dag.Stage{Known: true, Tasks: rapid.IntRange(0, 9).Draw(t, "tasks")}
	for range pipes {
		p.Pipelines = append(p.Pipelines, dag.Pipeline{
			Tuples: drawSeries(t, p.Tasks, 0, 2000),
			Alpha:  dag.Uniform(rapid.SampledFrom([]float64{0, 0.5, 3, 25}).Draw(t, "alpha")),
		})
	}
	if rapid.Bool().Draw(t, "out") {
		p.Out = drawSeries(t, p.Tasks, 0, 500)
	}
	if pipes == dag.Pipelines && rapid.Bool().Draw(t, "keyed") {
		p.Groups = drawGroups(t, p.Tasks)
	}
	return p
}

// drawGroups draws all key groups of n tasks and some of their times.
func drawGroups(t *rapid.T, n int) *dag.Groups {
	g := &dag.Groups{Origin: dag.GroupsComplete}
	for range n {
		r := dag.NoReduceGroups()
		r.Bytes, r.Implicit = 0, 0
		for _, bytes := range [...]float64{0, 10, 40, 300, 20_000} {
			if count := float64(rapid.SampledFrom([]int{0, 0, 1, 3, 250}).Draw(t, "groups")); count > 0 {
				if bytes > 1000 {
					count = min(count, 3)
				}
				r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: bytes, Count: count})
				r.Top = append([]dag.KeyGroup{{Key: rapid.StringMatching("#[0-9a-f]{4}").Draw(t, "key"), Bytes: bytes}},
					r.Top...)
				r.Bytes += bytes * count
			}
		}
		if rapid.Bool().Draw(t, "timed") {
			bytes := float64(rapid.IntRange(1000, 30_000).Draw(t, "of bytes"))
			r.Done = append(r.Done, dag.GroupPoint{
				At: dag.NoInstant, Bytes: bytes,
				Took: millis(rapid.Int64Range(0, 300).Draw(t, "took")), Count: 1,
			})
		}
		g.Reduces = append(g.Reduces, r)
	}
	return g
}

func drawSeries(t *rapid.T, n, lo, hi int) dag.Series {
	if rapid.Bool().Draw(t, "uniform") {
		return dag.Uniform(float64(rapid.IntRange(lo, hi).Draw(t, "each")))
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(rapid.IntRange(lo, hi).Draw(t, "one"))
	}
	return dag.Each(v)
}

// drawOptions draws trouble of all kinds.
func drawOptions(t *rapid.T, p *dag.Plan) Options {
	o := Options{
		Seed: rapid.Uint64().Draw(t, "seed"), Know: Know(rapid.IntRange(0, 2).Draw(t, "know")),
		Start:      dag.Instant(rapid.SampledFrom([]int64{0, 1_700_000_000_123}).Draw(t, "start")),
		Every:      millis(rapid.Int64Range(500, 7000).Draw(t, "every")),
		Noise:      rapid.SampledFrom([]float64{0, 0, 0.02, 0.5}).Draw(t, "noise"),
		Family:     rapid.SampledFrom([]Family{nil, Gamma}).Draw(t, "family"),
		Speed:      rapid.SampledFrom([]float64{0, 0, 0.3}).Draw(t, "speed"),
		SetupNoise: rapid.SampledFrom([]float64{0, 0, 0.5}).Draw(t, "setup noise"),
		Stall:      rapid.SampledFrom([]time.Duration{0, 0, 5 * time.Second}).Draw(t, "stall"),
		Skew:       rapid.SampledFrom([]float64{0, 0, 0.5, 1}).Draw(t, "skew"),
		Shuffle:    rapid.Bool().Draw(t, "shuffle"),
		Groups:     dag.GroupOrigin(rapid.IntRange(0, int(dag.GroupsComplete)).Draw(t, "groups")),
		Lambda:     rapid.SampledFrom([]int{0, 1, 5, 300}).Draw(t, "lambda"),
		FailRate:   rapid.SampledFrom([]float64{0, 0, 20, 300}).Draw(t, "fail rate"),
	}
	nodes := nodeCount(p)
	for range rapid.IntRange(0, min(1, nodes)).Draw(t, "slow nodes") {
		o.Slow = append(o.Slow, SlowNode{rapid.IntRange(0, nodes-1).Draw(t, "slow"), rapid.Float64Range(0.5, 4).Draw(t,
			"factor")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "failures") {
		j := rapid.IntRange(0, len(p.Jobs)-1).Draw(t, "fails")
		k := dag.StageIndex(rapid.IntRange(0, 1).Draw(t, "kind"))
		if n := p.Jobs[j].Stages[k].Tasks; n > 0 {
			o.Fail = append(o.Fail, Failure{
				Job: p.Jobs[j].Node, Stage: k, Task: rapid.IntRange(0, n-1).Draw(t, "task"),
				At:    millis(rapid.Int64Range(0, 60_000).Draw(t, "at")),
				After: millis(rapid.Int64Range(0, 1).Draw(t, "after?") * 2000),
			})
		}
	}
	// Node 0 stays, so that there is always a slot of either kind.
	for range rapid.IntRange(0, 2).Draw(t, "losses") {
		if nodes > 1 {
			o.Lose = append(o.Lose, LostNode{
				rapid.IntRange(1, nodes-1).Draw(t, "lost"), millis(rapid.Int64Range(0, 60_000).Draw(t, "lost at")),
				millis(rapid.Int64Range(0, 20_000).Draw(t, "detect")),
			})
		}
	}
	return o
}

// begin returns a map of the first job that starts on a node of a FIFO cluster, and its set-up.
func begin(w *simulation, task, node int) (*attempt, time.Duration) {
	w.attempts = map[attemptKey]*attempt{}
	cost := w.left(schedule.Task{Index: task, Node: node, Slot: node * int(w.perNode())})
	return w.attempts[w.keyOf(0, dag.Map, int32(task), 0)], cost.Setup
}

// A run's pace multiplies all its work, noise on set-ups changes nothing else.
func TestPaceAndSetups(t *testing.T) {
	p := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 1, Setup: 10 * time.Second},
		Jobs: []dag.Job{{Node: "a", Stages: dag.MapReduce(dag.Stage{
			Tasks: 6, Known: true, Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(20)}},
		}, dag.Stage{Known: true})}},
	}
	work := func(o Options) (work, setups []int64) {
		for i := range 6 {
			a, setup := begin(newSimulation(p, &o), i, 0)
			work = append(work, a.work)
			setups = append(setups, setup.Milliseconds())
		}
		return work, setups
	}
	base, setups := work(Options{Seed: 3})
	paced, same := work(Options{Seed: 3, Speed: 0.5})
	if ratio := float64(paced[0]) / float64(base[0]); ratio == 1 ||
		slices.ContainsFunc(paced, func(w int64) bool { return w != paced[0] }) || !slices.Equal(setups, same) {
		t.Errorf("a pace makes work %v of %v and set-ups %v of %v", paced, base, same, setups)
	}
	same, varied := work(Options{Seed: 3, SetupNoise: 0.5, Family: Gamma})
	if !slices.Equal(same, base) || slices.Equal(varied, setups) || varied[0] == varied[1] {
		t.Errorf("noise on set-ups makes work %v of %v and set-ups %v of %v", same, base, varied, setups)
	}
}
