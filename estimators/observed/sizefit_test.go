package observed

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// unlike is a run whose reduces have 100, 200, 400 … bytes, the last of which has not ended, and take work(bytes)
// milliseconds.
func unlike(work func(bytes float64) float64) (*dag.Snapshot, *dag.Attempt) {
	s := reducing(100_000)
	s.Jobs[0].Stages[dag.Reduce].Attempts = nil
	s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = 9
	for i := range int32(9) {
		bytes := 100 * math.Exp2(float64(i))
		a := reduceAttempt(i, bytes, 1, dag.Mark{At: dag.NoInstant}, dag.Mark{At: dag.NoInstant})
		if i < 8 {
			a.State, a.End = dag.AttemptSucceeded, a.CopyEnd+dag.Instant(work(bytes))
		} else {
			a.Start, a.CopyEnd, a.SortEnd = 99_000, 100_000, 100_000
		}
		s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts, a)
	}
	return s, &s.Jobs[0].Stages[dag.Reduce].Attempts[8]
}

// Reduces that take as long whatever their size tell that a large one does, too; those whose work goes by size, and
// those with a part of either, are told from them.
func TestShareBySize(t *testing.T) {
	t.Parallel()
	for what, work := range map[string]func(bytes float64) float64{
		"alike":   func(float64) float64 { return 4000 },
		"by size": func(bytes float64) float64 { return bytes },
		"both":    func(bytes float64) float64 { return 4000 + bytes },
	} {
		s, last := unlike(work)
		m := New(runOf(s), Options{})
		left := taskcost.MS(m.Left(schedule.Task{Index: 8, Stage: dag.Reduce, Running: last}).Work)
		near(t, what, left, work(25_600), 0.1*work(25_600))
	}
}

// Few reduces of like sizes tell nothing: their work goes by size as long as nothing speaks against it.
func TestShareOfFew(t *testing.T) {
	t.Parallel()
	var f sizeFit
	near(t, "none", f.share(), 1, 0)
	f.add(1000, 4000)
	near(t, "one", f.share(), 1, 0)
	f.add(1100, 3900)
	if got := f.share(); got < 0.95 {
		t.Errorf("two of nearly one size: %v", got)
	}
	f.add(math.MaxFloat64, 1)
	if got := f.share(); !(got >= 0 && got <= 1) {
		t.Errorf("an absurd size: %v", got)
	}
}
