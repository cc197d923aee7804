package runreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// A PredictionHistory has the predictions along the run.
type PredictionHistory struct {
	Summary string  `json:"says"`
	Points  []Point `json:"moments"` // at most MostPoints, the first and the last included
	Marks   []Mark  `json:"marks"`   // by time
	// TotalSeconds is how long the run took; null while it runs.
	TotalSeconds *frame.Seconds `json:"total_seconds"`
	// MeanErrorPoints is the mean error of the headline's time, as the error of the progress that follows from it, in
	// percentage points. HeldRatio is the share of the ticks with an 80% range that contained the actual end. Both
	// are null while the run is running and if nothing was predicted. NumberRatio is the share of the ticks during
	// the run that had a predicted time.
	MeanErrorPoints *float64     `json:"mean_error_points"`
	HeldRatio       *frame.Ratio `json:"held_ratio"`
	NumberRatio     *frame.Ratio `json:"number_ratio"`
	// SettledSeconds is from when on the 80% range always contained the actual end, to a hundredth of the run. It is
	// null while the run is running, and if the last range missed the end.
	SettledSeconds *frame.Seconds `json:"settled_seconds"`
	// AlertSeconds is when the first alert fired; null if none did.
	AlertSeconds *frame.Seconds `json:"alert_seconds"`
	// Moves are the moves of the predicted end that lasted or came with an event; Replans counts the others.
	Moves   []Move        `json:"moves"`
	Replans frame.Replans `json:"replans"`
}

// Limits of a prediction history. mostKept bounds the points that are kept and scored.
const (
	MostPoints = 600
	MostMarks  = 100 // of each kind: the first ones
	mostKept   = 20_000
	mostMoves  = 1000 // the newest ones
)

// A Point is the total length of the run as one tick predicted it.
type Point struct {
	AtSeconds    frame.Seconds  `json:"at_seconds"`
	TotalSeconds *frame.Seconds `json:"total_seconds"`
	LowSeconds   *frame.Seconds `json:"low_seconds"` // of the total; without total_seconds a lower bound
	HighSeconds  *frame.Seconds `json:"high_seconds"`
	Stale        bool           `json:"stale"`
}

// A Move is a move of the predicted end that was shown, and when.
type Move struct {
	AtSeconds frame.Seconds `json:"at_seconds"`
	frame.Move
}

// take records a frame after the first submission.
func (c *PredictionHistory) take(f *frame.Frame) {
	if f.ElapsedSeconds == nil {
		return
	}
	at, h := *f.ElapsedSeconds, &f.Headline
	// If the end was observed late, the predictions made after it are dropped.
	n := sort.Search(len(c.Points), func(i int) bool { return c.Points[i].AtSeconds > at })
	c.Points = append(c.Points[:n], Point{
		AtSeconds: at, Stale: f.StaleSeconds > 0, TotalSeconds: at.Plus(h.RemainingSeconds),
		LowSeconds: at.Plus(h.LowSeconds), HighSeconds: at.Plus(h.HighSeconds),
	})
	if len(c.Points) >= mostKept {
		c.Points = thin(c.Points, mostKept/2)
	}
	if f.StaleSeconds > 0 || f.Workflow.State.Ended() {
		return
	}
	for _, move := range f.Moves {
		c.Moves = append(c.Moves, Move{at, move})
	}
	c.Moves, c.Replans = c.Moves[max(0, len(c.Moves)-mostMoves):], f.Replans
}

// thin keeps at most `most` points, evenly over time, the first and the last included.
func thin(all []Point, most int) []Point {
	if len(all) <= most {
		return all
	}
	last := all[len(all)-1]
	step := max((last.AtSeconds-all[0].AtSeconds)/frame.Seconds(most-2), 0.001)
	out := []Point{all[0]}
	for _, p := range all[1 : len(all)-1] {
		if p.AtSeconds >= out[len(out)-1].AtSeconds+step {
			out = append(out, p)
		}
	}
	return append(out, last)
}

// scored returns the predictions up to the newest frame, with their scores if the run succeeded.
func (c *PredictionHistory) scored(f *frame.Frame, events *marks) PredictionHistory {
	out := PredictionHistory{
		Points: append([]Point{}, thin(c.Points, MostPoints)...), Marks: events.sorted(), AlertSeconds: events.firing,
		Moves: append([]Move{}, c.Moves...), Replans: c.Replans,
	}
	if state := f.Workflow.State; state.Ended() {
		out.TotalSeconds = f.ElapsedSeconds
		if state == dag.Succeeded && f.ElapsedSeconds != nil {
			out.score(c.Points, *f.ElapsedSeconds)
		}
	}
	out.Summary = out.summary(f.Workflow.State)
	return out
}

// near is how far a range may miss the end and still count as settled, as a share of the run: ranges of the last
// seconds are narrower than the time between two ticks.
const near = 0.01

