package collect

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Defaults of Options (E. Coppa, I. Finocchi, SoCC 2015, section 6.2: λ = 2000, Space-Saving of 35λ).
const (
	DefaultLambda   = 2000
	DefaultCapacity = 35 * DefaultLambda
)

// Options say how profiles of map outputs are joined.
type Options struct {
	Lambda   int // how many keys of each map are looked at; DefaultLambda
	Capacity int // how many keys of all maps are counted; 35 times Lambda
	// Now is the collector's clock, by which batches were received; nil is time.Now.
	Now func() time.Time
	// AtEnd has groups added only once the query has ended: those from spools, whose instants nobody knows.
	AtEnd bool
	// Tell is told of a job's id when its first batch is seen; nil: nobody is.
	Tell func(job string)
}

// An Inner source yields snapshots of one query, as the watch loop asks for them.
type Inner interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// A Source adds what taps told to the snapshots of another source. It is not safe for concurrent use; its store is.
type Source struct {
	Inner
	store *Store
	opt   Options
	views map[string]*view // by job id
}

// NewSource returns a source of src's snapshots with what store knows of their jobs. Close ends it.
func NewSource(src Inner, store *Store, o Options) *Source {
	if o.Lambda <= 0 {
		o.Lambda = DefaultLambda
	}
	if o.Capacity <= 0 {
		o.Capacity = 35 * o.Lambda
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Source{Inner: src, store: store, opt: o, views: map[string]*view{}}
}

// maxSize bounds the sizes, names and points of a snapshot, so that a tape can hold it.
const maxSize = 1 << 20

// Next returns the source's next snapshot with dag.Groups where taps told of them. The source's own snapshot is not
// changed, nor is what this one shares with it and with those before.
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

// Close says that the source is not asked any more: what the store holds for it may go.
func (s *Source) Close() error {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	for id, v := range s.views {
		if !v.over {
			s.store.leave(id, false)
		}
	}
	clear(s.views)
	return nil
}

// groups are those of a job of a snapshot.
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
	if !v.over {
		s.look(v, state, plan, snap.At, now)
	}
	if v.over = state.State.Ended(); v.over {
		s.store.leave(state.ID, true)
	}
	if v.groups == nil {
		return state.Groups
	}
	return v.groups
}

// look brings a view up to date. The store's lock is held, but for the time in which profiles are joined.
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
	s.charged(j, j.prune)
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
	s.charged(j, func() { j.settle(t) })
	if v.groups == nil && j.mapOutput.maps == 0 && len(j.tasks) == 0 && j.silent == "" {
		return // a few of the maps are in
	}
	v.show(j, state, t, s.store.lambda < s.opt.Lambda, at, now)
}

// charged counts what do changes of a job.
func (s *Source) charged(j *job, do func()) {
	before := j.cost
	do()
	if s.store.jobs[j.id] == j { // else another source has left it meanwhile
		s.store.charge(j, j.cost-before)
	}
}
