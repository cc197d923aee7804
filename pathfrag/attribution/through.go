package attribution

import "github.com/paratimer/paratimer/dag"

// through goes back over an attempt, which ended or runs at w.at, and returns the next attempt of the chain; -1 if
// the chain continues at its job's start.
func (w *walker) through(id int32) int32 {
	x := &w.all[id]
	if !x.Start.Known() {
		if again := w.before(id); again >= 0 && !w.been[again] {
			w.back(Unknown, w.all[again].End, w.of(id))
			return again
		}
		w.back(Unknown, max(w.s.Jobs[x.job].Started, w.s.Jobs[x.job].Submitted), w.of(id))
		w.jobStart(x.job)
		return -1
	}
	vain := x.State == dag.AttemptFailed || x.State == dag.AttemptKilled && !x.overtaken
	if !w.copies(x) {
		if again := w.before(id); vain || again >= 0 && complete(&w.all[again]) {
			w.back(Failures, x.Start, w.of(id))
		} else {
			w.back(Work, w.ready(x), w.of(id))
			w.back(SetUp, x.Start, w.of(id))
		}
		return w.startedBy(id, w.lastInput(x, x.Start))
	}
	limit := w.at
	if x.CopyEnd.Known() && x.CopyEnd >= x.Start {
		limit = min(limit, x.CopyEnd)
	}
	last := w.lastInput(x, limit)
	begin := x.Start // from here on it may have all its input
	if last >= 0 {
		begin = max(begin, w.all[last].End)
	}
	if vain {
		w.back(Failures, begin, w.of(id))
	} else {
		w.reduce(id, begin)
	}
	if last >= 0 && w.all[last].End > x.Start && !w.been[last] {
		return last
	}
	w.back(Unknown, x.Start, w.of(id))
	return w.startedBy(id, last)
}

// reduce goes back over a reduce to begin, when it ran and its last input was complete. The ends of copy and sort
// separate copy, sort and work; without them the cause is Unknown.
func (w *walker) reduce(id int32, begin dag.Instant) {
	x := &w.all[id]
	copied, sorted := x.CopyEnd, x.SortEnd
	if copied.Known() && copied < x.Start {
		copied = dag.NoInstant
	}
	if !sorted.Known() || sorted < copied {
		sorted = dag.NoInstant
	}
	running := x.State == dag.AttemptRunning
	switch {
	case sorted.Known():
		w.back(Skew, max(sorted, w.at.Add(-w.skew(id, begin))), w.of(id))
		w.back(Work, sorted, w.of(id))
		if copied.Known() {
			w.back(Sort, copied, w.of(id))
		}
	case copied.Known() && running:
		w.back(Sort, copied, w.of(id))
	case copied.Known():
		w.back(Unknown, copied, w.of(id))
	}
	if !copied.Known() && !running {
		w.back(Unknown, begin, w.of(id))
		return
	}
	if begin == x.Start { // it came after the maps: its copy includes its set-up
		w.back(Shuffle, w.ready(x), w.of(id))
		w.back(SetUp, x.Start, w.of(id))
		return
	}
	w.back(Shuffle, begin, w.of(id))
}

// leastSetUp is the shortest set-up that reports can show, in milliseconds.
const leastSetUp = 100

// ready returns when an attempt's set-up ended, its start if that is unknown. On slots, the cluster's set-up is
// known. Otherwise it follows from a map's reports: the first one is extrapolated back to no work at the rate of
// the following ones (docs/facts/measured.md 4). No report shows when a reduce began to copy.
func (w *walker) ready(x *attempt) dag.Instant {
	if setup := w.s.Plan.Cluster.Setup; setup > 0 {
		return min(x.Start.Add(setup), w.at)
	}
	if w.copies(x) || !x.First.At.Known() || x.End.Known() && x.First.At >= x.End {
		return x.Start
	}
	last, at := x.Last.Done, x.Last.At
	if x.State == dag.AttemptSucceeded && x.Done[0] > x.First.Done {
		last, at = x.Done[0], x.End
	}
	if !at.Known() || at < x.First.At+1000 || !(last > x.First.Done) {
		return x.Start
	}
	back := x.First.Done * float64(at-x.First.At) / (last - x.First.Done)
	if took := float64(x.First.At-x.Start) - back; took >= leastSetUp {
		return min(x.Start+dag.Instant(took), w.at)
	}
	return x.Start
}