// score compares the predictions during the run with its actual length.
func (c *PredictionHistory) score(points []Point, total frame.Seconds) {
	var samples []estimators.Sample
	ranges, held := 0, 0
	for _, p := range points {
		if p.Stale || p.AtSeconds >= total {
			continue
		}
		sample := estimators.Sample{Elapsed: float64(p.AtSeconds), Remaining: math.NaN(), Progress: math.NaN()}
		if p.TotalSeconds != nil {
			sample.Remaining = float64(*p.TotalSeconds - p.AtSeconds)
		}
		samples = append(samples, sample)
		if p.AtSeconds <= 0 || p.TotalSeconds == nil || p.LowSeconds == nil || p.HighSeconds == nil {
			continue
		}
		ranges++
		off := max(*p.LowSeconds-total, total-*p.HighSeconds) // 0 or less: the range contains the end
		if off <= 0 {
			held++
		}
		if off > near*total {
			c.SettledSeconds = nil
		} else {
			c.SettledSeconds = cmp.Or(c.SettledSeconds, &p.AtSeconds)
		}
	}
	g := estimators.Grade(float64(total), samples)
	c.MeanErrorPoints = units.Rounded(g.MeanPoints)
	c.NumberRatio = frame.RatioOf(1 - g.NoEstimate)
	c.HeldRatio = frame.RatioOf(float64(held) / float64(ranges)) // null if there are no ranges
}

// summary returns how good the predictions of a finished run were.
func (c *PredictionHistory) summary(state dag.State) string {
	switch {
	case !state.Ended():
		return "The run goes on: its predictions are not scored yet."
	case c.MeanErrorPoints == nil:
		return "Nothing is scored: no time was predicted before the end, or the query did not succeed."
	}
	text := fmt.Sprintf("The predicted time was %.1f points of progress off on average.", *c.MeanErrorPoints)
	if c.HeldRatio != nil {
		text += fmt.Sprintf(" Its 80%% range contained the end at %s of the observations with a range.",
			units.Percent(*c.HeldRatio))
	}
	return text
}

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
	add := func(at dag.Instant, kind, key, text, diagnosis string) {
		if diagnosis != "" {
			text += ": " + diagnosis
		}
		m.add(frame.SecondsOf(max(dag.FirstKnown(at, s.At).Sub(origin), 0)), kind, key, view.Escape(text))
	}
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Lost {
			add(n.LostAt, MarkNode, "node "+n.Name, "node "+n.Name+" was lost", "")
		}
	}
	for j, job := range s.Jobs {
		if job.Attempt > 1 && !s.State.Ended() {
			add(s.At, MarkFailure, fmt.Sprint("master ", j, job.Attempt), fmt.Sprintf(
				"the master%s was started again, as attempt %d", s.Plan.OfJob(j), job.Attempt), "")
		}
		for k, a := range job.All() {
			if a.State == dag.AttemptFailed && m.count[MarkFailure] < MostMarks {
				add(a.End, MarkFailure, fmt.Sprint(j, k, a.Task, a.Number), attemptFailed(s, j, k, a), a.Diagnosis)
			}
		}
		if job.State == dag.Failed {
			add(job.Finished, MarkFailure, fmt.Sprint("job ", j), s.Plan.JobName(j)+" failed", job.Diagnosis)
		}
	}
}

// attemptFailed describes a failed attempt by its task. The attempt's id is in the chart and in frames.
func attemptFailed(s *dag.Snapshot, job int, k dag.StageIndex, a *dag.Attempt) string {
	text := s.Plan.TaskWords(job, k, a.Task) + " failed"
	if a.Node >= 0 && int(a.Node) < len(s.Nodes) && s.Nodes[a.Node].Name != "" {
		text += " on " + s.Nodes[a.Node].Name
	}
	return text
}

// addAlerts adds alerts that changed their state. A default alert is added only once it fires, and with later changes.
func (m *marks) addAlerts(f *frame.Frame) {
	if f.ElapsedSeconds == nil {
		return
	}
	at := *f.ElapsedSeconds
	for _, a := range f.Alerts {
		was := m.alerts[a.Bound]
		missed := a.Outcome != nil && *a.Outcome == frame.Missed
		if a.State == cmp.Or(was, frame.OnTrack) || a.State == frame.Blind ||
			a.State == frame.Ended && !was.Firing() && !missed {
			continue
		}
		if m.firing == nil && a.State.Firing() {
			m.firing = &at
		}
		text, _, _ := strings.Cut(a.Text, "; ") // the rest, what it waits for and what changed, is shown elsewhere
		m.add(at, MarkAlert, fmt.Sprint("alert ", a.Bound, at), view.Escape(a.Bound+": "+text))
		m.alerts[a.Bound] = a.State
	}
}

// sorted returns the marks by time.
func (m *marks) sorted() []Mark {
	return view.List(slices.SortedStableFunc(slices.Values(m.all), byTime))
}

func byTime(a, b Mark) int { return cmp.Compare(a.AtSeconds, b.AtSeconds) }
