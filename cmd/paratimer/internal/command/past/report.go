package past

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// report writes the report of a past or running query.
func report(c *cli.Context, f *follow.Flags) error {
	switch {
	case c.IsSet("at") && !c.Bool("skew"):
		return command.Usage("--at goes with --skew")
	case c.Bool("live"):
		return reportLive(c, f)
	case c.Bool("skew"):
		return reportSkew(c, f)
	}
	if err := command.Arguments(c, 1, 1); err != nil {
		return err
	}
	switch out := c.String("out"); strings.ToLower(filepath.Ext(out)) {
	case ".pdf", ".png", ".docx":
		return command.Usage("--out %s: a report is HTML, or JSON with --output json: give %s, and print that to PDF in a browser",
			out, strings.TrimSuffix(out, filepath.Ext(out))+".html")
	}
	g, err := collected(c, f, c.Args().First())
	if err != nil {
		return cmp.Or(context.Cause(c.Context), err)
	}
	s, err := watch.UnlessDone(c.Context, g.Report)
	if err != nil {
		return err
	}
	if command.Format(c) == "json" {
		return command.Write(c, cmp.Or(c.String("out"), "-"), s.JSON)
	}
	return command.Write(c, cmp.Or(c.String("out"), fileName(c.Args().First())+".html"), func(w io.Writer) error {
		return runreport.Of(s, "", command.Zone(c)).HTML(w)
	})
}

// mostTicks is the number of observations of a log in a report: its chart shows no more.
const mostTicks = 150

// mostPolls is the number of polls of a running query: the first one may be too early, and rates need two.
const mostPolls = 3

// collected plays a recording to its end, or to where it is cut off, or polls a query of the cluster.
func collected(c *cli.Context, f *follow.Flags, name string) (g *runreport.Collector, err error) {
	w, isQuery, err := watched(c, f, name)
	if err != nil {
		return nil, err
	}
	g = &runreport.Collector{From: name, Model: follow.ModelOf(c)}
	w.Sinks = append(w.Sinks, g)
	polls := 0
	_, err = w.RunUntil(c.Context, func(missed error) (bool, error) {
		if missed == nil {
			polls++
		}
		return isQuery && polls == mostPolls, nil
	})
	if torn := new(recording.CutOffError); errors.As(err, &torn) && g.Seen() > 0 {
		command.Logger(c).Warn().Msgf("%s: %v; the report covers what is before that", name, err)
		return g, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// watched returns a watch of the subject of a report: a recording if there is a file with the name, else a query of the
// cluster. It has no sink yet, except that it stores the run of a query.
func watched(c *cli.Context, f *follow.Flags, name string) (w watch.Watch, isQuery bool, err error) {
	_, exists, err := input.IsRecording(name)
	if err != nil {
		return w, false, err
	}
	if !exists {
		w, rec, err := f.Query(c, name)
		if err == nil {
			rec.Join(&w)
		}
		return w, true, follow.NoFile(name, err)
	}
	open := input.Open
	if c.Bool("live") {
		open = input.OpenToShow // it prints the page's address
	}
	src, err := open(c, name)
	if err != nil {
		return w, false, err
	}
	if !c.Bool("live") && c.Duration("every") == 0 {
		src.AtMost(mostTicks)
	}
	return f.Watch(c, src, nil), false, nil
}

// reportLive serves a page that follows a run. It continues after the run's end, until it is interrupted, so that
// the page can still be read.
func reportLive(c *cli.Context, f *follow.Flags) error {
	for _, name := range []string{"out", "output", "skew"} {
		if c.IsSet(name) {
			return command.Usage("--%s goes without --live: a page is served, and nothing is written", name)
		}
	}
	name := c.Args().First()
	w, isQuery, err := watched(c, f, name)
	if err != nil {
		return err
	}
	reload := input.LookEvery
	switch {
	case !isQuery:
		w.Speed, reload = c.Float64("speed"), time.Second
	case c.IsSet("every"):
		w.Every = max(c.Duration("every"), 100*time.Millisecond) // less would overload a cluster
	}
	page := serve.NewPage(&runreport.Collector{From: name, Model: follow.ModelOf(c)}, reload, command.Zone(c))
	w.Sinks = append(w.Sinks, page)
	url, stop, err := command.Serve(c, "listen", "the page is", page.Handler(), serve.PageLimits)
	if err != nil {
		return err
	}
	defer stop()
	if _, err := fmt.Fprintf(c.App.Writer, "%s/\n", url); err != nil {
		return fmt.Errorf("cannot print the page's address: %w", err)
	}
	state, err := w.Run(c.Context)
	if err != nil {
		return err
	}
	command.Notice(c)(fmt.Sprintf("the run is %s; the page stays until Ctrl-C", state))
	<-c.Context.Done()
	return follow.Ended(state)
}

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
