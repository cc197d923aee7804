package observed

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// Overheads of a cluster of which nothing is known: MapReduce's and Pig's defaults, as measured
// (docs/facts/measured.md 4).
var defaults = dag.Overheads{
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
	SetupMin: defaultAlone * time.Millisecond,
	SetupPer: defaultEach * time.Millisecond,
	Cold:     defaultCold * time.Millisecond,
}

// complete returns the snapshot with a plan that can be replayed: this run's overheads, and for jobs that are not
// submitted as many tasks as can be told.
func complete(s *dag.Snapshot, profile *profiles.Match, m *Model) *dag.Snapshot {
	plan := *s.Plan
	if !m.given {
		plan.Overheads = m.expected
		p := seenPauses(s, &m.expected)
		p.apply(&plan.Overheads, m.pace, m.learning)
	}
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	if graph, err := dag.NewGraph(s.Plan); err == nil {
		for _, j := range graph.Order() {
			completeJob(&plan, s, j, profile)
		}
	}
	out := *s
	out.Plan = &plan
	if !m.given {
		makeRoom(&out)
	}
	return &out
}

// completeJob gives a job that is not submitted its task counts: one map a file, which is one a reduce of its parents
// (or a map of a map-only one), or as many maps a file as in the profile; reduces as in the profile, else as many as
// the largest job of this run has. Its containers are those of the other jobs.
func completeJob(plan *dag.Plan, s *dag.Snapshot, j int, profile *profiles.Match) {
	job, known := &plan.Jobs[j], profile.Job(j)
	likeOthers(job, s)
	if !job.Stages[dag.Map].Known {
		maps := files(plan, job)
		if known != nil && known.Stages[dag.Map].Count() > 0 {
			if was := files(profile.Plan, known); was > 0 && maps > 0 {
				maps = int(math.Round(float64(maps) / float64(was) * float64(known.Stages[dag.Map].Count())))
			} else {
				maps = known.Stages[dag.Map].Count()
			}
		}
		job.Stages[dag.Map].Tasks, job.Stages[dag.Map].Known = max(maps, 1), true
	}
	if !job.Stages[dag.Reduce].Known {
		n := 1
		if known != nil {
			n = known.Stages[dag.Reduce].Count()
		} else {
			for i := range s.Plan.Jobs {
				n = max(n, s.Plan.Jobs[i].Stages[dag.Reduce].Count())
			}
		}
		job.Stages[dag.Reduce].Tasks, job.Stages[dag.Reduce].Known = n, true
	}
}

// files is how many files the jobs write that a job comes after.
func files(plan *dag.Plan, job *dag.Job) int {
	n := 0
	for _, a := range job.After {
		if reduces := plan.Jobs[a].Stages[dag.Reduce].Count(); reduces > 0 {
			n += reduces
		} else {
			n += plan.Jobs[a].Stages[dag.Map].Count()
		}
	}
	return n
}

// likeOthers gives a job whose container sizes are unknown the limits of the newest job of this run that has some.
func likeOthers(job *dag.Job, s *dag.Snapshot) {
	if job.MapReduce.MapMB > 0 {
		return
	}
	for _, other := range slices.Backward(s.Plan.Jobs) {
		if other.MapReduce.MapMB > 0 {
			job.MasterMB, job.MapReduce = other.MasterMB, other.MapReduce
			return
		}
	}
}

// expectedOverheads are the profile's, else the plan's, else the defaults, before this run has shown any.
func expectedOverheads(s *dag.Snapshot, profile *profiles.Match) dag.Overheads {
	o := fill(s.Plan.Overheads, defaults)
	if p := profile.Overheads(); p != nil {
		o = fill(*p, o)
		// What the run's own configuration says is no guess.
		if b := s.Plan.Overheads.Beat; b > 0 {
			o.Beat = b
		}
		if a := s.Plan.Overheads.Abandon; a > 0 {
			o.Abandon = a
		}
	}
	o.Report = s.Plan.Overheads.Report
	return o
}

func fill(o, by dag.Overheads) dag.Overheads {
	for _, f := range []struct {
		to   *time.Duration
		from time.Duration
	}{
		{&o.Launch, by.Launch},
		{&o.AMStart, by.AMStart},
		{&o.Beat, by.Beat},
		{&o.Finish, by.Finish},
		{&o.Wave, by.Wave},
		{&o.Stagger, by.Stagger},
		{&o.Handoff, by.Handoff},
		{&o.AMHold, by.AMHold},
		{&o.Copy, by.Copy},
		{&o.Abandon, by.Abandon},
		{&o.SetupMin, by.SetupMin},
		{&o.SetupPer, by.SetupPer},
		{&o.Cold, by.Cold},
	} {
		if *f.to <= 0 {
			*f.to = f.from
		}
	}
	return o
}

// defaultMB is what a container is taken to hold where nobody says: MapReduce's default, and the replay's.
const defaultMB = 1024

// makeRoom makes the cluster as large as it must be: it holds what runs at once, and a master with one task of each job
// that is left. A run made from a history shows no more than its tasks took, and a ResourceManager may not tell the
// size of its cluster.
func makeRoom(s *dag.Snapshot) {
	c := &s.Plan.Cluster
	if c.Policy != dag.YARN {
		return
	}
	held, least, largest := 0, 0, 0
	for j := range s.Jobs {
		limits, master, state := &s.Plan.Jobs[j].MapReduce, s.Plan.Jobs[j].MasterMB, &s.Jobs[j]
		task := max(cmp.Or(limits.MapMB, defaultMB), cmp.Or(limits.ReduceMB, defaultMB))
		master = cmp.Or(master, limits.MapMB, defaultMB)
		if state.State.Ended() {
			continue
		}
		least, largest = max(least, master+task), max(largest, task)
		running := 0
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			mb := cmp.Or(limits.MapMB, defaultMB)
			if k == dag.Reduce {
				mb = cmp.Or(limits.ReduceMB, defaultMB)
			}
			for i := range state.Stages[k].Attempts {
				if state.Stages[k].Attempts[i].State == dag.AttemptRunning {
					running += mb
				}
			}
		}
		if running > 0 {
			running += master
		}
		held += max(running, state.HeldMB)
	}
	least = max(least, held)
	if c.MemoryMB > 0 || len(s.Nodes) == 0 {
		c.MemoryMB = max(c.MemoryMB, least)
	}
	if c.QueueMB > 0 {
		c.QueueMB = max(c.QueueMB, least)
	}
	growNodes(s, least, largest)
}

// growNodes makes the largest node that takes containers large enough, where there is one.
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
