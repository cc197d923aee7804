package past

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/units"
)

// runScore has the errors of the estimators along one run, for people or as JSON. Errors are in percentage points of
// progress (facts/paratimer.md P24).
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
func score(c *cli.Context, f *follow.Flags) error {
	var runs []runScore
	for _, path := range c.Args().Slice() {
		r, err := scoreFile(c, f, path)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	isBrief := !c.IsSet("estimators")
	return command.Print(c, map[string]any{"runs": runs}, func(w io.Writer) error {
		for i, r := range runs {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := r.text(w, isBrief); err != nil {
				return err
			}
		}
		return nil
	})
}

func scoreFile(c *cli.Context, f *follow.Flags, path string) (r runScore, err error) {
	src, err := input.Open(c, path)
	if err != nil {
		return r, err
	}
	trial := alert.Trial{Held: f.Bounds}
	seen := scoreRecorder{from: c.Duration("from").Seconds()}
	w := f.Watch(c, src, nil)
	w.Sinks, w.Log = []watch.Sink{&seen, &trial}, zerolog.Nop()
	state, err := w.Run(c.Context)
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

// text writes the tables of a run: its estimators, its ranges, its alerts.
func (r runScore) text(out io.Writer, isBrief bool) error {
	id := ""
	if r.WorkflowID != nil {
		id = " " + *r.WorkflowID
	}
	fmt.Fprintf(out, "%s%s: %s, %s; errors in percentage points\n", r.File, id, units.Seconds(r.TotalSeconds),
		units.Count(r.Ticks, "tick"))
	shown := r.Estimators
	if isBrief {
		isLeftOut := func(e estimatorScore) bool { return !slices.Contains(mainRows, e.Name) }
		shown = slices.DeleteFunc(slices.Clone(shown), isLeftOut)
	}
	rows := [][]string{strings.Split("estimator,mean,median,p90,max,bias,mean s,none,first s,half,back", ",")}
	for _, e := range shown {
		rows = append(rows, []string{
			e.Name, cell("%.1f", e.MeanPoints), cell("%.1f", e.MedianPoints), cell("%.1f", e.P90Points),
			cell("%.1f", e.MaxPoints), cell("%+.1f", e.BiasPoints), cell("%.1f", e.MeanSeconds),
			cell("%.2f", e.NoEstimateRatio), cell("%.0f", e.FirstEstimateSeconds), cell("%.1f", e.HalfTimePoints),
			strconv.Itoa(e.StepsBack),
		})
	}
	if err := view.Table(out, tabwriter.AlignRight, rows); err != nil {
		return err
	}
	if isBrief {
		fmt.Fprint(out, legendOf(shown, len(r.Estimators)))
	}
	fmt.Fprintf(out, "ranges at %d of %d ticks; rough, with too few earlier runs, at %s of these; CRPS %s s\n",
		r.RangeTicks, r.Ticks, units.Known(r.RoughRatio, units.Tenths), cell("%.1f", r.CRPSSeconds))
	rows = [][]string{{"range", "held", "mean width", "interval score s"}}
	for _, l := range r.Coverage {
		rows = append(rows, []string{
			units.Percent(l.RangeRatio), units.Known(l.HeldRatio, units.Tenths),
			units.Known(l.MeanWidthRatio, units.Tenths), cell("%.1f", l.IntervalScoreSeconds),
		})
	}
	if err := view.Table(out, tabwriter.AlignRight, rows); err != nil {
		return err
	}
	for _, a := range r.Alerts {
		fmt.Fprintf(out, "alert %s: fired after %s, warning %s: %s\n", a.Bound, units.Have(a.FiredSeconds, units.Seconds),
			units.Have(a.WarningSeconds, units.Seconds), a.Verdict)
	}
	return nil
}

func cell(format string, v *float64) string {
	return units.Known(v, func(v float64) string { return fmt.Sprintf(format, v) })
}

// mainRows are the rows of the short table: ParaTimer's headline, the engine's own progress, and a simple indicator.
var mainRows = []string{"standard", "hadoop", "dne"}

// legendOf explains the rows and columns of the short table.
func legendOf(rows []estimatorScore, all int) string {
	about := map[string]string{mainRows[0]: "ParaTimer's headline"}
	for _, s := range paper.Others() {
		about[s.Name] = s.Meaning
	}
	text := ""
	for _, r := range rows {
		text += fmt.Sprintf("  %s: %s\n", r.Name, about[r.Name])
	}
	text += "  bias: + is progress too high, - too low; none: share of observations without an estimate; first s: when the first came;\n" +
		"  half: error halfway; back: steps backwards\n"
	if more := all - len(rows); more > 0 {
		text += fmt.Sprintf("  --estimators all shows %d more\n", more)
	}
	return text
}
