package compare

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag/attribution"
	"github.com/paratimer/paratimer/units"
)

// Circumstances are influences on a run that are neither its data nor its script's cost.
type Circumstances struct {
	Failed   int `json:"failed_attempts"`
	Repeated int `json:"repeated_attempts"` // attempts of tasks that had failed, or lost their output, before
	Restarts int `json:"restarted_masters"` // restarts of application masters
	Lost     int `json:"lost_nodes"`
	// Others is the mean fraction of the cluster's memory that other applications used during the run; NaN if
	// unknown.
	Others  units.Float `json:"others_ratio"`
	Cluster dag.Cluster `json:"-"`
}

func (r *Run) circumstances(s *dag.Snapshot) {
	c := Circumstances{Others: units.Float(math.NaN()), Cluster: s.Plan.Cluster, Repeated: len(redone(s))}
	for j := range r.Jobs {
		for k := range r.Jobs[j].Phases {
			c.Failed += r.Jobs[j].Phases[k].Failed
		}
		c.Restarts += max(s.Jobs[j].Attempt-1, 0)
	}
	for i := range s.Nodes {
		if s.Nodes[i].Lost {
			c.Lost++
		}
	}
	r.Circumstances = c
}

// Struck reports whether anything in the run failed.
func (c *Circumstances) Struck() bool { return c.Failed+c.Repeated+c.Restarts+c.Lost > 0 }

// Along collects the circumstances that only the snapshots during a run show. The zero Along has seen none.
type Along struct {
	held       float64 // used by other applications, MB milliseconds
	from, last dag.Instant
	mb         int // used by them since the last snapshot
	most       int // largest memory of the cluster: nodes may be lost later
	seen       bool
	ended      bool
}

// See records a snapshot. Snapshots must come in order.
func (o *Along) See(s *dag.Snapshot) {
	origin := s.Origin()
	if s.Stale.Known() || !origin.Known() || o.ended {
		return
	}
	if o.seen {
		o.held += float64(o.mb) * float64(s.At-o.last)
	} else {
		o.seen, o.from = true, s.At
	}
	o.last, o.mb = s.At, 0
	o.ended = s.State.Ended() // usage after the end does not count
	if s.Plan != nil {
		o.most = max(o.most, s.Plan.Cluster.MemoryMB)
	}
	for i := range s.Load {
		o.mb += s.Load[i].HeldMB
	}
}

// Beside adds the circumstances that were collected during the run.
func (r *Run) Beside(o *Along) {
	c := &r.Circumstances
	c.Cluster.MemoryMB = max(c.Cluster.MemoryMB, o.most)
	if c.Cluster.MemoryMB > 0 && o.last > o.from {
		others := o.held / float64(o.last-o.from) / float64(c.Cluster.MemoryMB)
		c.Others = units.Float(math.Round(others*1e6) / 1e6)
	}
}

// effects maps the causes of a time attribution to effects. Skew is work of the uneven reduce.
var effects = map[attribution.Cause]Effect{
	attribution.Queueing: Waiting, attribution.Launch: Startup, attribution.Containers: Waiting,
	attribution.SetUp: Startup, attribution.Work: Work,
	attribution.Shuffle: Shuffle, attribution.Sort: Work, attribution.Skew: Work, attribution.Failures: Failures,
	attribution.Finish: Startup,
}

// Follow sets the run's critical path from the attribution of the whole run and its last snapshot. If the path
// waits for containers that other tasks of the query use, it continues through those tasks instead (ParaTimer,
// section 3.1.3): a job with slower tasks lengthens the run by the time that others wait for it. Work repeated
// after a failure counts as Failures. An attribution of only a part of the run is ignored.
func (r *Run) Follow(a *attribution.Attribution, s *dag.Snapshot) {
	if !r.Succeeded() || a.From != r.Start || float64(a.Total().Milliseconds()) != r.Length {
		return
	}
	again := redone(s)
	holders := holdersOf(r, s, again)
	for i := range a.Parts {
		p := &a.Parts[i]
		effect, known := effects[p.Cause]
		if !known {
			effect = Rest
		}
		part := Part{
			Job: p.Job, Phase: p.Stage, Task: int(p.Task), Effect: effect, Length: float64(p.End - p.Start),
			Skew: p.Cause == attribution.Skew,
		}
		part.Phase = max(part.Phase, 0) // a pause of a job belongs to its first stage
		switch {
		case again[attemptKey{p.Job, p.Stage, p.Task, p.Attempt}]:
			r.Path = append(r.Path, part.of(Failures, p.End-p.Start))
		case p.Cause == attribution.Containers:
			parts := held(holders, part, p.Start, p.End)
			slices.Reverse(parts)
			r.Path = append(r.Path, parts...)
		case p.Cause == attribution.Work && !r.Plan.Jobs[p.Job].Stages[p.Stage].Copies():
			r.Path = append(r.Path, r.worked(part)...)
		default:
			r.Path = append(r.Path, part)
		}
	}
	r.Path = slices.DeleteFunc(r.Path, func(p Part) bool { return p.Length == 0 })
}

// worked splits a part into start-up and work, by the fitted start-up times, if no task report separates them.
func (r *Run) worked(p Part) []Part {
	t := r.Jobs[p.Job].Phases[p.Phase].task(p.Task)
	if t == nil || !(t.Work < p.Length) {
		return []Part{p}
	}
	work := dag.Instant(t.Work)
	return []Part{p.of(Startup, dag.Instant(p.Length)-work), p.of(Work, work)}
}
