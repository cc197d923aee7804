package dag

// A Run is what a watcher has observed of one query: a bounded window of snapshots, and the snapshots that plans
// are made from. Estimators are pure functions of a run.
type Run struct {
	Window []*Snapshot // newest last; at least one
	// the first snapshot and the one at the newest failure: when the paper (section 4) plans and re-plans
	Anchors []*Snapshot
}

// Now returns the newest snapshot.
func (r Run) Now() *Snapshot { return r.Window[len(r.Window)-1] }

// Before returns the newest snapshot that is at least ms milliseconds older than Now, or the oldest one.
func (r Run) Before(ms int64) *Snapshot {
	limit := r.Now().At - Instant(ms)
	for i := len(r.Window) - 1; i >= 0; i-- {
		if r.Window[i].At <= limit {
			return r.Window[i]
		}
	}
	return r.Window[0]
}

// windowMS bounds a run's window: rates are measured over at most a minute (docs/facts/paratimer.md P16), and by
// Luo over ten seconds of it.
const windowMS = 60_000

// Append returns the run with s as its newest snapshot. Snapshots older than the window are dropped, anchors stay.
func (r Run) Append(s *Snapshot) Run {
	if len(r.Window) == 0 || failedMore(r.Now(), s) {
		r.Anchors = append(r.Anchors[:min(len(r.Anchors), 1):min(len(r.Anchors), 1)], s)
	}
	cut := 0
	for cut+1 < len(r.Window) && r.Window[cut+1].At <= s.At-windowMS {
		cut++
	}
	window := make([]*Snapshot, 0, len(r.Window)-cut+1)
	r.Window = append(append(window, r.Window[cut:]...), s)
	return r
}

// failedMore reports whether s has more failed attempts than the snapshot before it. It skips stages that the two
// share.
func failedMore(before, s *Snapshot) bool {
	more := 0
	count := func(of, other *Snapshot, by int) {
		for i := range of.Jobs {
			for k := range of.Jobs[i].Stages {
				stage := &of.Jobs[i].Stages[k]
				if i < len(other.Jobs) && k < len(other.Jobs[i].Stages) && stage.Shares(&other.Jobs[i].Stages[k]) {
					continue
				}
				for n := range stage.Attempts {
					if stage.Attempts[n].State == AttemptFailed {
						more += by
					}
				}
			}
		}
	}
	count(s, before, 1)
	count(before, s, -1)
	return more > 0
}
