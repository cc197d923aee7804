package simulate

import (
	"cmp"
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// A track is the past and planned future of an attempt in the current leg.
type track struct {
	task, number int32
	slot, node   int32 // -1 if there is none
	start, end   dag.Instant
	ready        dag.Instant      // end of its set-up
	from         dag.Instant      // start of its work; later than ready if it waits for map outputs
	how          dag.AttemptState // how it ends
	why          string           // why it failed or was killed
	frozen       bool             // its node has failed, but the cluster has not noticed
	legs         []stretch        // later stretches, after it had to wait again
}

// A stretch of work begins at an instant with pos milliseconds of work done. The work then proceeds in real time
// until it is done, or the position of the next stretch is reached.
type stretch struct {
	at  dag.Instant
	pos int64
}

// never is later than any instant of a run.
const never = dag.Instant(1 << 61)

// succeeds plans that the attempt succeeds at end. left of its work milliseconds remain now.
func (r *track) succeeds(end, now dag.Instant, left, work int64) {
	at := end - dag.Instant(left)
	switch {
	case left == work:
		r.from, r.legs = at, nil
	case at > now: // it had begun and has to wait again
		r.legs = append(r.legs[:len(r.legs):len(r.legs)], stretch{at, work - left})
	}
}

// freeze stops the attempt's work at now for good.
func (r *track) freeze(now dag.Instant, work int64) {
	r.frozen, r.end = true, never
	if r.from >= now {
		r.from = never
		return
	}
	r.legs = append(r.legs[:len(r.legs):len(r.legs)], stretch{never, r.position(now, work)})
}

// kill ends the attempt.
func (r *track) kill(now dag.Instant, why string) {
	r.frozen, r.how, r.why = false, dag.AttemptKilled, why
	r.end = min(r.end, now)
}

// begun reports whether work has begun by t.
func (r *track) begun(t dag.Instant) bool { return r.from <= min(t, r.end) }

// position returns how many milliseconds of work are done by t, out of work.
func (r *track) position(t dag.Instant, work int64) int64 {
	t = min(t, r.end)
	if t < r.from {
		return 0
	}
	last, limit := stretch{at: r.from}, work
	for _, l := range r.legs {
		if l.at > t {
			limit = min(limit, l.pos)
			break
		}
		last = l
	}
	return min(last.pos+int64(t-last.at), limit)
}

// reached returns when pos milliseconds of work were done, or will be.
func (r *track) reached(pos int64) dag.Instant {
	last := stretch{at: r.from}
	for _, l := range r.legs {
		if l.pos >= pos {
			break
		}
		last = l
	}
	return last.at + dag.Instant(pos-last.pos)
}

// find returns the track of an attempt, or nil if there is none.
func find(tracks []track, task, number int32) *track {
	i := sort.Search(len(tracks), func(i int) bool {
		r := &tracks[i]
		return r.task > task || r.task == task && r.number >= number
	})
	if i < len(tracks) && tracks[i].task == task && tracks[i].number == number {
		return &tracks[i]
	}
	return nil
}

func byTask(a, b track) int {
	return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.number, b.number))
}
