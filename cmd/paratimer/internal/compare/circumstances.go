package compare

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// Circumstances are what struck a run that is no data and no cost of its script.
type Circumstances struct {
	Failed   int // attempts that failed
	Repeated int // attempts of tasks whose work was lost before
	Restarts int // application masters that began again
	Lost     int // nodes
	// Others is the part of the cluster's memory that other applications held, in the mean over the run; NaN unknown.
	Others  float64
	Cluster dag.Cluster
}

func (r *Run) circumstances(s *dag.Snapshot) {
	c := Circumstances{Others: math.NaN(), Cluster: s.Plan.Cluster, Repeated: len(redone(s))}
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

// Struck says whether something of the run failed.
func (c *Circumstances) Struck() bool { return c.Failed+c.Repeated+c.Restarts+c.Lost > 0 }

// Along is what only the snapshots along a run tell of its circumstances. The zero Along has seen nothing.
type Along struct {
	held       float64 // by other applications, MB milliseconds
	from, last dag.Instant
	mb         int // that they hold since the last snapshot
	most       int // memory of the cluster: nodes may be lost later
	seen       bool
	ended      bool
}

// See notes a snapshot; they come in order.
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
	o.ended = s.State.Ended() // what others hold from then on is no matter
	if s.Plan != nil {
		o.most = max(o.most, s.Plan.Cluster.MemoryMB)
	}
	for i := range s.Load {
		o.mb += s.Load[i].HeldMB
	}
}

// Beside notes the circumstances that were seen along the run.
func (r *Run) Beside(o *Along) {
	c := &r.Circumstances
	c.Cluster.MemoryMB = max(c.Cluster.MemoryMB, o.most)
	if c.Cluster.MemoryMB > 0 && o.last > o.from {
		c.Others = o.held / float64(o.last-o.from) / float64(c.Cluster.MemoryMB)
	}
}
