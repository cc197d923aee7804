package fleet

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/contention"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// settle is how long a blocking must last before it is reported. Containers change hands all the time.
const settle = 20 * time.Second

// A pair is a waiting workflow and the one that uses the containers.
type pair struct{ holder, waiting string }

// A board has what workers and the loop exchange about workflows, by their keys.
type board struct {
	mu     sync.Mutex
	ends   map[string]dag.Instant // some runnable tasks have no container
	wants  map[string]bool        // tasks that could run have no container
	heldUp map[string]*frame.HeldUp
	holds  map[string]int
}

func newBoard() *board { return &board{ends: map[string]dag.Instant{}, wants: map[string]bool{}} }

// learn stores the predicted end and the demand from a frame, and adds the known blockings to the frame.
func (b *board) learn(key string, f *frame.Frame) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.Workflow.State.Ended() {
		delete(b.ends, key)
		delete(b.wants, key)
		return
	}
	b.ends[key], b.wants[key] = dag.NoInstant, starved(f)
	if at := f.Headline.EndAt; at != nil {
		b.ends[key] = at.Instant
	}
	if b.holds == nil {
		return // no search for blockings yet
	}
	n := b.holds[key]
	f.HeldUpBy, f.HoldsUp = b.heldUp[key], &n
}

func (b *board) forget(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.ends, key)
	delete(b.wants, key)
}

// starved reports whether a job has runnable tasks without a container. Reduces count only once all maps are done:
// before, the master decides when to request them.
func starved(f *frame.Frame) bool {
	return slices.ContainsFunc(f.Jobs, func(j frame.Job) bool {
		if j.State != dag.Running {
			return j.State == dag.Submitted
		}
		left := func(t frame.Tasks) bool { return t.Total != nil && *t.Total > t.Done+t.Running }
		return left(j.Maps) || left(j.Reduces) && j.Maps.Total != nil && j.Maps.Done == *j.Maps.Total
	})
}

// findBlockings finds the current blockings, and reports those that have lasted.
func (f *Fleet) findBlockings(now time.Time) {
	total, free := f.opt.Cluster.Room()
	found := contention.Find(f.tenants(), contention.Room{TotalMB: total, FreeMB: free})
	since := make(map[pair]time.Time, len(f.since))
	var lasting []contention.Blocking
	heldUp, holds := map[string]*frame.HeldUp{}, map[string]int{}
	for i := range found {
		j := &found[i]
		var waiting []contention.Tenant
		for _, w := range j.Waiting {
			p := pair{j.Holder.ID, w.ID}
			began, known := f.since[p]
			if !known {
				began = now
			}
			since[p] = began
			if now.Sub(began) < settle {
				continue
			}
			waiting = append(waiting, w)
			heldUp[w.ID] = heldUpBy(j, now.Sub(began))
		}
		if len(waiting) > 0 {
			holds[j.Holder.ID] += len(waiting)
			j.Waiting = waiting
			lasting = append(lasting, *j)
		}
	}
	f.since = since
	f.board.mu.Lock()
	f.board.heldUp, f.board.holds = heldUp, holds
	f.board.mu.Unlock()
	if f.opt.Blockings != nil {
		f.shew.Lock()
		defer f.shew.Unlock()
		f.opt.Blockings(dag.InstantOf(now), lasting)
	}
}

func heldUpBy(j *contention.Blocking, long time.Duration) *frame.HeldUp {
	h := &j.Holder
	return &frame.HeldUp{
		ID: frame.Text(h.ID), Name: frame.Text(h.Name), User: frame.Text(h.User), Queue: frame.Text(h.Queue),
		Scope:      j.Scope.String(),
		Containers: j.Has(), OfContainers: j.Of, ForSeconds: frame.SecondsOf(long), EndAt: frame.TimeOf(h.End),
	}
}

// tenants returns the workflows on the cluster, watched or not, with the predicted ends of watched ones.
func (f *Fleet) tenants() []contention.Tenant {
	running := f.opt.Cluster.Running()
	type who struct{ name, user string }
	index, like := map[string]int{}, map[who]string{}
	for i := range running {
		if s := &running[i]; s.Workflow != "" {
			like[who{s.Name, s.User}] = s.Workflow
		}
	}
	f.board.mu.Lock()
	defer f.board.mu.Unlock()
	var out []contention.Tenant
	for i := range running {
		s := &running[i]
		key := keyOf(s)
		if of := like[who{s.Name, s.User}]; of != "" && !s.Read { // most likely the next job of a running script
			key = of
		}
		at, known := index[key]
		if !known {
			at = len(out)
			index[key] = at
			end, predicted := f.board.ends[key]
			if !predicted {
				end = dag.NoInstant
			}
			out = append(out, contention.Tenant{
				ID: key, Name: pig.Script(s.Name), User: s.User, Queue: s.Queue, Submitted: s.At,
				End:    end,
				UserMB: s.UserMB, QueueMB: s.QueueMB,
			})
		}
		p := &out[at]
		p.HeldMB, p.Containers = p.HeldMB+s.HeldMB, p.Containers+s.Containers
		p.Submitted = min(p.Submitted, s.At)
		p.Wants = p.Wants || s.PendingMB > 0 || math.IsNaN(s.PendingMB) && s.Readable && f.board.wants[key]
		if s.HeldMB > 0 {
			p.Masters++
		} else {
			p.Locked = p.Locked || !s.Readable
		}
	}
	return out
}

// keyOf returns the key under which an application's workflow is watched.
func keyOf(s *yarn.Submitted) string {
	if s.Workflow != "" {
		return s.Workflow
	}
	return "job_" + strings.TrimPrefix(s.App, "application_")
}
