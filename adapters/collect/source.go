package collect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// DefaultLambda is from E. Coppa, I. Finocchi, SoCC 2015, section 6.2: λ = 2000, Space-Saving of 35λ.
const DefaultLambda = 2000

// Options are settings for joining the profiles of map outputs.
type Options struct {
	Lambda   int // how many keys of each map are used; DefaultLambda
	Capacity int // how many keys of all maps are counted; 35 times Lambda
	// Now is the collector's clock, which stamps received batches; nil is time.Now.
	Now func() time.Time
	// AtEnd adds groups only once the query has ended. It is for spools, because their instants are unknown.
	AtEnd bool
	// A callback for a job's id when its first batch is seen; may be nil.
	Tell func(job string)
}

// An Inner source yields snapshots of one query to the watch loop.
type Inner interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// A Source adds the reports of taps to the snapshots of another source. It is not safe for concurrent use; its
// store is.
type Source struct {
	Inner
	store *Store
	opt   Options
	views map[string]*view // by job id
}

// NewSource returns a source of src's snapshots with the data in store about their jobs. Close ends it.
func NewSource(src Inner, store *Store, o Options) *Source {
	o.Lambda = cmp.Or(o.Lambda, DefaultLambda)
	o.Capacity = cmp.Or(o.Capacity, 35*o.Lambda)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Source{Inner: src, store: store, opt: o, views: map[string]*view{}}
}

// maxSize bounds the sizes, names and points of a snapshot, so that a recording can contain it.
const maxSize = 1 << 20

// Next returns the source's next snapshot, with dag.Groups if taps reported any. It changes neither the source's
// own snapshot nor the parts that snapshots share.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	now := s.opt.Now() // the snapshot's instant is that of its beginning
	snap, err := s.Inner.Next(ctx)
	if snap == nil || err != nil || s.opt.AtEnd && !snap.State.Ended() {
		return snap, err
	}
	with, room := *snap, maxSize
	for i := range snap.Jobs {
		g := s.groups(snap, i, now)
		if n := g.Size(); n <= room {
			room -= n
		} else {
			g = snap.Jobs[i].Groups
			with.Warnings = append(slices.Clip(with.Warnings), dag.Warning{
				Code: dag.WarnObservation,
				Text: fmt.Sprintf("the key groups of %s are left out: there are too many", snap.Jobs[i].ID),
			})
		}
		if g == snap.Jobs[i].Groups {
			continue
		}
		if &with.Jobs[0] == &snap.Jobs[0] {
			with.Jobs = slices.Clone(snap.Jobs)
		}
		with.Jobs[i].Groups = g
	}
	return &with, nil
}

// Close ends the source. The store may then drop the data of its jobs.
func (s *Source) Close() error {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	for id, v := range s.views {
		if !v.ended {
			s.store.leave(id, false)
		}
	}
	clear(s.views)
	return nil
}

// groups returns the groups of a job of a snapshot.
func (s *Source) groups(snap *dag.Snapshot, i int, now time.Time) *dag.Groups {
	state, plan := &snap.Jobs[i], &snap.Plan.Jobs[i]
	if state.ID == "" {
		return state.Groups
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	v := s.views[state.ID]
	if v == nil {
		v = &view{}
		s.views[state.ID] = v
		s.store.watch(state.ID)
	}
	if !v.ended {
		s.look(v, state, plan, snap.At, now)
	}
	if v.ended = state.State.Ended(); v.ended {
		s.store.leave(state.ID, true)
	}
	if v.groups == nil {
		return state.Groups
	}
	return v.groups
}

// look brings a view up to date. The caller locks the store; look unlocks it while it joins profiles.
func (s *Source) look(v *view, state *dag.JobState, plan *dag.Job, at dag.Instant, now time.Time) {
	j := s.store.jobs[state.ID]
	if j == nil || !plan.IsMapReduce() {
		return
	}
	j.mapTasks, j.reduceTasks = plan.Stages[dag.Map].Count(), plan.Stages[dag.Reduce].Count()
	if !v.reported && s.opt.Tell != nil {
		s.opt.Tell(state.ID)
	}
	v.reported = true
	defer func() {
		if s.store.jobs[j.id] == j { // else another source has left it meanwhile
			s.store.charge(j)
		}
	}()
	t := j.count(&plan.Stages[dag.Map], state.Stages[dag.Map].Attempts)
	if j.due(t) {
		all, came := j.profiles(), j.came
		s.store.mu.Unlock()
		p := mapOutputOf(all, s.opt.Lambda, s.opt.Capacity)
		s.store.mu.Lock()
		if p.came = came; p.came > j.mapOutput.came { // else another source was faster
			j.mapOutput = p
		}
	}
	j.settle(t)
	if v.groups == nil && j.mapOutput.maps == 0 && len(j.tasks) == 0 && j.silent == "" {
		return // too few of the maps have reported
	}
	v.show(j, state, t, s.store.lambda < s.opt.Lambda, at, now)
}
