package skewed

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/lab/skewed/phase"
	"github.com/paratimer/paratimer/textkey"
)

// sent is the number of bytes of the batches from a run's taps, and of the run's shuffle.
type sent struct {
	maps, reduces, shuffle float64
	explicit               float64 // share of the shuffle in groups that the reduces know individually
}

// batchSeconds is the longest time that a reduce's batch covers.
const batchSeconds = 5

// wire encodes a run's profiles in the tap's format: each map's lambda largest keys, hashed, and each reduce's
// points.
func wire(run *phase.Run, lambda int) (sent, error) {
	var s sent
	for m := range run.Work.Maps {
		b := mapBatch(run.Work, m, lambda)
		text, err := b.Encode()
		if err != nil {
			return s, err
		}
		s.maps += float64(len(text))
	}
	for task := range run.Start {
		batches := reduceBatches(run, task)
		for _, b := range batches {
			text, err := b.Encode()
			if err != nil {
				return s, err
			}
			s.reduces += float64(len(text))
		}
	}
	s.shuffle = run.Work.Shuffle()
	for _, t := range largest(run.Work, lambda, entries*lambda) {
		s.explicit += bytesOf(t.Explicit) / s.shuffle
	}
	return s, nil
}

func newBatch(kind string, task, seq int) tap.Batch {
	const id = "1700000000000_0001"
	return tap.Batch{Version: tap.Version, Job: "job_" + id, Attempt: fmt.Sprintf("attempt_%s_%s_%06d_0", id, kind,
		task), Seq: seq}
}

func mapBatch(w *phase.Work, m, lambda int) tap.Batch {
	b := newBatch("m", m, 0)
	b.Final = true
	profile := tap.MapProfile{Reduces: len(w.Order), Bytes: make([]float64, len(w.Order)), Lambda: lambda}
	parts := slices.Clone(w.Maps[m])
	slices.SortStableFunc(parts, func(a, b phase.Part) int { return int(b.Bytes - a.Bytes) })
	for i, p := range parts {
		task := w.Groups[p.Key].Task
		profile.Bytes[task] += p.Bytes
		profile.Records += p.Bytes / phase.ValueBytes
		if i < lambda {
			profile.Top = append(profile.Top, tap.Key{
				Name: textkey.HashedName(fmt.Append(nil, p.Key)), Reduce: task,
				Bytes: p.Bytes,
			})
		}
	}
	profile.Complete = len(profile.Top) == len(parts)
	b.Map = &profile
	return b
}

func reduceBatches(run *phase.Run, task int) []tap.Batch {
	var all []tap.Batch
	var points []phase.Point
	until := 0.0
	flush := func() {
		if len(points) == 0 {
			return
		}
		b := newBatch("r", task, len(all))
		for _, p := range points {
			b.Points = append(b.Points, tap.Point{
				Age: short(until - p.At), Bytes: p.Bytes, Seconds: short(p.Seconds),
				Count: p.Count,
			})
		}
		all, points = append(all, b), points[:0]
	}
	for _, p := range run.Seen {
		if p.Task != task {
			continue
		}
		if p.At > until || len(points) == tap.MaxPoints {
			flush()
			until = batchSeconds * math.Ceil(p.At/batchSeconds)
		}
		points = joined(points, p)
	}
	flush()
	return all
}

// joined adds a point. Groups of the same size and nearly the same time form one point, as in the tap.
func joined(points []phase.Point, p phase.Point) []phase.Point {
	for i := range points {
		if q := &points[i]; q.Bytes == p.Bytes && math.Abs(q.Seconds-p.Seconds) <= nearestfit.Default().SmoothSeconds {
			q.Seconds += (p.Seconds - q.Seconds) * p.Count / (q.Count + p.Count)
			q.Count += p.Count
			q.At = p.At
			return points
		}
	}
	return append(points, p)
}

// short rounds to six digits.
func short(v float64) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, 5-math.Floor(math.Log10(v)))
	return math.Round(v*unit) / unit
}
