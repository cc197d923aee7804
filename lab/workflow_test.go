package main

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
)

// A workflow is a script that runs repeatedly on one cluster. It has what the runs have in common.
type workflow struct {
	seed   uint64
	number int
	plan   *dag.Plan
	habits simulate.Options // sigmas, the family, the failure rate and the skew of every run
	runs   int
	grow   float64 // growth of its data per run
	vary   float64 // sigma of the size of a run's data
	split  bool    // more data means more maps, not larger ones
	slow   float64 // probability that a node is slow
	lose   float64 // probability that a node is lost
}

// Each workflow has fewestRuns to mostRuns runs.
const fewestRuns, mostRuns = 40, 80

// draws returns a random generator for run number run of workflow n, or for the workflow itself (run -1).
func draws(seed uint64, n, run int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(n)<<32|uint64(uint32(run))))
}

func newWorkflow(seed uint64, number int) *workflow {
	r := draws(seed, number, -1)
	w := &workflow{
		seed: seed, number: number, runs: fewestRuns + r.IntN(mostRuns-fewestRuns+1),
		grow: pick(r, 0, 0, 0.003), vary: pick(r, 0, 0.05, 0.15), split: r.IntN(2) == 0,
		slow: pick(r, 0, 0.1, 0.3), lose: pick(r, 0, 0, 0.03),
		habits: simulate.Options{
			Know: simulate.Nothing, Family: families[r.IntN(len(families))],
			Noise: between(r, 0.05, 0.5), Speed: between(r, 0, 0.25), SetupNoise: between(r, 0, 0.3),
			Skew: pick(r, 0, 0, 0.4, 0.8), Shuffle: r.IntN(2) == 0,
		},
	}
	w.plan = drawPlan(r, "workflow-"+strconv.Itoa(number))
	hours := 0.0
	for j := range w.plan.Jobs {
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			p := &w.plan.Jobs[j].Stages[k]
			for _, pipe := range p.Pipelines {
				hours += float64(p.Tasks) * pipe.Tuples.At(0) * pipe.Alpha.At(0) / float64(time.Hour/time.Millisecond)
			}
		}
	}
	w.habits.FailRate = pick(r, 0, 0.5, 2) / hours // failures per run
	return w
}

func pick(r *rand.Rand, of ...float64) float64 { return of[r.IntN(len(of))] }

func between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

// drawPlan draws a DAG, and a cluster with slots or with memory.
func drawPlan(r *rand.Rand, name string) *dag.Plan {
	p := &dag.Plan{Name: name}
	nodes := 2 + r.IntN(4)
	if r.IntN(2) == 0 {
		slots := 1 + r.IntN(3)
		p.Cluster = dag.Cluster{
			MapSlots: nodes * slots, ReduceSlots: nodes * slots, SlotsPerNode: slots,
			Setup: seconds(between(r, 0, 5)),
		}
	} else {
		const node = 4096
		p.Cluster = dag.Cluster{Policy: dag.YARN, MemoryMB: nodes * node}
		for n := range nodes {
			p.Cluster.Nodes = append(p.Cluster.Nodes, dag.Node{Name: "node-" + strconv.Itoa(n), MemoryMB: node})
		}
		am := between(r, 1, 5)
		p.Overheads = dag.Overheads{
			Launch: seconds(am + between(r, 1, 4)), AMStart: seconds(am), Beat: time.Second, Finish: seconds(0.3),
			Wave:    seconds(between(r, 1, 4)),
			Stagger: seconds(0.2), Handoff: seconds(0.2), AMHold: seconds(5), Abandon: time.Minute, Copy: seconds(0.5),
			SetupMin: seconds(between(r, 0.3, 2)), SetupPer: seconds(between(r, 0.2, 1)),
			Cold: seconds(between(r, 0, 2)),
		}
	}
	for j := range 1 + r.IntN(4) {
		p.Jobs = append(p.Jobs, drawJob(r, j))
	}
	return p
}

