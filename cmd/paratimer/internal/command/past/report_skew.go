package past

import (
	"cmp"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// reportSkew prints the tasks and keys that delay a query, and what another partitioning would save.
func reportSkew(c *cli.Context, f *follow.Flags) error {
	run, err := f.Subject(c, c.Args().First())
	if err != nil {
		return err
	}
	r, err := skewOf(follow.ModelOf(c), run)
	if err != nil {
		return err
	}
	return command.Write(c, cmp.Or(c.String("out"), "-"), func(w io.Writer) error {
		if command.Format(c) == "json" {
			return view.JSON(w, r, "  ")
		}
		return runreport.Skew(&r).Text(w)
	})
}

// skewOf returns the state of the tasks in the last snapshot of a run. Of a succeeded run, the delays are how much
// sooner it would have ended with even tasks.
func skewOf(model estimators.Model, run dag.Run) (r runreport.SkewReport, err error) {
	s := run.Now()
	r = runreport.SkewReport{
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
	if past, ok := whatif.Again(run); s.State == dag.Succeeded && ok {
		r.ElapsedSeconds = frame.SecondsIn(&past.Took)
		r.Skew, err = runreport.SkewOf(run, past, model)
		return r, err
	}
	var remaining time.Duration
	w := estimators.NewReplayContext(run, model, estimators.Options{})
	skew, err := explain.SkewOf(w, true)
	if err == nil && skew != nil {
		sch, err := w.Schedule()
		if err != nil {
			return r, err
		}
		remaining = sch.Remaining()
		r.RemainingSeconds = frame.SecondsIn(&remaining)
		if submitted {
			r.EndAt = frame.TimeOf(sch.End)
		}
	}
	r.Skew = frame.SkewOf(s, skew, &remaining)
	return r, err
}
