package fleet

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// settle is how long a blocking must last before it is reported. Containers change hands all the time.
const settle = 20 * time.Second

// A pair is a waiting workflow and the one that uses the containers.
type pair struct{ holder, waiting string }

// learn stores the predicted end and the demand from a frame, and adds the known blockings to the frame.
func (v *session) learn(f *frame.Frame) {
	v.fleet.mu.Lock()
	defer v.fleet.mu.Unlock()
	v.end, v.want = dag.NoInstant, false
	if f.Workflow.State.Ended() {
		return
	}
	v.want, v.end = starved(f), frame.InstantOf(f.Headline.EndAt)
	if v.fleet.holds != nil {
		f.HeldUpBy, f.HoldsUp = v.fleet.heldUp[v.key], new(v.fleet.holds[v.key])
	}
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

// findBlockings finds the current blockings. It returns those that have lasted.
func (f *Fleet) findBlockings(now time.Time) (lasting []Blocking) {
	f.mu.Lock()
	defer f.mu.Unlock()
	total, free := f.opt.Cluster.Room()
	found := Contention(f.tenants(), Room{TotalMB: total, FreeMB: free})
	since := make(map[pair]time.Time, len(f.since))
	f.heldUp, f.holds = map[string]*frame.HeldUp{}, map[string]int{}
	for i := range found {
		j := &found[i]
		var waiting []Tenant
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
			h := &j.Holder
			f.heldUp[w.ID] = &frame.HeldUp{
				ID: frame.Text(h.ID), Name: frame.Text(h.Name), User: frame.Text(h.User), Queue: frame.Text(h.Queue),
				Scope: j.Scope.String(), Containers: j.Has(), OfContainers: j.Of,
				ForSeconds: frame.SecondsOf(now.Sub(began)), EndAt: frame.TimeOf(h.End),
			}
		}
		if len(waiting) > 0 {
			f.holds[j.Holder.ID] += len(waiting)
			j.Waiting = waiting
			lasting = append(lasting, *j)
		}
	}
	f.since = since
	return lasting
}

// tenants returns the workflows on the cluster, watched or not, with the predicted ends of watched ones. The caller
// must hold the lock.
func (f *Fleet) tenants() []Tenant {
	running := f.opt.Cluster.Running()
	type who struct{ name, user string }
	index, like := map[string]int{}, map[who]string{}
	for i := range running {
		if s := &running[i]; s.Workflow != "" {
			like[who{s.Name, s.User}] = s.Workflow
		}
	}
	var out []Tenant
	for i := range running {
		s := &running[i]
		key := keyOf(s)
		if of := like[who{s.Name, s.User}]; of != "" && !s.Read { // most likely the next job of a running script
			key = of
		}
		at, known := index[key]
		v := f.watched[key]
		if !known {
			at = len(out)
			index[key] = at
			end := dag.NoInstant
			if v != nil {
				end = v.end
			}
			out = append(out, Tenant{
				ID: key, Name: naming.PigScript(s.Name), User: s.User, Queue: s.Queue, Submitted: s.At,
				End: end, UserMB: s.UserMB, QueueMB: s.QueueMB,
			})
		}
		p := &out[at]
		p.HeldMB, p.Containers = p.HeldMB+s.HeldMB, p.Containers+s.Containers
		p.Submitted = min(p.Submitted, s.At)
		p.Wants = p.Wants || s.PendingMB > 0 || math.IsNaN(s.PendingMB) && s.Readable && v != nil && v.want
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
