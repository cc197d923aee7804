package report

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/units"
)

// limits shows how long the run would have taken with one thing changed, as bars against its actual length.
type limits struct {
	Summary string
	Doubt   string // a doubt that all rows share
	Actual  string // position of the line
	Took    string
	Rows    []limitRow
}

type limitRow struct {
	ID                                   int
	Question, Change, Total, Gain, Doubt string
	Width, From, Saved                   string
	Known, Sooner, Later                 bool
}

func limitsOf(s *runreport.Report) *limits {
	l := &limits{Summary: prose(s.Limits.Summary)}
	var actual, top frame.Seconds
	for _, r := range s.Limits.Rows {
		if r.TotalSeconds != nil {
			top = max(top, *r.TotalSeconds)
			if r.GainSeconds != nil {
				actual = *r.TotalSeconds + *r.GainSeconds
			}
		}
	}
	if s.PredictionHistory.TotalSeconds != nil {
		actual = *s.PredictionHistory.TotalSeconds
	}
	along := scale{0, max(top, actual, 0.001) * 1.02}
	if actual > 0 {
		l.Actual, l.Took = along.x(actual), units.Seconds(actual)
	}
	for i := range s.Limits.Rows {
		r := &s.Limits.Rows[i]
		row := limitRow{
			ID: i, Question: capital(prose(r.Question)), Change: text(r.Change),
			Total: units.Known(r.TotalSeconds, units.Seconds), Doubt: prose(deref(r.Doubt)),
			Known: r.TotalSeconds != nil,
		}
		if r.TotalSeconds != nil {
			row.Width = along.width(0, *r.TotalSeconds)
			if actual > *r.TotalSeconds {
				row.From, row.Saved = row.Width, along.width(*r.TotalSeconds, actual)
			}
		}
		if g := r.GainSeconds; g != nil {
			switch {
			case *g >= 0.5:
				row.Gain, row.Sooner = units.Seconds(*g)+" sooner", true
			case *g <= -0.5:
				row.Gain, row.Later = units.Seconds(-*g)+" later", true
			default:
				row.Gain = "no difference"
			}
		}
		l.Rows = append(l.Rows, row)
	}
	l.share()
	return l
}

// share moves a doubt to the figure if at least two rows, and all but at most one, have it.
func (l *limits) share() {
	count := make(map[string]int)
	for i := range l.Rows {
		count[l.Rows[i].Doubt]++
	}
	for doubt, n := range count {
		if doubt == "" || n < 2 || n < len(l.Rows)-1 {
			continue
		}
		l.Doubt = capital(doubt)
		for i := range l.Rows {
			if l.Rows[i].Doubt == doubt {
				l.Rows[i].Doubt = ""
			}
		}
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
