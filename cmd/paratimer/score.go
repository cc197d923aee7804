package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"text/tabwriter"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// scores is what `paratimer score --output json` prints.
type scores struct {
	Runs []runScore `json:"runs"`
}

// runScore is how right the estimators were along one run. Errors are in percentage points of progress (facts P24).
type runScore struct {
	File         string           `json:"file"`
	WorkflowID   *string          `json:"workflow_id"`
	TotalSeconds float64          `json:"total_seconds"`
	Ticks        int              `json:"ticks"`
	Estimators   []estimatorScore `json:"estimators"`
}

type estimatorScore struct {
	Name                 string   `json:"name"`
	MeanPoints           *float64 `json:"mean_points"`
	MedianPoints         *float64 `json:"median_points"`
	P90Points            *float64 `json:"p90_points"`
	MaxPoints            *float64 `json:"max_points"`
	BiasPoints           *float64 `json:"bias_points"`
	MeanSeconds          *float64 `json:"mean_seconds"`
	NoEstimateRatio      *float64 `json:"no_estimate_ratio"`
	FirstEstimateSeconds *float64 `json:"first_estimate_seconds"`
	HalfTimePoints       *float64 `json:"half_time_points"`
	StepsBack            int      `json:"steps_back"`
}

// score compares what each estimator said along finished runs with what happened.
func score(c *cli.Context) error {
	if err := arguments(c, 1, -1); err != nil {
		return err
	}
	profiles, err := readProfiles(c)
	if err != nil {
		return err
	}
	var all scores
	for _, path := range c.Args().Slice() {
		r, err := scoreFile(c.Context, path, c.String("workflow"), c, profiles)
		if err != nil {
			return err
		}
		all.Runs = append(all.Runs, r)
	}
	if c.String("output") == "json" {
		return json.NewEncoder(c.App.Writer).Encode(all)
	}
	for i, r := range all.Runs {
		if i > 0 {
			fmt.Fprintln(c.App.Writer)
		}
		if err := r.table(c); err != nil {
			return err
		}
	}
	return nil
}

func scoreFile(ctx context.Context, path, workflow string, c *cli.Context, profiles []*dag.Plan) (r runScore, err error) {
	src, file, err := openRecording(path, workflow, c.Duration("every"))
	if err != nil {
		return r, err
	}
	defer closing(file, path, &err)
	seen := ledger{from: c.Duration("from").Seconds()}
	state, err := watch.Watch{Source: withProfiles(src, profiles), Panel: panel(true), Sinks: []watch.Sink{&seen}, Log: zerolog.Nop()}.Run(ctx)
	switch {
	case err != nil:
		return r, fmt.Errorf("%s: %w", path, err)
	case !state.Ended() || seen.last.ElapsedSeconds == nil:
		return r, usage("%s: the recording ends while the query is %s: only finished runs can be scored", path, state)
	}
	return seen.score(path), nil
}

// A ledger is a sink that remembers what each estimator said.
type ledger struct {
	from    float64 // ticks before these seconds of the run do not count
	names   []string
	samples map[string][]estimators.Sample
	back    map[string]int
	ends    map[string]float64 // the end that it predicted last, in seconds of the run
	last    watch.Frame
}

// Show takes the frame's numbers in. Stale frames repeat others and are left out.
func (l *ledger) Show(f watch.Frame) error {
	if f.StaleSeconds > 0 || f.ElapsedSeconds == nil {
		return nil
	}
	l.last = f
	if f.Workflow.State.Ended() {
		return nil
	}
	for i, e := range f.Estimates {
		remaining := e.RemainingSeconds
		if i == 0 {
			remaining = f.Headline.RemainingSeconds // "at least" is no estimate
		}
		l.add(e.Scenario, f, number(remaining), math.NaN(), i == 0 && explained(f.Changes))
	}
	for _, o := range f.Others {
		p := math.NaN()
		if o.ProgressRatio != nil {
			p = float64(*o.ProgressRatio)
		}
		l.add(o.Name, f, number(o.RemainingSeconds), p, false)
	}
	return nil
}

