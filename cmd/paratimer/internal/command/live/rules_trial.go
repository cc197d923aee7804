package live

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// Verdicts in addition to alert's.
const (
	verdictFired   = "fired"   // it fired, but there is no deadline to compare with
	verdictQuiet   = "quiet"   // it did not fire, and there is no deadline
	verdictUnknown = "unknown" // the recording ends before the run
)

// trial is the JSON of `paratimer rules test --output json`.
type trial struct {
	Rules []ruleSummary `json:"rules"`
	Runs  []triedRun    `json:"runs"`
}

// triedRun is the result of a rule on a past run. Rule is null for a run without a matching rule.
type triedRun struct {
	File         string   `json:"file"`
	Workflow     *string  `json:"workflow"`
	WorkflowID   *string  `json:"workflow_id"`
	Rule         *string  `json:"rule"`
	AtRatio      *float64 `json:"at_ratio"` // --at
	Matched      bool     `json:"matched"`
	TotalSeconds *float64 `json:"total_seconds"`
	// DeadlineSeconds counts from the first submission, as do those below.
	DeadlineSeconds *float64 `json:"deadline_seconds"`
	Late            *bool    `json:"late"`
	FiredSeconds    *float64 `json:"fired_seconds"`   // first at risk, or late
	WarningSeconds  *float64 `json:"warning_seconds"` // from then to the deadline: 0 or less is no warning
	BeforeEnd       *float64 `json:"before_end_seconds"`
	Firings         int      `json:"firings"` // times that it fired, with a return to on track in between
	Verdict         string   `json:"verdict"`
	NaiveSeconds    *float64 `json:"naive_fired_seconds"` // when "alert after the deadline" would have fired
	Text            string   `json:"text"`                // of the first alert
}

// ruleSummary is the result of a rule on all runs that it matches. Ratios are null if they would divide by zero.
type ruleSummary struct {
	Rule                 string   `json:"rule"`
	AtRatio              *float64 `json:"at_ratio"`
	Matched              int      `json:"matched"`
	True                 int      `json:"true"`
	False                int      `json:"false"`
	Missed               int      `json:"missed"`
	Silent               int      `json:"silent"`
	Other                int      `json:"other"` // fired, quiet or unknown
	PrecisionRatio       *float64 `json:"precision_ratio"`
	RecallRatio          *float64 `json:"recall_ratio"`
	MedianWarningSeconds *float64 `json:"median_warning_seconds"`
	// late runs that an alert after the deadline reports, without any warning time
	NaiveTrue int `json:"naive_after_deadline"`
}

// firings is a sink that records when each bound fired, and the alert's text then.
type firings struct {
	alert.Trial
	texts map[string]string
}

func (s *firings) Show(tick frame.Tick) error {
	f := tick.Frame
	for _, a := range f.Alerts {
		if _, fired := s.texts[a.Bound]; !fired && a.State.Firing() {
			s.texts[a.Bound] = a.Text
		}
	}
	return s.Trial.Show(tick)
}

// row returns the result of a rule on a run.
func row(p pastRun, v *variant, r alert.Result, text string) triedRun {
	out := triedRun{
		File: p.file, Workflow: textOrNull(p.workflow.Name), WorkflowID: textOrNull(p.workflow.ID),
		Rule:    textOrNull(v.rule.Name),
		Matched: true, FiredSeconds: secondsOrNull(r.FiredSeconds), Firings: r.Firings, Text: text,
		Verdict: string(r.Verdict),
	}
	if v.at > 0 {
		out.AtRatio = &v.at
	}
	if p.length == 0 {
		out.Verdict = verdictUnknown
		return out
	}
	total := p.length.Seconds()
	out.TotalSeconds = units.Rounded(total)
	if out.FiredSeconds != nil {
		out.BeforeEnd = units.Rounded(total - *out.FiredSeconds)
	}
	if r.DeadlineAt == nil || v.bound.Kind == alert.NoProgress { // its deadline moves with every progress
		if out.Verdict = verdictQuiet; r.FiredSeconds != nil {
			out.Verdict = verdictFired
		}
		return out
	}
	late := r.Late
	out.Late, out.WarningSeconds = &late, secondsOrNull(r.WarningSeconds)
	out.DeadlineSeconds = units.Rounded(total + r.DeadlineAt.Sub(p.end).Seconds())
	if late {
		out.NaiveSeconds = out.DeadlineSeconds
	}
	return out
}

func secondsOrNull(s *frame.Seconds) *float64 {
	if s == nil {
		return nil
	}
	return units.Rounded(float64(*s))
}

