package frame

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// A Skew is the uneven distribution of work over the reduces of an unfinished job, or over the tasks of another
// stage, and the time that it costs the query.
type Skew struct {
	Job string `json:"job"`
	// Stage is the stage's name; "": the reduces of a MapReduce job.
	Stage         string          `json:"stage,omitempty"`
	Reduces       int             `json:"reduces"`
	Skewed        int             `json:"skewed"`
	MedianSeconds Seconds         `json:"median_seconds"`
	DelaySeconds  Seconds         `json:"delay_seconds"`
	KeysFrom      dag.GroupOrigin `json:"keys_from"`
	Worst         []SkewedTask    `json:"worst"`
	Split         *Split          `json:"split"`
	Doubled       *Doubled        `json:"doubled"`
	// Whole is true if the query is a single job, which has no name for users.
	Whole bool `json:"-"`
}

// A SkewedTask is one of the longest tasks of a stage.
type SkewedTask struct {
	Task         int         `json:"task"`
	Attempt      *string     `json:"attempt"`
	Done         bool        `json:"done"`
	SizeBytes    *float64    `json:"size_bytes"`
	SizeRecords  *float64    `json:"size_records"`
	ShareRatio   *Ratio      `json:"share_ratio"`
	WorkSeconds  Seconds     `json:"work_seconds"`
	EndSeconds   *Seconds    `json:"end_seconds"`
	EndAt        *Time       `json:"end_at"`
	DelaySeconds *Seconds    `json:"delay_seconds"`
	Keys         []SkewedKey `json:"keys"`
}

// A SkewedKey is one of the largest key groups of a reduce.
type SkewedKey struct {
	Key              *string  `json:"key"`
	SizeBytes        *float64 `json:"size_bytes"`
	TaskRatio        *Ratio   `json:"task_ratio"`
	ShareRatio       *Ratio   `json:"share_ratio"`
	PredictedSeconds Seconds  `json:"predicted_seconds"`
	Rule             string   `json:"rule"`
	Done             bool     `json:"done"`
	DelaySeconds     *Seconds `json:"delay_seconds"`
}

// A Split is the predicted effect of spreading a key's values over several reduces.
type Split struct {
	Task          int     `json:"task"`
	Key           *string `json:"key"`
	Parts         int     `json:"parts"`
	SoonerSeconds Seconds `json:"sooner_seconds"`
	EndAt         *Time   `json:"end_at"`
}

// A Doubled is the predicted effect of twice as many reduces.
type Doubled struct {
	Reduces       int     `json:"reduces"`
	SoonerSeconds Seconds `json:"sooner_seconds"`
	EndAt         *Time   `json:"end_at"`
}

// SkewOf formats the estimators' result about uneven tasks; nil stays nil. remaining is standard's, the reference
// for the other ends. For a plan that was not submitted there are no instants: its times count from now.
func SkewOf(s *dag.Snapshot, skew []estimators.Skew, remaining *time.Duration) []Skew {
	if skew == nil || remaining == nil {
		return nil
	}
	end, origin := s.At.Add(*remaining), s.Origin()
	if !origin.Known() {
		end = dag.NoInstant
	}
	out := make([]Skew, len(skew))
	for i, from := range skew {
		out[i] = Skew{
			Job: s.Plan.Jobs[from.Job].Node, Reduces: from.Tasks, Skewed: from.Skewed, KeysFrom: from.Keys,
			MedianSeconds: SecondsOf(from.Median), DelaySeconds: SecondsOf(from.Delay), Whole: s.Plan.IsWhole(),
			Worst: units.Each(from.Worst, func(t estimators.SkewedTask) SkewedTask { return skewedTask(s, &from, &t) }),
		}
		if !s.Plan.Jobs[from.Job].IsMapReduce() {
			out[i].Stage = s.Plan.StageName(from.Job, from.Stage)
		}
		if p := from.Split; p != nil {
			out[i].Split = &Split{
				Task: p.Task, Key: Text(p.Key), Parts: p.Parts,
				SoonerSeconds: SecondsOf(p.Sooner), EndAt: TimeOf(end.Add(-p.Sooner)),
			}
		}
		if d := from.Double; d != nil {
			out[i].Doubled = &Doubled{
				Reduces: 2 * from.Tasks, SoonerSeconds: SecondsOf(*d), EndAt: TimeOf(end.Add(-*d)),
			}
		}
	}
	return out
}

func skewedTask(s *dag.Snapshot, skew *estimators.Skew, r *estimators.SkewedTask) SkewedTask {
	out := SkewedTask{
		Task: r.Task, Done: r.Done, ShareRatio: RatioOf(r.Share), WorkSeconds: SecondsOf(r.Work),
		DelaySeconds: SecondsIn(r.Delay), Keys: units.Each(r.Keys, skewedKey),
	}
	out.EndSeconds = Since(r.End, dag.FirstKnown(s.Origin(), s.At))
	if s.Origin().Known() {
		out.EndAt = TimeOf(r.End)
	}
	if skew.Sizes == estimators.SizesBytes {
		out.SizeBytes = finite(r.Size)
	}
	if skew.Sizes == estimators.SizesRecords {
		out.SizeRecords = finite(r.Size)
	}
	if r.Running != nil {
		out.Attempt = Text(r.Running.Name(s.Jobs[skew.Job].ID, s.Plan.StageName(skew.Job, skew.Stage)))
	}
	return out
}

func skewedKey(k estimators.SkewedKey) SkewedKey {
	return SkewedKey{
		Key: Text(k.Name), SizeBytes: finite(k.Bytes), TaskRatio: RatioOf(k.TaskShare), ShareRatio: RatioOf(k.JobShare),
		PredictedSeconds: SecondsOf(k.Took), Rule: k.Rule, Done: !k.Left, DelaySeconds: SecondsIn(k.Delay),
	}
}

// finite returns nil for a value that is not a JSON number.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