func (l *ledger) add(name string, f watch.Frame, remaining, progress float64, explained bool) {
	if l.samples == nil {
		l.samples, l.back, l.ends = map[string][]estimators.Sample{}, map[string]int{}, map[string]float64{}
	}
	if _, known := l.samples[name]; !known {
		l.names = append(l.names, name)
	}
	if float64(*f.ElapsedSeconds) < l.from {
		return
	}
	s := estimators.Sample{Elapsed: float64(*f.ElapsedSeconds), Remaining: remaining, Progress: progress}
	l.samples[name] = append(l.samples[name], s)
	end := predicted(s)
	if was, ok := l.ends[name]; ok && end > was && estimators.Moved(seconds(end-was), seconds(end)) && !explained {
		l.back[name]++
	}
	if !math.IsNaN(end) && !math.IsInf(end, 0) {
		l.ends[name] = end
	}
}

// predicted is the end that a sample predicts, in seconds of the run.
func predicted(s estimators.Sample) float64 {
	if math.IsNaN(s.Remaining) {
		return s.Elapsed / s.Progress
	}
	return s.Elapsed + s.Remaining
}

func seconds(s float64) time.Duration { return watch.Seconds(s).Duration() }

func number(s *watch.Seconds) float64 {
	if s == nil {
		return math.NaN()
	}
	return float64(*s)
}

// explained says whether most of a move has a reason.
func explained(changes []watch.Change) bool {
	var all, other float64
	for _, c := range changes {
		all += float64(c.DeltaSeconds)
		if c.Reason == string(estimators.ReasonOther) {
			other = float64(c.DeltaSeconds)
		}
	}
	return len(changes) > 0 && math.Abs(other) <= math.Abs(all)/2
}

func (l *ledger) score(path string) runScore {
	total := float64(*l.last.ElapsedSeconds)
	r := runScore{File: path, WorkflowID: l.last.Workflow.ID, TotalSeconds: total}
	for _, name := range l.names {
		g := estimators.Grade(total, l.samples[name])
		r.Ticks = g.Ticks
		r.Estimators = append(r.Estimators, estimatorScore{
			Name: name, MeanPoints: known(g.MeanPoints), MedianPoints: known(g.MedianPoints), P90Points: known(g.P90Points),
			MaxPoints: known(g.MaxPoints), BiasPoints: known(g.BiasPoints), MeanSeconds: known(g.MeanSeconds),
			NoEstimateRatio: known(g.NoEstimate), FirstEstimateSeconds: known(g.FirstEstimate), HalfTimePoints: known(g.HalfTime),
			StepsBack: l.back[name],
		})
	}
	return r
}

func (r runScore) table(c *cli.Context) error {
	id := ""
	if r.WorkflowID != nil {
		id = " " + *r.WorkflowID
	}
	fmt.Fprintf(c.App.Writer, "%s%s: %.1f s, %d ticks; errors in percentage points\n", r.File, id, r.TotalSeconds, r.Ticks)
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "estimator\tmean\tmedian\tp90\tmax\tbias\tmean s\tnone\tfirst s\thalf\tback\t")
	for _, e := range r.Estimators {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t\n", e.Name, cell("%.1f", e.MeanPoints), cell("%.1f", e.MedianPoints),
			cell("%.1f", e.P90Points), cell("%.1f", e.MaxPoints), cell("%+.1f", e.BiasPoints), cell("%.1f", e.MeanSeconds),
			cell("%.2f", e.NoEstimateRatio), cell("%.0f", e.FirstEstimateSeconds), cell("%.1f", e.HalfTimePoints), e.StepsBack)
	}
	return w.Flush()
}

func cell(format string, v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf(format, *v)
}

// known is nil for what cannot be said, and rounds the rest to a thousandth.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	v = math.Round(v*1000) / 1000
	return &v
}
