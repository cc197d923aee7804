package profiles

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Complete returns the snapshot with a plan that can be replayed: with numbers of tasks, the edges of the profile,
// and overheads unless the plan has the costs of all tasks.
func (m *Match) Complete(s *dag.Snapshot) *dag.Snapshot {
	out, plan := *s, *s.Plan
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	out.Plan = &plan
	if plan.OnlyMapReduce() {
		for _, j := range s.Plan.Order() {
			m.completeJob(&plan, j)
		}
		if !HasCosts(s.Plan) {
			m.expectOverheads(&plan)
			makeRoom(&out)
		}
		return &out
	}
	for j := range plan.Jobs {
		job, known := &plan.Jobs[j], m.Job(j)
		bare := !slices.ContainsFunc(job.Stages, func(s dag.Stage) bool { return len(s.After) > 0 })
		for k := range job.Stages {
			stage := &job.Stages[k]
			if was := Stage(known, stage.Name); bare && was != nil {
				stage.After = edgesLike(job, k, known, was)
			}
			if !stage.Known {
				stage.Tasks, stage.Known = 1, true
				if was := Stage(known, stage.Name); was != nil && was.Known {
					stage.Tasks = was.Tasks
				}
			}
		}
	}
	was, o := m.Overheads(), &plan.Overheads
	o.Cold = cmp.Or(o.Cold, was.Cold)
	if plan.ReusesContainers() {
		*o = filled(filled(*o, was), usualOfTez)
	}
	return &out
}

// usualOfTez are the overheads of Tez if neither the run nor a profile has them (facts/tez.md T6, T7 and the
// corrections). Idle containers are kept for five to ten seconds, at random.
var usualOfTez = dag.Overheads{
	Launch:   2 * time.Second,
	SetupMin: 2500 * time.Millisecond,
	Finish:   300 * time.Millisecond,
	Idle:     7500 * time.Millisecond,
}

// edgesLike returns the edges of the profile's stage to stages of the same names before it.
func edgesLike(job *dag.Job, k int, known *dag.Job, was *dag.Stage) []dag.Edge {
	var out []dag.Edge
	for _, e := range was.After {
		for from := range k {
			if job.Stages[from].Name == known.Stages[e.From].Name {
				e.From = dag.StageIndex(from) //nolint:gosec // an index
				out = append(out, e)
			}
		}
	}
	return out
}

// HasCosts reports whether a plan has the costs of all of its tasks.
func HasCosts(plan *dag.Plan) bool {
	for j := range plan.Jobs {
		for k := range plan.Jobs[j].Stages {
			p := &plan.Jobs[j].Stages[k]
			if !p.Known || p.Tasks > 0 && len(p.Pipelines) == 0 {
				return false
			}
			for _, pipe := range p.Pipelines {
				if !pipe.Tuples.Known() || !pipe.Alpha.Known() {
					return false
				}
			}
		}
	}
	return true
}

// usualOverheads are used if neither the run nor a profile has any: MapReduce's and Pig's defaults, as measured
// (facts/measured.md 4).
var usualOverheads = dag.Overheads{
	Launch:   4600 * time.Millisecond,
	AMStart:  800 * time.Millisecond,
	Beat:     time.Second,
	Finish:   250 * time.Millisecond,
	Wave:     3 * time.Second,
	Stagger:  200 * time.Millisecond,
	Handoff:  100 * time.Millisecond,
	AMHold:   5500 * time.Millisecond,
	Abandon:  180 * time.Second, // yarn.client.nodemanager-connect.max-wait-ms
	Copy:     500 * time.Millisecond,
	SetupMin: 700 * time.Millisecond,
	SetupPer: 550 * time.Millisecond,
	Cold:     1200 * time.Millisecond,
}

// expectOverheads sets the overheads of a plan of MapReduce jobs: those of the profile, else the plan's own, else
// the usual ones. The run's own configuration comes before the profile's.
func (m *Match) expectOverheads(plan *dag.Plan) {
	own := plan.Overheads
	o := filled(m.Overheads(), filled(own, usualOverheads))
	o.Beat, o.Abandon = cmp.Or(own.Beat, o.Beat), cmp.Or(own.Abandon, o.Abandon)
	o.Report, o.Boot, o.Idle = own.Report, own.Boot, own.Idle
	plan.Overheads = o
}

