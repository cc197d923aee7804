package watch

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// Skew dresses what estimators tell of uneven reduces; nil stays nil. remaining is standard's, from which other ends count. Of a
// plan, which nobody has submitted, instants mean nothing: its times count from now.
func Skew(s *dag.Snapshot, skew []estimators.Skew, remaining *time.Duration) []frame.Skew {
	if skew == nil || remaining == nil {
		return nil
	}
	end, origin := s.At.Add(*remaining), s.Origin()
	if !origin.Known() {
		end = dag.NoInstant
	}
	out := make([]frame.Skew, len(skew))
	for i := range skew {
		from := &skew[i]
		out[i] = frame.Skew{
			Job: s.Plan.Jobs[from.Job].Node, Reduces: from.Reduces, Skewed: from.Skewed, KeysFrom: from.Keys,
			MedianSeconds: frame.SecondsOf(from.Median), DelaySeconds: frame.SecondsOf(from.Delay), Worst: []frame.SkewedReduce{},
		}
		for k := range from.Worst {
			out[i].Worst = append(out[i].Worst, skewedReduce(s, from, &from.Worst[k]))
		}
		if p := from.Split; p != nil {
			out[i].Split = &frame.Split{
				Task: p.Task, Key: frame.Text(p.Key), Parts: p.Parts,
				SoonerSeconds: frame.SecondsOf(p.Sooner), EndAt: frame.TimeOf(end.Add(-p.Sooner)),
			}
		}
		if d := from.Double; d != nil {
			out[i].Doubled = &frame.Doubled{Reduces: 2 * from.Reduces, SoonerSeconds: frame.SecondsOf(*d), EndAt: frame.TimeOf(end.Add(-*d))}
		}
	}
	return out
}

func skewedReduce(s *dag.Snapshot, skew *estimators.Skew, r *estimators.SkewedReduce) frame.SkewedReduce {
	out := frame.SkewedReduce{
		Task: r.Task, Done: r.Done, ShareRatio: frame.RatioOf(r.Share), WorkSeconds: frame.SecondsOf(r.Work),
		DelaySeconds: frame.SecondsIn(r.Delay), Keys: []frame.SkewedKey{},
	}
	if origin := s.Origin(); origin.Known() {
		out.EndSeconds, out.EndAt = frame.Since(r.End, origin), frame.TimeOf(r.End)
	} else {
		out.EndSeconds = frame.Since(r.End, s.At)
	}
	switch skew.Sizes {
	case estimators.SizesBytes:
		out.SizeBytes = finite(r.Size)
	case estimators.SizesRecords:
		out.SizeRecords = finite(r.Size)
	case estimators.SizesUnknown:
	}
	if r.Running != nil {
		out.Attempt = frame.Text(r.Running.Name(s.Jobs[skew.Job].ID, dag.Reduce))
	}
	for _, k := range r.Keys {
		out.Keys = append(out.Keys, frame.SkewedKey{
			Key: frame.Text(k.Name), SizeBytes: finite(k.Bytes), TaskRatio: frame.RatioOf(k.TaskShare), ShareRatio: frame.RatioOf(k.JobShare),
			PredictedSeconds: frame.SecondsOf(k.Took), Rule: k.Rule, Done: !k.Left, DelaySeconds: frame.SecondsIn(k.Delay),
		})
	}
	return out
}

// finite is nil for what JSON has no number for.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
