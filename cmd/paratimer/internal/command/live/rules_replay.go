package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A pastRun is a recording with its outcome.
type pastRun struct {
	file     string
	open     func() (watch.Source, io.Closer, error)
	workflow rules.Workflow
	length   time.Duration // 0 if the recording does not reach the run's end
	end      dag.Instant
	state    dag.State
}

// rulesTest replays past runs as a watch, with the bounds of the matching rules.
func rulesTest(c *cli.Context) error {
	if err := command.Arguments(c, 2, -1); err != nil {
		return err
	}
	all, err := readRules(c, c.Args().First())
	if err != nil {
		return err
	}
	multiples, err := multiples(c.StringSlice("at"))
	if err != nil {
		return err
	}
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return err
	}
	t := trial{Rules: []ruleSummary{}, Runs: []triedRun{}}
	var past []pastRun
	recordings, bad := input.RecordedRuns(c, c.Args().Slice()[1:])
	if len(bad) > 0 {
		return command.Usage("%w", errors.Join(bad...))
	}
	for _, r := range recordings {
		p, err := outcomeOf(c.Context, r)
		if err != nil {
			return err
		}
		past = append(past, p)
	}
	for i := range past {
		usual := usualOf(c.Duration("usual"), past, i)
		tried := variants(all, multiples, past[i], usual)
		rows, err := tryRun(c.Context, past[i], tried, profiles)
		if err != nil {
			return err
		}
		t.Runs = append(t.Runs, rows...)
	}
	t.sum(all, multiples)
	if c.String("output") == "json" {
		err = json.NewEncoder(c.App.Writer).Encode(t)
	} else {
		err = t.print(c.App.Writer)
	}
	if err != nil {
		return fmt.Errorf("cannot print: %w", err)
	}
	return t.demand(c.Float64("min-precision"), c.Float64("min-recall"))
}

func multiples(texts []string) ([]float64, error) {
	var out []float64
	for _, s := range texts {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v > 0 && v <= 1000) {
			return nil, command.Usage("--at %s: it is a multiple of the true length such as 0.9", s)
		}
		out = append(out, v)
	}
	return out, nil
}

// outcomeOf reads a recording to its end, without estimates.
func outcomeOf(ctx context.Context, r input.RecordedRun) (p pastRun, err error) {
	src, file, err := r.Open()
	if err != nil {
		return p, err
	}
	defer command.Closing(file, r.Name, &err)
	p = pastRun{file: r.Name, open: r.Open}
	var last *dag.Snapshot
	for {
		s, err := src.Next(ctx)
		var missed *dag.MissedError
		switch {
		case errors.Is(err, io.EOF):
			if last == nil {
				return p, command.Usage("%s: the recording holds no observation", r.Name)
			}
			return ends(p, last), nil
		case errors.As(err, &missed):
		case err != nil:
			return p, fmt.Errorf("%s: %w", r.Name, err)
		default:
			last = s
		}
	}
}

func ends(p pastRun, s *dag.Snapshot) pastRun {
	p.state = s.State
	p.workflow = rules.Workflow{
		ID: s.ID, Name: s.Plan.Name, User: s.User, Queue: s.Queue, Engine: s.Plan.Engine,
	}
	end := dag.NoInstant
	for i := range s.Jobs {
		end = max(end, s.Jobs[i].Finished)
	}
	if origin := s.Origin(); s.State.Ended() && end.Known() && origin.Known() {
		p.length, p.end = end.Sub(origin), end
	}
	return p
}

func lengthOrNull(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	return units.Rounded(d.Seconds())
}

// usualOf returns the usual length for run i: the given one, else the median of the other runs of its name that
// succeeded.
func usualOf(given time.Duration, past []pastRun, i int) time.Duration {
	if given > 0 {
		return given
	}
	var lengths []time.Duration
	for k := range past {
		if k != i && past[k].workflow.Name == past[i].workflow.Name && past[k].state == dag.Succeeded &&
			past[k].length > 0 {
			lengths = append(lengths, past[k].length)
		}
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return lengths[(len(lengths)-1)/2]
}

// A variant is a rule's bound for one run: the rule's own, or a multiple of the true length instead.
type variant struct {
	rule  *rules.Rule
	at    float64 // the multiple; 0: the rule's own bound
	bound alert.Bound
}

// variants returns the bounds for a run, from the rules that match it.
func variants(all []rules.Rule, at []float64, p pastRun, usual time.Duration) []variant {
	var out []variant
	for i := range all {
		r := &all[i]
		if !r.Match.Matches(p.workflow) {
			continue
		}
		b := r.Bound(usual)
		if len(at) == 0 || p.length == 0 || b.Kind == alert.NoProgress || b.Kind == alert.OutsideBounds {
			out = append(out, variant{rule: r, bound: b})
			continue
		}
		for _, m := range at {
			b := b
			b.Name = variantName(r.Name, m)
			b.Kind, b.For, b.At, b.Daily = alert.Within, time.Duration(m*float64(p.length)), 0, nil
			out = append(out, variant{rule: r, at: m, bound: b})
		}
	}
	return out
}

func variantName(rule string, at float64) string {
	if at == 0 {
		return rule
	}
	return fmt.Sprintf("%s@%v", rule, at)
}

// tryRun replays a run and returns the result of each variant.
func tryRun(ctx context.Context, p pastRun, tried []variant, profiles []*dag.Plan) (rows []triedRun, err error) {
	if len(tried) == 0 {
		return []triedRun{{
			File: p.file, WorkflowID: textOrNull(p.workflow.ID), Workflow: textOrNull(p.workflow.Name),
			TotalSeconds: lengthOrNull(p.length),
		}}, nil
	}
	src, file, err := p.open()
	if err != nil {
		return nil, err
	}
	defer command.Closing(file, p.file, &err)
	seen := firings{texts: map[string]string{}}
	held := make([]alert.Bound, len(tried))
	for i := range tried {
		held[i] = tried[i].bound
	}
	err = playHeld(ctx, input.WithProfiles(src, profiles), held, &seen)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.file, err)
	}
	for i, r := range seen.Results() {
		rows = append(rows, row(p, &tried[i], r, seen.texts[r.Bound]))
	}
	return rows, nil
}

// playHeld replays a run with bounds, without waits.
func playHeld(ctx context.Context, src watch.Source, held []alert.Bound, sink watch.Sink) error {
	w := watch.Watch{
		Source: src, Estimators: follow.EstimatorSet(false, 0), Sinks: []watch.Sink{sink},
		Bounds: held, Log: zerolog.Nop(),
	}
	_, err := w.Run(ctx)
	return err
}
