package live

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// readRules reads a rule file. Errors in it are usage errors.
func readRules(c *cli.Context, path string) ([]fleet.Rule, error) {
	all, err := fleet.ReadRules(path, c.App.Reader, command.Zone(c))
	if err == nil {
		return all, nil
	}
	return nil, cmp.Or(input.WrongKind(path, "rule file"), command.Usage("%w", err))
}

// checkRules prints the rules of a file. Its error describes what is wrong with the file.
func checkRules(c *cli.Context) error {
	if c.String("output") == "json" {
		return command.Usage("--check has no JSON: its exit code is 2 if the file has errors, which have file, line and column")
	}
	all, err := readRules(c, c.String("rules"))
	if err != nil {
		return err
	}
	rows := [][]string{{"RULE", "WORKFLOWS", "BOUND", "FIRES", "HELD", "SEVERITY"}}
	for _, r := range all {
		var match []string
		for _, p := range [][2]string{
			{"name", r.Match.Name}, {"user", r.Match.User}, {"queue", r.Match.Queue}, {"engine", r.Match.Engine},
		} {
			if p[1] != "" {
				match = append(match, p[0]+" "+p[1])
			}
		}
		rows = append(rows, []string{
			r.Name, view.Escape(cmp.Or(strings.Join(match, ", "), "every workflow")), r.BoundText(),
			"from " + units.Percent(cmp.Or(r.Risk, alert.DefaultThreshold)) + " on",
			units.Count(cmp.Or(r.Hold, alert.DefaultHold), "tick"), view.Escape(cmp.Or(r.Severity, units.Unknown)),
		})
	}
	fmt.Fprintf(c.App.Writer, "%s: %s\n", c.String("rules"), units.Count(len(all), "rule"))
	return view.Table(c.App.Writer, 0, rows)
}

// A pastRun is a recording with its last observation.
type pastRun struct {
	input.RecordedRun
	last     *dag.Snapshot
	workflow fleet.Workflow
}

// A ruleTest is the JSON of `paratimer watch --test --output json`.
type ruleTest struct {
	Rules []ruleSummary `json:"rules"`
	Runs  []testedRun   `json:"runs"`
}

// A testedRun is the result of a rule on a past run. A run that no rule matches has no result.
type testedRun struct {
	File         string   `json:"file"`
	Workflow     *string  `json:"workflow"`
	WorkflowID   *string  `json:"workflow_id"`
	TotalSeconds *float64 `json:"total_seconds"`
	*alert.Result
}

// A ruleSummary is the result of a rule on all runs that it matches. Ratios are null if they would divide by zero.
type ruleSummary struct {
	Rule                 string                `json:"rule"`
	Matched              int                   `json:"matched"`
	Verdicts             map[alert.Verdict]int `json:"verdicts"`
	PrecisionRatio       *float64              `json:"precision_ratio"`
	RecallRatio          *float64              `json:"recall_ratio"`
	MedianWarningSeconds *frame.Seconds        `json:"median_warning_seconds"`
}

// testRules replays past runs as a watch, with the bounds of the matching rules.
func testRules(c *cli.Context, f *follow.Flags) error {
	all, err := readRules(c, c.String("rules"))
	if err != nil {
		return err
	}
	past, err := pastRuns(c, append([]string{c.String("test")}, c.Args().Slice()...))
	if err != nil {
		return err
	}
	out := ruleTest{Runs: []testedRun{}}
	for i := range past {
		rows, err := past[i].test(c, f, all, usualOf(past, i))
		if err != nil {
			return fmt.Errorf("%s: %w", past[i].Name, err)
		}
		out.Runs = append(out.Runs, rows...)
	}
	out.Rules = units.Each(all, func(r fleet.Rule) ruleSummary { return summaryOf(r.Name, out.Runs) })
	if err := command.Print(c, out, out.text); err != nil {
		return fmt.Errorf("cannot print: %w", err)
	}
	worse := func(ratio *float64, flag string) bool { return ratio != nil && *ratio < c.Float64(flag) }
	for _, s := range out.Rules {
		if worse(s.PrecisionRatio, "min-precision") || worse(s.RecallRatio, "min-recall") {
			return command.ErrQueryFailed
		}
	}
	return nil
}

// pastRuns reads each run to its end, without estimates.
func pastRuns(c *cli.Context, paths []string) (past []pastRun, err error) {
	recordings, bad := input.RecordedRuns(c, paths)
	if len(bad) > 0 {
		return nil, command.Usage("%w", errors.Join(bad...))
	}
	for _, r := range recordings {
		run, err := r.Whole(c.Context)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		s := run.Now()
		past = append(past, pastRun{r, s, fleet.Workflow{
			ID: s.ID, Name: s.Plan.Name, User: s.User, Queue: s.Queue, Engine: s.Plan.Engine,
		}})
	}
	return past, nil
}

