package engine

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// countedGroups holds that what counters told of key groups adds up, at the end of a recorded run, to what each reduce
// read and how long it took for it, and that no point that was told is taken back while its attempt is the same. It
// returns how many points there are.
func countedGroups(t *testing.T, name string, run []*dag.Snapshot) (points int) {
	t.Helper()
	for i := 1; i < len(run); i++ {
		for j := range run[i].Jobs {
			if j < len(run[i-1].Jobs) && run[i].Jobs[j].ID == run[i-1].Jobs[j].ID {
				onlyGrows(t, name, run[i-1].Jobs[j].Groups, run[i].Jobs[j].Groups)
			}
		}
	}
	last := run[len(run)-1]
	for j := range last.Jobs {
		job := &last.Jobs[j]
		if job.Groups == nil {
			continue
		}
		for i, r := range job.Groups.Reduces {
			points += len(r.Done)
			addsUp(t, name, job, i)
		}
	}
	return points
}

func onlyGrows(t *testing.T, name string, was, is *dag.Groups) {
	t.Helper()
	if was == nil {
		return
	}
	if is == nil {
		t.Fatalf("%s: groups are forgotten", name)
	}
	for i := range was.Reduces {
		a, b := &was.Reduces[i], &is.Reduces[i]
		if a.Attempt != b.Attempt {
			continue
		}
		if len(b.Done) < len(a.Done) {
			t.Errorf("%s: reduce %d had %d points, has %d", name, i, len(a.Done), len(b.Done))
			continue
		}
		for k := range a.Done {
			if a.Done[k] != b.Done[k] {
				t.Errorf("%s: point %d of reduce %d was %v, is %v", name, k, i, a.Done[k], b.Done[k])
			}
		}
	}
}

func addsUp(t *testing.T, name string, job *dag.JobState, task int) {
	t.Helper()
	r := &job.Groups.Reduces[task]
	if len(r.Done) == 0 {
		return
	}
	for i := range job.Stages[dag.Reduce].Attempts {
		a := &job.Stages[dag.Reduce].Attempts[i]
		if int(a.Task) != task || a.State != dag.AttemptSucceeded {
			continue
		}
		if a.Number != r.Attempt {
			t.Errorf("%s: reduce %d succeeded in attempt %d, its groups are attempt %d's", name, task, a.Number,
				r.Attempt)
		}
		bytes, seconds := 0.0, 0.0
		for _, p := range r.Done {
			bytes += p.Bytes * p.Count
			seconds += p.Took.Seconds() * p.Count
		}
		if want := a.End.Sub(a.SortEnd).Seconds(); math.Abs(seconds-want) > 0.001 {
			t.Errorf("%s: the groups of reduce %d took %v s, it reduced for %v", name, task, seconds, want)
		}
		// Bytes are by records: as far from the shuffle's counter as this reduce's records are from the job's mean.
		if bytes < 0.8*r.Bytes || bytes > 1.25*r.Bytes {
			t.Errorf("%s: the groups of reduce %d have %v bytes of %v", name, task, bytes, r.Bytes)
		}
	}
}
