package observed

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// splits is the group's job as seen at now, each of its eight maps with a split of so many bytes, and with records of a
// length of its own that take alpha milliseconds each, all after a start-up of 5 s.
func splits(now dag.Instant, bytes float64, lengths []float64, alpha func(length float64) float64) *dag.Snapshot {
	s := group(now, 1, 1)
	for i := range s.Jobs[0].Stages[dag.Map].Attempts {
		a := &s.Jobs[0].Stages[dag.Map].Attempts[i]
		records := math.Round(bytes / lengths[i])
		*a = mapAttempt(int32(i), 5000+dag.Instant(i), 5000, alpha(lengths[i]), records, now)
		a.Bytes = bytes * a.Done[0] / records
	}
	return s
}

// TestRecordsCountByLength: maps whose records take the square of their length go at rates of their own, and one to
// come takes as long as they do in the mean.
func TestRecordsCountByLength(t *testing.T) {
	t.Parallel()
	lengths := []float64{4000, 2000, 8000, 1000, 3000, 6000, 1500, 5000}
	const bytes = 16 << 20
	for name, power := range map[string]float64{"the same": 0, "its length": 1, "the square of its length": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alpha := func(length float64) float64 { return 4 * math.Pow(length/2000, power) }
			m := New(runOf(splits(29_000, bytes, lengths, alpha), splits(30_000, bytes, lengths, alpha)), Options{})
			mean := 0.0
			for i, length := range lengths {
				whole := alpha(length) * bytes / length
				mean += whole / float64(len(lengths))
				a := &m.Snapshot.Jobs[0].Stages[dag.Map].Attempts[i]
				want := whole - float64(30_000-10_000-i)
				if a.State != dag.AttemptRunning {
					continue
				}
				cost := m.Left(schedule.Task{Stage: dag.Map, Index: i, Node: -1, Slot: -1, Running: a, Together: 1})
				near(t, "what is left of a map", taskcost.MS(cost.Work), want, 0.1*want+1000)
			}
			if power == 0 {
				return // how many records are to come nothing tells
			}
			cost := m.Left(schedule.Task{Stage: dag.Map, Index: 9, Node: -1, Slot: -1, Together: 1})
			near(t, "a map to come", taskcost.MS(cost.Work), mean, 0.1*mean)
		})
	}
}

// TestLengthLaw: too few maps, lengths that are alike, and times that do not follow from them tell no power.
func TestLengthLaw(t *testing.T) {
	t.Parallel()
	law := func(pairs ...[2]float64) float64 {
		var l lengthLaw
		for _, p := range pairs {
			l.add(p[0], p[1])
		}
		return l.power()
	}
	for name, c := range map[string]struct {
		pairs [][2]float64
		want  float64
	}{
		"none":            {nil, 0},
		"four maps":       {[][2]float64{{1, 1}, {2, 4}, {3, 9}, {4, 16}}, 0},
		"five":            {[][2]float64{{1, 1}, {2, 4}, {3, 9}, {4, 16}, {5, 25}}, 2},
		"steep":           {[][2]float64{{1, 1}, {2, 32}, {3, 243}, {4, 1024}, {5, 3125}}, mostPower},
		"alike":           {[][2]float64{{1, 1}, {1.01, 4}, {1.02, 9}, {1.03, 16}, {1.04, 25}}, 0},
		"by chance":       {[][2]float64{{1, 1}, {2, 4}, {3, 1}, {4, 4}, {5, 1}}, 0},
		"shorter":         {[][2]float64{{5, 1}, {4, 2}, {3, 3}, {2, 4}, {1, 5}}, 0},
		"all of one size": {[][2]float64{{3, 1}, {3, 2}, {3, 3}, {3, 4}, {3, 5}}, 0},
	} {
		if got := law(c.pairs...); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: power %v, want %v", name, got, c.want)
		}
	}
}

// TestFewBytesTellNoLength: a reader is some buffers ahead, so that small splits are all read at the first report.
func TestFewBytesTellNoLength(t *testing.T) {
	t.Parallel()
	a := dag.Attempt{Bytes: leastBytes - 1, Done: [dag.Pipelines]float64{100}}
	if got := recordBytes(&a); !math.IsNaN(got) {
		t.Errorf("got %v", got)
	}
	if a.Bytes = leastBytes; recordBytes(&a) != leastBytes/100.0 {
		t.Errorf("got %v, want %v", recordBytes(&a), leastBytes/100.0)
	}
}