// sum summarizes each rule, in the order of the file. With --at there is one summary for each multiple.
func (t *trial) sum(all []rules.Rule, at []float64) {
	for i := range all {
		before := len(t.Rules)
		for _, m := range append([]float64{0}, at...) {
			if s := t.summary(all[i].Name, m); s.Matched > 0 {
				t.Rules = append(t.Rules, s)
			}
		}
		if len(t.Rules) == before {
			t.Rules = append(t.Rules, ruleSummary{Rule: all[i].Name})
		}
	}
}

func (t *trial) summary(rule string, at float64) (s ruleSummary) {
	s.Rule = rule
	if at > 0 {
		s.AtRatio = &at
	}
	var warnings []float64
	for _, r := range t.Runs {
		if r.Rule == nil || *r.Rule != rule || (r.AtRatio == nil) != (at == 0) || at > 0 && *r.AtRatio != at {
			continue
		}
		s.Matched++
		switch r.Verdict {
		case string(alert.True):
			s.True++
			if r.WarningSeconds != nil {
				warnings = append(warnings, *r.WarningSeconds)
			}
		case string(alert.False):
			s.False++
		case string(alert.Missed):
			s.Missed++
		case string(alert.Silent):
			s.Silent++
		default:
			s.Other++
		}
		if r.NaiveSeconds != nil {
			s.NaiveTrue++
		}
	}
	s.PrecisionRatio = units.Rounded(float64(s.True) / float64(s.True+s.False))
	s.RecallRatio = units.Rounded(float64(s.True) / float64(s.True+s.Missed))
	slices.Sort(warnings)
	if n := len(warnings); n > 0 {
		s.MedianWarningSeconds = units.Rounded((warnings[(n-1)/2] + warnings[n/2]) / 2)
	}
	return s
}

// demand returns an error if a rule is worse than --min-precision or --min-recall.
func (t *trial) demand(precision, recall float64) error {
	worse := func(is *float64, least float64) bool { return is != nil && *is < least }
	for _, s := range t.Rules {
		if worse(s.PrecisionRatio, precision) || worse(s.RecallRatio, recall) {
			return command.ErrQueryFailed
		}
	}
	return nil
}

func (t *trial) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tLENGTH\tRULE\tDEADLINE\tFIRED\tBEFORE IT\tVERDICT\t")
	ids := map[string]string{} // by file; "" if it has several runs
	for _, r := range t.Runs {
		if id, seen := ids[r.File]; r.WorkflowID != nil && (!seen || id == *r.WorkflowID) {
			ids[r.File] = *r.WorkflowID
		} else {
			ids[r.File] = ""
		}
	}
	for _, r := range t.Runs {
		name := filepath.Base(r.File)
		if ids[r.File] == "" && r.WorkflowID != nil {
			name += " " + *r.WorkflowID
		}
		rule := "no rule matches"
		if r.Rule != nil {
			rule = variantName(*r.Rule, or0(r.AtRatio))
		}
		verdict := cmp.Or(r.Verdict, "-")
		if r.Firings > 1 {
			verdict += ", fired " + units.Times(r.Firings)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", view.Escape(name), units.Have(r.TotalSeconds, units.Seconds),
			rule,
			units.Have(r.DeadlineSeconds, units.Seconds), units.Have(r.FiredSeconds, units.Seconds),
			units.Have(r.WarningSeconds, units.Seconds), verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, s := range t.Rules {
		fmt.Fprintln(out, s.words())
	}
	return nil
}

// words formats the summary in a sentence or two.
func (s *ruleSummary) words() string {
	name := variantName(s.Rule, or0(s.AtRatio))
	if s.Matched == 0 {
		return name + ": matches none of these runs"
	}
	text := fmt.Sprintf("%s: %s", name, units.Count(s.Matched, "run"))
	late := s.True + s.Missed
	switch {
	case late > 0:
		text += fmt.Sprintf(", %d late: warned of %d", late, s.True)
		if s.MedianWarningSeconds != nil {
			text += fmt.Sprintf(", %s before the deadline in the median", units.Have(s.MedianWarningSeconds,
				units.Seconds))
		}
		text += fmt.Sprintf("; an alert after the deadline hears of %d, 0s before it", s.NaiveTrue)
	case s.Other == s.Matched:
		text += ", of which nobody can tell whether they were late"
	default:
		text += ", none late"
	}
	if s.False > 0 {
		text += fmt.Sprintf("; false %s", units.Times(s.False))
	} else {
		text += "; never false"
	}
	if s.Other > 0 && s.Other < s.Matched {
		text += fmt.Sprintf("; %d of unknown outcome", s.Other)
	}
	return text + fmt.Sprintf(" (precision %s, recall %s)", units.Known(s.PrecisionRatio, hundredths),
		units.Known(s.RecallRatio, hundredths))
}

func or0(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

func hundredths(ratio float64) string { return fmt.Sprintf("%.2f", ratio) }
