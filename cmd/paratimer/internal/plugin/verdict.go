package plugin

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A State is a plugin's exit code.
type State int

// The states (guidelines, section 2.4).
const (
	OK State = iota
	Warning
	Critical
	Unknown
)

func (s State) String() string { return [...]string{"OK", "WARNING", "CRITICAL", "UNKNOWN"}[s] }

// ParseState parses a state's name, in any case.
func ParseState(s string) (State, error) {
	for state := OK; state <= Unknown; state++ {
		if strings.EqualFold(s, state.String()) {
			return state, nil
		}
	}
	return Unknown, fmt.Errorf("%q is not a state: ok, warning, critical and unknown are", s)
}

// worse returns the worse state. The order is critical, warning, unknown, ok: a known problem comes before an unknown
// state.
func worse(a, b State) State {
	rank := [...]int{OK: 0, Unknown: 1, Warning: 2, Critical: 3}
	if rank[a] >= rank[b] {
		return a
	}
	return b
}

// A Verdict is the output of a plugin.
type Verdict struct {
	State State
	Text  string   // for the first line
	Perf  []string // performance data
	Long  []string // further lines
}

// old is the age from which an observation is unknown. One missed observation is no reason to alert.
const old = time.Minute

// Of judges a frame. Alerts set the state: at risk warns, late is critical, blind is unknown. If the query has ended,
// its end sets the state: failed and killed are critical, success after a missed bound warns.
func Of(f frame.Frame, l Limits) Verdict {
	v := Verdict{Text: cmp.Or(f.Workflow.Label(), "query") + " " + status(f), Perf: perf(f, l)}
	switch f.Workflow.State {
	case dag.Succeeded:
		for _, a := range f.Alerts {
			if a.Outcome != nil && *a.Outcome == frame.Missed {
				v.raise(Warning, missed(a))
			}
		}
		v.long(f)
		return v
	case dag.Failed, dag.Killed:
		v.State = Critical
		v.long(f)
		return v
	case dag.EndedUnconfirmed:
		v.State = Unknown
		v.long(f)
		return v
	}
	if f.StaleSeconds.Duration() > old {
		v.raise(Unknown, "last seen "+units.Ago(f.StaleSeconds.Duration()))
	}
	for _, a := range f.Alerts {
		switch a.State {
		case frame.Late:
			v.raise(Critical, a.Bound+" late")
		case frame.AtRisk:
			v.raise(Warning, a.Bound+" at risk")
		case frame.Blind:
			v.raise(Unknown, a.Bound+" blind")
		}
	}
	v.limits(f, l)
	v.long(f)
	return v
}

// missed returns by how much a bound was missed: "26s after its 1m40s (06:30 UTC)".
func missed(a frame.Alert) string {
	if _, after, found := strings.Cut(a.Text, ", "); found {
		return after
	}
	return a.Bound + " missed"
}

// limits compares the frame with -w and -c.
func (v *Verdict) limits(f frame.Frame, l Limits) {
	const remaining = "remaining time"
	const seconds, percents = " s", " %"
	if h := f.Headline; h.RemainingSeconds != nil {
		v.hold(l.Remaining, (*Range).Broken, float64(*h.RemainingSeconds), remaining, seconds)
	} else {
		low := 0.0
		if h.LowSeconds != nil {
			low = float64(*h.LowSeconds)
		}
		if !l.Remaining.Warning.keptFrom(low) || !l.Remaining.Critical.keptFrom(low) {
			v.raise(l.Unknown, remaining+" not known")
		}
		v.hold(l.Remaining, (*Range).brokenFrom, low, remaining, seconds)
	}
	for _, a := range f.Alerts {
		switch {
		case a.Probability != nil:
			v.hold(l.Late, (*Range).Broken, percent(*a.Probability), "risk of "+a.Bound, percents)
		case a.DeadlineAt != nil && l.Late != Thresholds{}:
			v.raise(OK, "risk of "+a.Bound+" not known yet")
		}
	}
}

func (v *Verdict) hold(t Thresholds, broken func(*Range, float64) bool, value float64, what, unit string) {
	switch {
	case broken(t.Critical, value):
		v.raise(Critical, what+" outside "+t.Critical.String()+unit)
	case broken(t.Warning, value):
		v.raise(Warning, what+" outside "+t.Warning.String()+unit)
	}
}

// raise makes the verdict at least as bad as s and adds the reason.
func (v *Verdict) raise(s State, why string) {
	v.State = worse(s, v.State)
	v.Text += ", " + why
}

// long adds the lines after the first one.
func (v *Verdict) long(f frame.Frame) {
	for _, a := range f.Alerts {
		if a.Text != "" {
			v.Long = append(v.Long, a.Bound+": "+a.Text)
		}
	}
	if waits := f.WaitsFor(); waits != "" {
		v.Long = append(v.Long, "waits for "+waits)
	}
	v.Long = append(v.Long, warnings(f)...)
}

// warnings returns the frame's warnings, the first of each code: a large query may have one for each job.
func warnings(f frame.Frame) []string {
	var out []string
	count := map[string]int{}
	for _, w := range f.Warnings {
		count[w.Code]++
	}
	for _, w := range f.Warnings {
		switch n := count[w.Code]; {
		case n == 1:
			out = append(out, w.Code+": "+w.Text)
		case n > 1:
			out = append(out, fmt.Sprintf("%s: %s; and %d more", w.Code, w.Text, n-1))
		}
		count[w.Code] = 0
	}
	return out
}

// status returns the frame's headline, or how the query has ended.
func status(f frame.Frame) string {
	if !f.Workflow.State.Ended() {
		return view.Remaining(f.Headline)
	}
	s := f.Workflow.State.String()
	if f.Workflow.State == dag.EndedUnconfirmed {
		s = "ended, unconfirmed"
	}
	if f.ElapsedSeconds != nil {
		s += " after " + units.Elapsed(f.ElapsedSeconds.Duration())
	}
	return s
}
