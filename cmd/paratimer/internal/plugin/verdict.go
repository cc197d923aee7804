// Package plugin prints the state of a query in the format of monitoring plugins: one of four states, one line with
// performance data, further lines for people (Monitoring Plugins Development Guidelines, sections 2.1 to 2.6). It
// reads one frame, and computes only which of the given limits that frame breaks.
package plugin

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

var states = []string{"ok", "warning", "critical", "unknown"}

func (s State) String() string { return strings.ToUpper(states[s]) }

// StateOf returns the state with a name, such as "ok".
func StateOf(name string) State { return State(slices.Index(states, name)) }

// severity orders the states: a known problem comes before an unknown state.
var severity = [...]int{OK: 0, Unknown: 1, Warning: 2, Critical: 3}

// MarshalText returns the name of the state, for JSON.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Verdict is the output of a plugin.
type Verdict struct {
	State State    `json:"state"`
	Text  string   `json:"text"`             // for the first line
	Perf  []string `json:"performance_data"` // as in the line
	Long  []string `json:"details"`          // further lines
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
	case dag.Failed, dag.Killed:
		v.State = Critical
	case dag.EndedUnconfirmed:
		v.State = Unknown
	default:
		v.running(f, l)
	}
	for _, a := range f.Alerts {
		if a.Text != "" {
			v.Long = append(v.Long, a.Bound+": "+a.Text)
		}
	}
	if waits := f.WaitsFor(); waits != "" {
		v.Long = append(v.Long, "waits for "+waits)
	}
	v.Long = append(v.Long, warnings(f)...)
	return v
}

// running judges a query that has not ended: how old the observation is, its alerts, and the limits.
func (v *Verdict) running(f frame.Frame, l Limits) {
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
	low, high := 0.0, math.Inf(1)
	switch h := f.Headline; {
	case h.RemainingSeconds != nil:
		low, high = float64(*h.RemainingSeconds), float64(*h.RemainingSeconds)
	case h.LowSeconds != nil:
		low = float64(*h.LowSeconds)
	}
	v.hold(l.Remaining, low, high, "remaining time", " s", l.Unknown)
	for _, a := range f.Alerts {
		switch {
		case a.Probability != nil:
			p := percent(*a.Probability)
			v.hold(l.Late, p, p, "risk of "+a.Bound, "%", OK)
		case a.DeadlineAt != nil && l.Late != Thresholds{}:
			v.raise(OK, "risk of "+a.Bound+" not known yet")
		}
	}
}

// hold compares a value between low and high with its thresholds.
func (v *Verdict) hold(t Thresholds, low, high float64, what, unit string, unknown State) {
	warning, mayWarn := t.Warning.alerts(low, high)
	critical, mayBeCritical := t.Critical.alerts(low, high)
	if mayWarn || mayBeCritical {
		v.raise(unknown, what+" not known")
	}
	switch {
	case critical:
		v.raise(Critical, what+" outside "+t.Critical.String()+unit)
	case warning:
		v.raise(Warning, what+" outside "+t.Warning.String()+unit)
	}
}

// missed returns by how much a bound was missed: "26s after its 1m40s (06:30 UTC)".
func missed(a frame.Alert) string {
	if _, after, found := strings.Cut(a.Text, ", "); found {
		return after
	}
	return a.Bound + " missed"
}

// raise makes the verdict at least as bad as s and adds the reason.
func (v *Verdict) raise(s State, why string) {
	if severity[s] > severity[v.State] {
		v.State = s
	}
	v.Text += ", " + why
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
	s := strings.ReplaceAll(f.Workflow.State.String(), "_", ", ")
	if f.ElapsedSeconds != nil {
		s += " after " + units.Elapsed(f.ElapsedSeconds.Duration())
	}
	return s
}
