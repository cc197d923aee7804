package tap

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// Options are settings of a source.
type Options struct {
	// Now is the collector's clock, which stamps received batches; nil is time.Now.
	Now func() time.Time
	// AtEnd adds groups only once the query has ended. It is for spools, because their instants are unknown.
	AtEnd bool
	// Report receives a job's id when its first groups are added; may be nil.
	Report func(job string)
}

// An Inner source yields snapshots of one query to the watch loop.
type Inner = recording.Source

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
	with.Jobs = slices.Clone(snap.Jobs)
	for i := range with.Jobs {
		job := &with.Jobs[i]
		g := s.groups(job, &snap.Plan.Jobs[i], snap.At, now)
		if n := g.Size(); n <= room {
			job.Groups, room = g, room-n
			continue
		}
		with.Warnings = append(slices.Clip(with.Warnings), dag.Warningf(dag.WarnObservation,
			"the key groups of %s are left out: there are too many", job.ID))
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

// groups returns the groups of a job of a snapshot of the instant at, which is now by the collector's clock.
func (s *Source) groups(state *dag.JobState, plan *dag.Job, at dag.Instant, now time.Time) *dag.Groups {
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
	if j := s.store.jobs[state.ID]; j != nil && !v.ended && plan.IsMapReduce() {
		isFirst := v.groups == nil
		if v.update(j, state, plan, at, now); isFirst && v.groups != nil && s.opt.Report != nil {
			s.opt.Report(state.ID)
		}
	}
	if state.State.Ended() && !v.ended {
		v.ended = true
		s.store.leave(state.ID, true)
	}
	return cmp.Or(v.groups, state.Groups)
}

// A view is the part of a job that a source has shown.
type view struct {
	groups *dag.Groups // nil: nothing yet
	ended  bool        // the job has: groups no longer change
}

// update makes the groups of a snapshot. If nothing has changed, it keeps the previous groups. If the snapshot has
// groups of a tap itself, as a recorded one may, the more complete data is used.
func (v *view) update(j *job, state *dag.JobState, plan *dag.Job, at dag.Instant, now time.Time) {
	j.mapTasks, j.reduceTasks = plan.Stages[dag.Map].Count(), plan.Stages[dag.Reduce].Count()
	t := j.count(state.Stages[dag.Map].Attempts)
	if j.due(t) {
		j.join()
	}
	if v.groups == nil && j.joined == 0 && len(j.tasks) == 0 && j.silent == "" {
		return // too few of the maps have reported
	}
	inner := &dag.Groups{}
	if state.Groups.Known() {
		inner = state.Groups
	}
	n := cmp.Or(j.reduceTasks, max(j.reduces(), len(inner.Reduces)))
	g := &dag.Groups{Origin: dag.GroupsTapped, Reduces: make([]dag.ReduceGroups, n)}
	if len(inner.Reduces) > 0 {
		g.Origin, g.Maps = inner.Origin, inner.Maps
	}
	usable := j.joined > g.Maps && len(j.inputs) == n
	if usable {
		g.Maps = j.joined
		if g.Origin = dag.GroupsTapped; j.whole && g.Maps == t.tasks {
			g.Origin = dag.GroupsComplete
		}
	}
	reported := ""
	for i := range g.Reduces {
		attempts := dag.AttemptsOf(state.Stages[dag.Reduce].Attempts, i)
		r := dag.NoReduceGroups()
		if i < len(inner.Reduces) {
			r = inner.Reduces[i]
		}
		if usable {
			p := &j.inputs[i]
			r.Bytes, r.Explicit, r.Implicit, r.Top = p.Bytes, p.Explicit, p.Implicit, p.Top
		}
		if t.over() && (usable && t.silent > 0 || !usable && math.IsNaN(r.Bytes)) {
			counted(&r, attempts, t, g.Maps)
		}
		a, is := j.best(int32(i), attempts)
		if a != nil && !(i < len(inner.Reduces) && doneOf(&r) >= a.done) {
			m := moment{now, at, dag.NoInstant, dag.NoInstant}
			if is != nil {
				m.start, m.end = is.Start, is.End
			}
			a.show(&r, m)
			reported = cmp.Or(reported, a.note)
		}
		g.Reduces[i] = r
	}
	g.Note = j.note(t, n, reported)
	if v.groups == nil || !same(v.groups, g) {
		v.groups = g
	}
}

// doneOf returns the bytes of all finished groups of a reduce.
func doneOf(r *dag.ReduceGroups) float64 {
	sum := 0.0
	for _, p := range r.Done {
		sum += p.Bytes * p.Count
	}
	return sum
}

// counted sets the bytes of a reduce from its counters, if not all maps have a profile: the bytes it has copied,
// once it has copied all. If some maps have profiles, the bytes are at most those that all maps would have if they
// were alike, because counters may include more than keys and values. Bytes and Implicit are NaN if there are no
// such counters.
func counted(r *dag.ReduceGroups, attempts []dag.Attempt, t tally, maps int) {
	bytes, profiled := math.NaN(), r.Bytes
	for i := range attempts {
		if a := &attempts[i]; a.CopyEnd.Known() && a.Bytes > 0 && (a.State == dag.AttemptRunning ||
			a.State == dag.AttemptSucceeded) {
			bytes = a.Bytes
		}
	}
	if maps > 0 {
		bytes = min(max(bytes, profiled), profiled*float64(t.tasks)/float64(maps)) // NaN stays
	}
	r.Bytes, r.Implicit = bytes, bytes
	for _, e := range r.Explicit {
		r.Implicit -= e.Bytes * e.Count
	}
	r.Implicit = max(0, r.Implicit)
}

// same reports whether two groups are equal.
func same(a, b *dag.Groups) bool {
	return a.Origin == b.Origin && a.Maps == b.Maps && a.Note == b.Note &&
		slices.EqualFunc(a.Reduces, b.Reduces, func(x, y dag.ReduceGroups) bool {
			return x.Attempt == y.Attempt && x.OpenSince == y.OpenSince && x.OpenKey == y.OpenKey &&
				cmp.Or(cmp.Compare(x.Bytes, y.Bytes), cmp.Compare(x.Implicit, y.Implicit), // NaN equals NaN
					cmp.Compare(x.OpenBytes, y.OpenBytes)) == 0 &&
				slices.Equal(x.Explicit, y.Explicit) && slices.Equal(x.Top, y.Top) && slices.Equal(x.Done, y.Done)
		})
}
