package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// A Mark is an event: a failure, a lost node, an alert that changed its state.
type Mark struct {
	AtSeconds frame.Seconds `json:"at_seconds"`
	Kind      string        `json:"kind"` // failure, alert, node
	Text      string        `json:"text"`
}

// The kinds of marks.
const (
	MarkFailure = "failure"
	MarkAlert   = "alert"
	MarkNode    = "node"
)

// MostMarks bounds the marks of each kind. The first ones are kept.
const MostMarks = 100

// marks collect the events of a run. A later snapshot may lack the attempts of a master that died.
type marks struct {
	all    []Mark
	count  map[string]int  // by kind
	known  map[string]bool // by key
	alerts map[string]frame.AlertState
	firing *frame.Seconds // when the first alert fired
}

// add adds an event once for each key.
func (m *marks) add(at frame.Seconds, kind, key, text string) {
	if m.known == nil {
		m.known, m.count, m.alerts = map[string]bool{}, map[string]int{}, map[string]frame.AlertState{}
	}
	if m.count[kind] < MostMarks && !m.known[key] {
		m.count[kind]++
		m.known[key] = true
		m.all = append(m.all, Mark{at, kind, text})
	}
}

// see adds the events that a snapshot shows for the first time.
func (m *marks) see(s *dag.Snapshot) {
	origin := s.Origin()
	if !origin.Known() {
		return
	}
	since := func(t dag.Instant) frame.Seconds {
		if !t.Known() {
			t = s.At
		}
		return frame.SecondsOf(max(t.Sub(origin), 0))
	}
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Lost {
			m.add(since(n.LostAt), MarkNode, "node "+n.Name, "node "+view.Escape(n.Name)+" was lost")
		}
	}
	for j := range s.Jobs {
		job := &s.Jobs[j]
		if job.Attempt > 1 && !s.State.Ended() {
			m.add(since(s.At), MarkFailure, fmt.Sprint("master ", j, job.Attempt), fmt.Sprintf(
				"the master%s was started again, as attempt %d", view.Escape(s.Plan.OfJob(j)), job.Attempt))
		}
		for k := range job.NumStages() {
			for i := range job.Stages[k].Attempts {
				a := &job.Stages[k].Attempts[i]
				if a.State == dag.AttemptFailed && m.count[MarkFailure] < MostMarks {
					m.add(since(a.End), MarkFailure, fmt.Sprint(j, k, a.Task, a.Number),
						attemptFailed(s, j, k, a)+because(a.Diagnosis))
				}
			}
		}
		if job.State == dag.Failed {
			m.add(since(job.Finished), MarkFailure, fmt.Sprint("job ", j), view.Escape(s.Plan.JobName(j))+" failed"+
				because(job.Diagnosis))
		}
	}
}

// attemptFailed describes a failed attempt by its task. The attempt's id is in the chart and in frames.
func attemptFailed(s *dag.Snapshot, job int, k dag.StageIndex, a *dag.Attempt) string {
	text := view.Escape(s.Plan.TaskWords(job, k, a.Task)) + " failed"
	if a.Node >= 0 && int(a.Node) < len(s.Nodes) && s.Nodes[a.Node].Name != "" {
		text += " on " + view.Escape(s.Nodes[a.Node].Name)
	}
	return text
}

func because(diagnosis string) string {
	if diagnosis == "" {
		return ""
	}
	return ": " + view.Escape(diagnosis)
}

// addAlerts adds alerts that changed their state. A default alert is added only once it fires, and with later changes.
func (m *marks) addAlerts(f *frame.Frame) {
	if f.ElapsedSeconds == nil {
		return
	}
	for i := range f.Alerts {
		a := &f.Alerts[i]
		was, known := m.alerts[a.Bound]
		missed := a.Outcome != nil && *a.Outcome == frame.Missed
		switch {
		case a.State == cmp.Or(was, frame.OnTrack) || a.State == frame.Blind:
			continue
		case a.State == frame.Ended && !was.Firing() && !missed:
			continue
		case a.Quiet && !known && !a.State.Firing():
			continue
		}
		at := *f.ElapsedSeconds
		if m.firing == nil && a.State.Firing() {
			m.firing = &at
		}
		text, _, _ := strings.Cut(a.Text, "; ") // the rest, what it waits for and what changed, is shown elsewhere
		m.add(at, MarkAlert, fmt.Sprint("alert ", a.Bound, at), view.Escape(a.Bound)+": "+view.Escape(text))
		m.alerts[a.Bound] = a.State
	}
}

// sorted returns the marks by time.
func (m *marks) sorted() []Mark {
	out := append([]Mark{}, m.all...)
	slices.SortStableFunc(out, func(a, b Mark) int { return cmp.Compare(a.AtSeconds, b.AtSeconds) })
	return out
}