// filled returns overheads with unknown ones taken from others.
func filled(o, by dag.Overheads) dag.Overheads {
	others := map[string]time.Duration{}
	for name, d := range by.Each() {
		others[name] = *d
	}
	for name, d := range o.Each() {
		if *d <= 0 && name != "boot" && name != "report" { // these are the run's own
			*d = others[name]
		}
	}
	return o
}

// completeJob sets the numbers of tasks of a MapReduce job that is not submitted: a map for each file that the jobs
// before write, or as many for each as in the profile; as many reduces as in the profile, else as the job with most
// of them has. Its containers are as large as those of the newest job with known sizes.
func (m *Match) completeJob(plan *dag.Plan, j int) {
	job, known := &plan.Jobs[j], m.Job(j)
	if job.MapReduce.MapMB <= 0 {
		for _, other := range slices.Backward(plan.Jobs) {
			if other.MapReduce.MapMB > 0 {
				job.MasterMB, job.MapReduce = other.MasterMB, other.MapReduce
				break
			}
		}
	}
	if maps := &job.Stages[dag.Map]; !maps.Known {
		n := filesBefore(plan, job)
		if known != nil && known.Stages[dag.Map].Count() > 0 {
			was, of := known.Stages[dag.Map].Count(), filesBefore(m.Plan, known)
			if of > 0 && n > 0 {
				was = int(math.Round(float64(n) / float64(of) * float64(was)))
			}
			n = was
		}
		maps.Tasks, maps.Known = max(n, 1), true
	}
	if reduces := &job.Stages[dag.Reduce]; !reduces.Known {
		n := 1
		if known != nil {
			n = known.Stages[dag.Reduce].Count()
		} else {
			for i := range plan.Jobs {
				if other := &plan.Jobs[i]; other.IsMapReduce() {
					n = max(n, other.Stages[dag.Reduce].Count())
				}
			}
		}
		reduces.Tasks, reduces.Known = n, true
	}
}

// filesBefore returns the number of files that the jobs before a job write.
func filesBefore(plan *dag.Plan, job *dag.Job) int {
	n := 0
	for _, a := range job.After {
		if stages := plan.Jobs[a].Stages; len(stages) > 0 {
			last := len(stages) - 1
			if stages[last].Count() == 0 {
				last = 0
			}
			n += stages[last].Count()
		}
	}
	return n
}

// makeRoom enlarges the cluster to its least possible size: the memory of all running containers, and of a master
// with one task of each unfinished job. A run made from a history shows no more memory than its tasks used, and a
// ResourceManager may not report the size of its cluster.
func makeRoom(s *dag.Snapshot) {
	c := &s.Plan.Cluster
	if c.Policy != dag.YARN {
		return
	}
	used, least, largest := 0, 0, 0
	for j := range s.Jobs {
		job, state := &s.Plan.Jobs[j], &s.Jobs[j]
		if state.State.Ended() {
			continue
		}
		maps := cmp.Or(job.MapReduce.MapMB, dag.DefaultMB)
		reduces, master := cmp.Or(job.MapReduce.ReduceMB, dag.DefaultMB), cmp.Or(job.MasterMB, maps)
		least, largest = max(least, master+max(maps, reduces)), max(largest, maps, reduces)
		running := state.Stages[dag.Map].Running()*maps + state.Stages[dag.Reduce].Running()*reduces
		if running > 0 {
			running += master
		}
		used += max(running, state.HeldMB)
	}
	least = max(least, used)
	if c.MemoryMB > 0 || len(s.Nodes) == 0 {
		c.MemoryMB = max(c.MemoryMB, least)
	}
	if c.QueueMB > 0 {
		c.QueueMB = max(c.QueueMB, least)
	}
	growNodes(s, least, largest)
}

// growNodes enlarges the largest node that takes containers, if there is one.
func growNodes(s *dag.Snapshot, least, task int) {
	sum, best := 0, -1
	for i := range s.Nodes {
		if n := &s.Nodes[i]; !n.Lost && !n.Draining {
			sum += n.MemoryMB
			if best < 0 || n.MemoryMB > s.Nodes[best].MemoryMB {
				best = i
			}
		}
	}
	if best < 0 || sum >= least && s.Nodes[best].MemoryMB >= task {
		return
	}
	s.Nodes = slices.Clone(s.Nodes)
	s.Nodes[best].MemoryMB = max(s.Nodes[best].MemoryMB+least-sum, task)
}
