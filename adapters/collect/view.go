package collect

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A view is what a source has shown of a job.
type view struct {
	groups   *dag.Groups // nil: nothing yet
	reported bool        // its first batch was reported
	ended    bool        // the job has: groups no longer change
}

// show makes the groups of a snapshot that was made at the instant at, which is now by the collector's clock. If
// nothing has changed, it keeps the previous groups. If the snapshot has groups of a tap itself, as a recorded one
// may, the more complete data is used.
func (v *view) show(j *job, state *dag.JobState, t tally, short bool, at dag.Instant, now time.Time) {
	inner := cmp.Or(state.Groups, &dag.Groups{})
	n := j.reduceTasks
	if n == 0 {
		n = max(j.reduces, len(inner.Reduces))
	}
	g := &dag.Groups{Origin: dag.GroupsTapped, Reduces: make([]dag.ReduceGroups, n)}
	isTapped := inner.Origin >= dag.GroupsTapped
	if isTapped {
		g.Origin, g.Maps = inner.Origin, inner.Maps
	}
	usable := j.mapOutput.maps > g.Maps && len(j.mapOutput.reduces) == n
	if usable {
		g.Maps = j.mapOutput.maps
		if g.Origin = dag.GroupsTapped; j.mapOutput.whole && g.Maps == t.tasks {
			g.Origin = dag.GroupsComplete
		}
	}
	reported := ""
	for i := range g.Reduces {
		seen := dag.AttemptsOf(state.Stages[dag.Reduce].Attempts, i)
		r := dag.NoReduceGroups()
		if i < len(inner.Reduces) {
			r = inner.Reduces[i]
		}
		if usable {
			p := &j.mapOutput.reduces[i]
			r.Bytes, r.Explicit, r.Implicit, r.Top = p.Bytes, p.Explicit, p.Implicit, p.Top
		}
		if t.over() && (usable && t.silent > 0 || !usable && math.IsNaN(r.Bytes)) {
			counted(&r, seen, t, g.Maps)
		}
		a, is := j.best(int32(i), seen)
		if a != nil && !(i < len(inner.Reduces) && isTapped && doneOf(&r) >= a.done) {
			m := moment{now, at, dag.NoInstant, dag.NoInstant}
			if is != nil {
				m.start, m.end = is.Start, is.End
			}
			a.show(&r, m)
			reported = cmp.Or(reported, a.note)
		}
		g.Reduces[i] = r
	}
	g.Note = j.note(t, n, short, reported)
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
func counted(r *dag.ReduceGroups, seen []dag.Attempt, t tally, maps int) {
	bytes, profiled := math.NaN(), r.Bytes
	for i := range seen {
		if a := &seen[i]; a.CopyEnd.Known() && a.Bytes > 0 && (a.State == dag.AttemptRunning ||
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
	if r.Implicit < 0 {
		r.Implicit = 0
	}
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
