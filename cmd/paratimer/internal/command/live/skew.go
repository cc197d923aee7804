package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/skewness"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/schedule"
)

// skew finds the reduces and keys that delay a query, and what another partitioning would save.
func skew(c *cli.Context) error {
	if err := command.Arguments(c, 0, 1); err != nil {
		return err
	}
	when, err := input.ParseMoment(c.String("at"))
	if err != nil {
		return err
	}
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return err
	}
	ctx, cancel := command.Limited(c)
	defer cancel()
	r, err := skewSeen(ctx, c, when, profiles)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	if c.String("output") == "json" {
		return view.SkewJSON(c.App.Writer, r)
	}
	return view.SkewText(c.App.Writer, r)
}

// skewSeen returns the report of a watcher, or computes it from a run.
func skewSeen(ctx context.Context, c *cli.Context, when input.Moment, profiles []*dag.Plan) (frame.SkewReport, error) {
	name := c.Args().First()
	url := c.String("metrics-url")
	if _, exists, err := input.IsRecording(name); url == "" || exists || err != nil {
		run, err := skewedRun(ctx, c, name, when, profiles)
		if err != nil {
			return frame.SkewReport{}, err
		}
		return skewReport(follow.ModelOf(c), run)
	}
	if when != (input.Moment{}) {
		return frame.SkewReport{}, command.Usage("--at goes with a recording")
	}
	v, err := visiting(c)
	if err != nil {
		return frame.SkewReport{}, err
	}
	f, err := askWatcher(ctx, v, url, name)
	return frame.SkewReport{
		SchemaVersion: f.SchemaVersion, At: f.At, Workflow: f.Workflow, ElapsedSeconds: f.ElapsedSeconds,
		RemainingSeconds: f.Headline.RemainingSeconds, EndAt: f.Headline.EndAt, Skew: f.Skew,
	}, err
}

// skewReport returns the state of the tasks in the last snapshot of a run.
func skewReport(model estimators.Model, run dag.Run) (frame.SkewReport, error) {
	s := run.Now()
	w := estimators.NewReplayContext(run, model, estimators.Options{})
	r := frame.SkewReport{
		SchemaVersion:  frame.SchemaVersion,
		ElapsedSeconds: frame.Since(s.At, s.Origin()),
		Workflow: frame.Workflow{
			ID: frame.Text(s.ID), Name: frame.Text(s.Plan.Name), State: dag.Blocked,
			Engine: s.Plan.Engine, Whole: s.Plan.Whole,
		},
	}
	submitted := s.Origin().Known()
	if submitted {
		r.At, r.Workflow.State = frame.TimeOf(s.At), s.State
	}
	if s.State.Ended() {
		return r, finishedSkew(&r, model, run, w)
	}
	skew, err := skewness.Of(w, true)
	if err != nil {
		return r, err
	}
	sch, err := w.Schedule()
	if err != nil {
		return r, err
	}
	remaining := sch.Remaining()
	if skew != nil {
		r.RemainingSeconds = frame.SecondsIn(&remaining)
	}
	if skew != nil && submitted {
		r.EndAt = frame.TimeOf(sch.End)
	}
	r.Skew = frame.SkewOf(s, skew, &remaining)
	return r, nil
}

// finishedSkew adds the imbalance of the tasks of a succeeded run, and what it cost.
func finishedSkew(r *frame.SkewReport, model estimators.Model, run dag.Run, w *estimators.ReplayContext) error {
	past, ok := whatif.Again(run)
	if run.Now().State != dag.Succeeded || !ok {
		return nil
	}
	again := estimators.NewReplayContext(past.Before, model, estimators.Options{})
	skew, err := skewness.Finished(w, again, past.Took)
	if err != nil {
		return err
	}
	over := time.Duration(0)
	r.ElapsedSeconds, r.Skew = frame.SecondsIn(&past.Took), frame.SkewOf(run.Now(), skew, &over)
	return nil
}

// skewedRun returns the run to evaluate: a plan or a recording if there is a file with the name, else a query of
// the cluster.
func skewedRun(
	ctx context.Context, c *cli.Context, path string, when input.Moment, profiles []*dag.Plan,
) (dag.Run, error) {
	isRecording, exists, err := input.IsRecording(path)
	if err != nil {
		return dag.Run{}, err
	}
	switch {
	case !isRecording && when != (input.Moment{}):
		return dag.Run{}, command.Usage("--at goes with a recording")
	case !exists:
		return skewedNow(ctx, c, path, profiles)
	case !isRecording:
		plan, err := planfile.ReadFile(path, planfile.Options{})
		if err != nil {
			return dag.Run{}, input.NotAPlan(path, "plan or recording", err)
		}
		return dag.Run{}.Append(planview.Before(plan, profiles)), nil
	}
	open := func() (watch.Source, io.Closer, error) {
		src, file, err := input.Open(c, path)
		if when == (input.Moment{}) && c.Duration("every") == 0 {
			input.AtMost(src, mostLooks)
		}
		return input.WithProfiles(src, profiles), file, err
	}
	return skewedThen(ctx, follow.ModelOf(c), path, open, when)
}

// mostLooks is how many observations of a log are compared to find the greatest delay.
const mostLooks = 300

// skewedNow polls a query of the cluster, a second time if the first result is empty.
func skewedNow(ctx context.Context, c *cli.Context, name string, profiles []*dag.Plan) (dag.Run, error) {
	return input.Look(ctx, c, name, profiles, 2, func(run dag.Run) (bool, error) {
		skew, err := skewness.Of(estimators.NewReplayContext(run, follow.ModelOf(c), estimators.Options{}), false)
		return skew != nil, err
	})
}

// skewedThen reads a recording up to a moment. For a fraction of its length the recording is read twice. Without a
// moment it depends on the engine: an application or DAG that has succeeded is read to its end, when all its tasks
// are known. MapReduce jobs, with keys that are known while they run, are read up to the greatest delay.
func skewedThen(ctx context.Context, model estimators.Model, path string, open func() (watch.Source, io.Closer, error),
	when input.Moment,
) (best dag.Run, err error) {
	until, err := when.Until(ctx, path, open)
	if err != nil {
		return best, err
	}
	var run dag.Run
	if until == 0 {
		err := input.EachSnapshot(ctx, path, open, func(s *dag.Snapshot) (bool, error) {
			run = run.Append(s)
			return false, nil
		})
		if err != nil || len(run.Window) > 0 && run.Now().State == dag.Succeeded && !run.Now().Plan.OnlyMapReduce() {
			return run, err
		}
		run = dag.Run{}
	}
	least := time.Duration(-1)
	err = input.EachSnapshot(ctx, path, open, func(s *dag.Snapshot) (bool, error) {
		run = run.Append(s)
		if until > 0 {
			best = run
			since := s.Origin()
			return since.Known() && s.At.Sub(since) >= until, nil
		}
		skew, err := skewness.Of(estimators.NewReplayContext(run, model, estimators.Options{}), false)
		if _, stuck := errors.AsType[*schedule.StuckError](err); stuck { // Spark without executors so far
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("%s, %s: %w", path, s.At.Time().Format(time.RFC3339), err)
		}
		delay := time.Duration(-1)
		switch {
		case len(skew) > 0:
			delay = skew[0].Delay
		case skew != nil:
			delay = 0
		}
		if delay > least || delay <= 0 && delay == least { // without a delay, the last one with a result
			best, least = run, delay
		}
		return false, nil
	})
	if err == nil && best.Window == nil {
		err = fmt.Errorf("%s: the recording holds no observation", path)
	}
	return best, err
}
