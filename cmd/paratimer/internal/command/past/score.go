package past

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// scores is the JSON of `paratimer score --output json`.
type scores struct {
	Runs []runScore `json:"runs"`
}

// runScore has the errors of the estimators along one run. Errors are in percentage points of progress
// (docs/facts/paratimer.md P24).
type runScore struct {
	File         string           `json:"file"`
	WorkflowID   *string          `json:"workflow_id"`
	TotalSeconds float64          `json:"total_seconds"`
	Ticks        int              `json:"ticks"`
	Estimators   []estimatorScore `json:"estimators"`
	// Coverage is how often ranges contained the true remaining time, over RangeTicks; RoughRatio of these were
	// rough.
	Coverage    []rangeScore   `json:"coverage"`
	RangeTicks  int            `json:"range_ticks"`
	RoughRatio  *float64       `json:"rough_ratio"`
	CRPSSeconds *float64       `json:"crps_seconds"`
	Alerts      []alert.Result `json:"alerts"`
}

type rangeScore struct {
	RangeRatio           float64  `json:"range_ratio"`
	HeldRatio            *float64 `json:"held_ratio"`
	MeanWidthRatio       *float64 `json:"mean_width_ratio"` // relative to the run's length
	IntervalScoreSeconds *float64 `json:"interval_score_seconds"`
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

// score compares the estimates along finished runs with the actual ends.
func score(c *cli.Context) error {
	if err := command.Arguments(c, 1, -1); err != nil {
		return err
	}
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return err
	}
	held, err := follow.Bounds(c)
	if err != nil {
		return err
	}
	var all scores
	for _, path := range c.Args().Slice() {
		r, err := scoreFile(c.Context, path, c, profiles, held)
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

func scoreFile(ctx context.Context, path string, c *cli.Context, profiles []*dag.Plan, held []alert.Bound,
) (r runScore, err error) {
	compared, err := follow.BatteryOf(c)
	if err != nil {
		return r, err
	}
	src, file, err := input.Open(c, path)
	if err != nil {
		return r, err
	}
	defer command.Closing(file, path, &err)
	trial := alert.Trial{Held: held}
	seen := scoreRecorder{from: c.Duration("from").Seconds()}
	w := watch.Watch{
		Source:     input.WithProfiles(src, profiles),
		Estimators: follow.EstimatorSetOf(follow.ModelOf(c), compared, 0), Sinks: []watch.Sink{
			&seen,
			&trial,
		}, Bounds: held, Log: zerolog.Nop(),
	}
	state, err := w.Run(ctx)
	switch {
	case err != nil:
		return r, fmt.Errorf("%s: %w", path, err)
	case !state.Ended() || seen.last.ElapsedSeconds == nil:
		return r, command.Usage("%s: the recording ends while the query is %s: only finished runs can be scored", path,
			state)
	}
	r = seen.score(path)
	r.Alerts = trial.Results()
	return r, nil
}

func (r runScore) table(c *cli.Context) error {
	id := ""
	if r.WorkflowID != nil {
		id = " " + *r.WorkflowID
	}
	fmt.Fprintf(c.App.Writer, "%s%s: %s, %s; errors in percentage points\n", r.File, id, units.Seconds(r.TotalSeconds),
		units.Count(r.Ticks, "tick"))
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "estimator\tmean\tmedian\tp90\tmax\tbias\tmean s\tnone\tfirst s\thalf\tback\t")
	rows := r.Estimators
	brief := !c.Bool("all") && !c.IsSet("estimators")
	if brief {
		rows = mainRows(rows)
	}
	for _, e := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t\n", e.Name, cell("%.1f", e.MeanPoints),
			cell("%.1f", e.MedianPoints),
			cell("%.1f", e.P90Points), cell("%.1f", e.MaxPoints), cell("%+.1f", e.BiasPoints),
			cell("%.1f", e.MeanSeconds),
			cell("%.2f", e.NoEstimateRatio), cell("%.0f", e.FirstEstimateSeconds), cell("%.1f", e.HalfTimePoints),
			e.StepsBack)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if brief {
		fmt.Fprint(c.App.Writer, legendOf(rows, len(r.Estimators)))
	}
	if err := r.rangeTable(c.App.Writer); err != nil {
		return err
	}
	return alertTable(c.App.Writer, r.Alerts)
}

func (r runScore) rangeTable(out io.Writer) error {
	fmt.Fprintf(out, "ranges at %d of %d ticks; rough, with too few earlier runs, at %s of these; CRPS %s s\n",
		r.RangeTicks, r.Ticks, units.Known(r.RoughRatio, units.Tenths), cell("%.1f", r.CRPSSeconds))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "range\theld\tmean width\tinterval score s\t")
	for _, l := range r.Coverage {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\n", units.Percent(l.RangeRatio), units.Known(l.HeldRatio, units.Tenths),
			units.Known(l.MeanWidthRatio, units.Tenths), cell("%.1f", l.IntervalScoreSeconds))
	}
	return w.Flush()
}

func cell(format string, v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf(format, *v)
}

// alertTable prints when each bound fired, compared with the actual end.
func alertTable(out io.Writer, results []alert.Result) error {
	if len(results) == 0 {
		return nil
	}
	fmt.Fprintln(out, "alerts against the run's end; seconds of the run")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "bound\tdeadline\tfired\twarning\tlate\tverdict\t")
	for _, r := range results {
		deadline, late := "?", "no"
		if r.DeadlineAt != nil {
			deadline = r.DeadlineAt.Time().Format(time.RFC3339)
		}
		if r.Late {
			late = "yes"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Bound, deadline, units.Have(r.FiredSeconds, units.Seconds),
			units.Have(r.WarningSeconds, units.Seconds), late, verdictWords[r.Verdict])
	}
	return w.Flush()
}

// verdictWords describes the verdicts.
var verdictWords = map[alert.Verdict]string{
	alert.True:   "true: warned in time",
	alert.False:  "false: it was not late",
	alert.Missed: "missed: late without a warning",
	alert.Silent: "silent, rightly",
}
