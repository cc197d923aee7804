package report

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// A glance is the summary on the first screen beside the Gantt chart: what went wrong, and four tiles in a row.
type glance struct {
	Outcome string // the run in a sentence
	Wrong   string
	Failure *failure
	Tiles   []tile
}

// A failure says why a run failed.
type failure struct{ Title, Reason string }

// A tile is one number with its title. Its bar shows shares of the run.
type tile struct {
	Title, Value, Note, Class string
	Bar                       []barShare
}

// A barShare is a piece of a tile's bar.
type barShare struct{ Kind, X, W, Text string }

func glanceOf(s *runreport.Report, zone *time.Location) glance {
	g := glance{}
	if len(s.Summary) > 0 {
		g.Outcome = prose(units.InZone(s.Summary[0], besides(s.StartAt), zone))
	}
	if f := s.Glance.Failure; f != nil {
		g.Failure = &failure{prose(f.Title), prose(f.Reason)}
	} else {
		g.Wrong = prose(deref(s.Glance.Wrong))
	}
	if c := s.Glance.FailureCost; c != nil {
		g.Wrong += " " + prose(c.Summary)
	}
	g.Tiles = append(g.Tiles, lengthTile(s, zone))
	for _, t := range []tile{againstTile(s, zone), lostTile(s), helpsTile(s)} {
		if t.Value != "" {
			g.Tiles = append(g.Tiles, t)
		}
	}
	return g
}

func lengthTile(s *runreport.Report, zone *time.Location) tile {
	if s.Workflow.State.Ended() {
		return tile{Title: "Took", Value: units.Known(s.ElapsedSeconds, units.Seconds)}
	}
	left, sure, _ := strings.Cut(view.Remaining(s.Headline), " (")
	t := tile{Title: "Left", Value: left, Note: units.Known(s.ElapsedSeconds, units.Seconds) + " so far"}
	if s.Headline.EndAt != nil {
		t.Note = "ends about " + clock(s.Headline.EndAt, s.At, zone) + ", " + t.Note
	}
	if sure != "" {
		t.Note = strings.TrimSuffix(sure, ")") + "; " + t.Note
	}
	return t
}

// againstTile compares the run with its deadline, or with the first prediction.
func againstTile(s *runreport.Report, zone *time.Location) tile {
	a := s.Glance.Against
	if a == nil {
		return tile{}
	}
	t := tile{Title: "Against its deadline", Value: "not known"}
	over := s.Workflow.State.Ended()
	if a.Bound != nil {
		t.Note = text(*a.Bound) + ": " + clock(a.DeadlineAt, s.At, zone)
		if d := a.LaterSeconds; d != nil {
			t.Value, t.Class = distance(*d, over)
		}
		return t
	}
	t.Title, t.Value = "First predicted", units.Known(a.ExpectedSeconds, units.Seconds)
	if a.LowSeconds != nil && a.HighSeconds != nil && *a.LowSeconds < *a.HighSeconds {
		t.Note = units.Seconds(*a.LowSeconds) + " – " + units.Seconds(*a.HighSeconds)
	}
	if d := a.LaterSeconds; d != nil {
		word := "it took "
		if !over {
			word = "now "
		}
		if t.Note != "" {
			t.Note += "; "
		}
		t.Note += word + more(*d)
	}
	return t
}

// distance returns how far from its deadline a run ended or will end, as text and as a class.
func distance(later frame.Seconds, over bool) (words, class string) {
	switch {
	case later > 0 && over:
		return units.Seconds(later) + " late", "bad"
	case later > 0:
		return "about " + units.Seconds(later) + " late", "bad"
	case over:
		return units.Seconds(-later) + " early", "good"
	}
	return "about " + units.Seconds(-later) + " early", "good"
}

func more(d frame.Seconds) string {
	if d < 0 {
		return units.Seconds(-d) + " less"
	}
	return units.Seconds(d) + " more"
}

// lostTile returns the tile of the time on the critical path that added nothing to the result.
func lostTile(s *runreport.Report) tile {
	lost := s.Glance.Lost
	if len(lost) == 0 {
		return tile{}
	}
	t, sum, at := tile{Title: "Lost on the critical path"}, frame.Seconds(0), 0.0
	for _, l := range lost {
		sum += l.Seconds
		if l.Ratio == nil || *l.Ratio <= 0 {
			continue
		}
		t.Bar = append(t.Bar, barShare{
			Kind: l.Kind, X: share(100 * at), W: share(100 * float64(*l.Ratio)), Text: l.Kind + " " +
				units.Seconds(l.Seconds),
		})
		at += float64(*l.Ratio)
	}
	if t.Value = "nothing"; sum > 0 {
		t.Value = units.Seconds(sum) + ", " + units.Percent(at)
	} else {
		t.Note = "no failures, no waiting, no skew"
	}
	return t
}

func helpsTile(s *runreport.Report) tile {
	t := tile{Title: "Would help most", Value: "nothing", Note: "no change that was tried saves 2 % or more"}
	if s.Workflow.State.Ended() {
		t.Title = "Would have helped most"
	}
	h := s.Glance.Helps
	switch {
	case h != nil:
		t.Value, t.Note = units.Seconds(*h.GainSeconds)+" sooner", "with "+prose(h.Question)
		if h.Doubt != nil {
			t.Note += "; doubtful, see below"
		}
	case s.Glance.Failure != nil:
		t.Value, t.Note = "to fix the failure", "what did not run is not known"
	case len(s.Limits.Rows) == 0:
		return tile{}
	case !slices.ContainsFunc(s.Limits.Rows, func(r runreport.Limit) bool { return r.TotalSeconds != nil }):
		t.Value, t.Note = "not known", "too much is assumed to tell"
	}
	return t
}

// qualityOf returns how good the predictions were.
func qualityOf(s *runreport.Report) (all []fact) {
	c := &s.PredictionHistory
	add := func(title, value, note string) { all = append(all, fact{title, value, note}) }
	if v := c.MeanErrorPoints; v != nil {
		add("Mean error", strconv.FormatFloat(*v, 'f', 1, 64), "points of progress, of the headline")
	}
	if v := c.HeldRatio; v != nil {
		add("80 % range held", units.Percent(*v), "of the observations that had one")
	}
	if v := c.NumberRatio; v != nil {
		add("Gave a number", units.Percent(*v), "of the observations")
	}
	return all
}