func drawJob(r *rand.Rand, j int) dag.Job {
	job := dag.Job{Node: "j" + strconv.Itoa(j+1), Stages: dag.MapReduce(drawPhase(r, 2+r.IntN(28), 1),
		dag.Stage{Known: true})}
	job.MasterMB = 512
	job.MapReduce = dag.MapReduceLimits{MapMB: 1024, ReduceMB: 1024, SlowStart: pick(r, 0.05, 1), RampUp: 0.5}
	if r.IntN(5) > 0 {
		job.Stages = dag.MapReduce(job.Stages[dag.Map], drawPhase(r, 1+r.IntN(12), dag.Pipelines))
	}
	for a := range j {
		if r.IntN(2) == 0 {
			job.After = append(job.After, a)
		}
	}
	return job
}

// drawPhase draws a stage: tasks of 5 s to 2 min, log-uniform, with 10,000 tuples each.
func drawPhase(r *rand.Rand, tasks, pipelines int) dag.Stage {
	const tuples = 10_000
	p := dag.Stage{Known: true, Tasks: tasks, Out: dag.Uniform(tuples), Bytes: dag.Uniform(24 * tuples)}
	whole := math.Exp(between(r, math.Log(5_000), math.Log(120_000))) / tuples
	for i := range pipelines {
		share := 1.0
		if pipelines > 1 {
			share = [...]float64{0.1, 0.1, 0.8}[i]
		}
		p.Pipelines = append(p.Pipelines, dag.Pipeline{Tuples: dag.Uniform(tuples), Alpha: dag.Uniform(whole * share)})
	}
	return p
}

func seconds(s float64) time.Duration { return time.Duration(s*1000) * time.Millisecond }

// run returns the plan of run n with the data sizes of that run, and its slow or lost nodes.
func (w *workflow) run(n int) (*dag.Plan, simulate.Options) {
	r := draws(w.seed, w.number, n)
	o := w.habits
	o.Seed = r.Uint64()
	size := math.Pow(1+w.grow, float64(n)) * math.Exp(w.vary*r.NormFloat64())
	p := *w.plan
	p.Jobs = dag.CloneJobs(w.plan.Jobs)
	for j := range p.Jobs {
		p.Jobs[j].Stages[dag.Map] = sized(p.Jobs[j].Stages[dag.Map], size, w.split)
		p.Jobs[j].Stages[dag.Reduce] = sized(p.Jobs[j].Stages[dag.Reduce], size, false)
	}
	pause := math.Exp(0.2 * r.NormFloat64())
	for _, d := range []*time.Duration{&p.Overheads.Launch, &p.Overheads.AMStart, &p.Overheads.Wave} {
		*d = time.Duration(pause*float64(d.Milliseconds())) * time.Millisecond
	}
	nodes := len(p.Cluster.Nodes)
	if p.Cluster.Policy == dag.FIFO {
		nodes = p.Cluster.MapSlots / p.Cluster.SlotsPerNode
	}
	if r.Float64() < w.slow {
		o.Slow = []simulate.SlowNode{{Node: r.IntN(nodes), Factor: between(r, 1.3, 2.5)}}
	}
	if r.Float64() < w.lose {
		o.Lose = []simulate.LostNode{{Node: r.IntN(nodes), At: seconds(between(r, 10, 200)), Detect: seconds(30)}}
	}
	return &p, o
}

// sized scales a stage's data.
func sized(p dag.Stage, by float64, split bool) dag.Stage {
	if split {
		n := max(1, int(math.Round(by*float64(p.Tasks))))
		by, p.Tasks = 1, n
	}
	more := func(s dag.Series) dag.Series { return dag.Uniform(math.Round(by * s.At(0))) }
	pipes := p.Pipelines
	p.Pipelines = make([]dag.Pipeline, len(pipes))
	for i := range pipes {
		p.Pipelines[i] = dag.Pipeline{Tuples: more(pipes[i].Tuples), Alpha: pipes[i].Alpha}
	}
	p.Out, p.Bytes = more(p.Out), more(p.Bytes)
	return p
}