// length returns the run's length; 0 if the recording does not reach its end.
func (p *pastRun) length() time.Duration {
	if !p.last.State.Ended() {
		return 0
	}
	return time.Duration(input.TotalSeconds(p.last) * float64(time.Second))
}

// usualOf returns the usual length for run i: the median of the other runs of its name that succeeded.
func usualOf(past []pastRun, i int) time.Duration {
	var lengths []time.Duration
	for k := range past {
		if k != i && past[k].workflow.Name == past[i].workflow.Name && past[k].last.State == dag.Succeeded {
			lengths = append(lengths, past[k].length())
		}
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return lengths[(len(lengths)-1)/2]
}

// test replays a run and returns the result of each matching rule.
func (p *pastRun) test(c *cli.Context, f *follow.Flags, all []fleet.Rule, usual time.Duration) (
	rows []testedRun, err error,
) {
	row := testedRun{File: p.Name, Workflow: frame.Text(p.workflow.Name), WorkflowID: frame.Text(p.workflow.ID)}
	if d := p.length(); d > 0 {
		row.TotalSeconds = units.Rounded(d.Seconds())
	}
	var trial alert.Trial
	for i := range all {
		if all[i].Match.Matches(p.workflow) {
			trial.Held = append(trial.Held, all[i].Bound(usual))
		}
	}
	if len(trial.Held) == 0 {
		return []testedRun{row}, nil
	}
	src, err := p.Open()
	if err != nil {
		return nil, err
	}
	w := f.Watch(c, src, nil)
	w.Sinks, w.Bounds, w.Log = []watch.Sink{&trial}, trial.Held, zerolog.Nop()
	_, err = w.Run(c.Context)
	for _, r := range trial.Results() {
		row.Result = &r
		rows = append(rows, row)
	}
	return rows, err
}

// summaryOf summarizes a rule.
func summaryOf(rule string, runs []testedRun) ruleSummary {
	s := ruleSummary{Rule: rule, Verdicts: map[alert.Verdict]int{}}
	var warnings []frame.Seconds
	for _, r := range runs {
		if r.Result == nil || r.Bound != rule {
			continue
		}
		s.Matched++
		s.Verdicts[r.Verdict]++
		if r.Verdict == alert.True && r.WarningSeconds != nil {
			warnings = append(warnings, *r.WarningSeconds)
		}
	}
	right := float64(s.Verdicts[alert.True])
	s.PrecisionRatio = units.Rounded(right / (right + float64(s.Verdicts[alert.False])))
	s.RecallRatio = units.Rounded(right / (right + float64(s.Verdicts[alert.Missed])))
	slices.Sort(warnings)
	if n := len(warnings); n > 0 {
		s.MedianWarningSeconds = new((warnings[(n-1)/2] + warnings[n/2]) / 2)
	}
	return s
}

func (t *ruleTest) text(out io.Writer) error {
	rows := [][]string{{"RUN", "LENGTH", "RULE", "DEADLINE", "FIRED", "BEFORE IT", "VERDICT"}}
	for _, r := range t.Runs {
		name := filepath.Base(r.File)
		if r.WorkflowID != nil && slices.ContainsFunc(t.Runs, func(o testedRun) bool {
			return o.File == r.File && o.WorkflowID != nil && *o.WorkflowID != *r.WorkflowID
		}) {
			name += " " + *r.WorkflowID
		}
		of := cmp.Or(r.Result, &alert.Result{Bound: "no rule matches", Verdict: "-"})
		verdict := string(of.Verdict)
		if of.Firings > 1 {
			verdict += ", fired " + units.Count(of.Firings, "time")
		}
		rows = append(rows, []string{
			view.Escape(name), units.Have(r.TotalSeconds, units.Seconds), of.Bound,
			units.Have(of.DeadlineSeconds, units.Seconds), units.Have(of.FiredSeconds, units.Seconds),
			units.Have(of.WarningSeconds, units.Seconds), verdict,
		})
	}
	if err := view.Table(out, 0, rows); err != nil {
		return err
	}
	fmt.Fprintln(out)
	ratio := func(r float64) string { return fmt.Sprintf("%.2f", r) }
	rows = [][]string{{"RULE", "RUNS", "LATE", "WARNED", "BEFORE IT", "FALSE", "NO END", "PRECISION", "RECALL"}}
	for _, s := range t.Rules {
		n := s.Verdicts
		rows = append(rows, []string{
			s.Rule, strconv.Itoa(s.Matched), strconv.Itoa(n[alert.True] + n[alert.Missed]), strconv.Itoa(n[alert.True]),
			units.Have(s.MedianWarningSeconds, units.Seconds), strconv.Itoa(n[alert.False]),
			strconv.Itoa(n[alert.Unknown]), units.Known(s.PrecisionRatio, ratio), units.Known(s.RecallRatio, ratio),
		})
	}
	return view.Table(out, 0, rows)
}
