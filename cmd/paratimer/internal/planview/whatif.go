package planview

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// WhatIfVersion is the version of the JSON of a WhatIf. Fields may be added within a version, never renamed or removed.
const WhatIfVersion = 3

// A WhatIf is how long a query takes with each change, at best, and with other numbers of slots. It is the JSON of
// `paratimer whatif`; the text is made from it. Unknown is null.
type WhatIf struct {
	SchemaVersion  int            `json:"schema_version"`
	Workflow       frame.Workflow `json:"workflow"`
	At             *frame.Time    `json:"at"` // null for a plan
	ElapsedSeconds frame.Seconds  `json:"elapsed_seconds"`
	TookSeconds    *frame.Seconds `json:"took_seconds"` // of a finished run
	MissRatio      units.Float    `json:"miss_ratio"`   // how much longer its replay is
	Slots          Slots          `json:"slots"`
	Base           Row            `json:"base"`
	Changes        []Row          `json:"changes"`
	Together       *Row           `json:"together"` // null if there are fewer than two changes, or if they exclude each other
	Limits         []Row          `json:"limits"`
	Curve          *Curve         `json:"curve"` // null if the time or the slots are unknown
	Warnings       []dag.Warning  `json:"warnings"`

	failed error // of the first change that could not be predicted
}

// A Row is the answer to one change. If it has neither RemainingSeconds nor FloorSeconds, the time is unknown or the
// change does not apply.
type Row struct {
	Name             string         `json:"name"` // the change, or the name of a limit; "" for the base
	RemainingSeconds *frame.Seconds `json:"remaining_seconds"`
	TotalSeconds     *frame.Seconds `json:"total_seconds"`
	SavedSeconds     *frame.Seconds `json:"saved_seconds"`
	SavedRatio       units.Float    `json:"saved_ratio"`
	LowSeconds       *frame.Seconds `json:"low_seconds"`
	HighSeconds      *frame.Seconds `json:"high_seconds"`
	FloorSeconds     *frame.Seconds `json:"floor_seconds"`
	AssumedRatio     units.Float    `json:"assumed_ratio"`
	Note             *string        `json:"note"` // the effect of the change, such as the worst failure
	Warnings         []dag.Warning  `json:"warnings"`

	title   string // of the row of a table
	assumed bool   // too much of the time is assumed: it is shown as "at least"
}

// A Curve is time against slots, in ascending order of slots.
type Curve struct {
	Points        []Point `json:"points"`
	KneeSlots     *int    `json:"knee_slots"`
	KneeGainRatio float64 `json:"knee_gain_ratio"`
}

// A Point is the time with a number of slots.
type Point struct {
	Slots            Slots         `json:"slots"`
	RemainingSeconds frame.Seconds `json:"remaining_seconds"`
	Base             bool          `json:"base"`
	Knee             bool          `json:"knee"`
}

// Slots are how many tasks can run at once.
type Slots struct {
	whatif.Room `json:"-"`
	Policy      dag.Policy `json:"policy"`
	Total       *int       `json:"total"`
	Maps        *int       `json:"maps"`
	Reduces     *int       `json:"reduces"`
	Containers  *int       `json:"containers"`
	ContainerMB *int       `json:"container_mb"`
	Cores       *int       `json:"cores,omitempty"`
}

func slotsOf(r whatif.Room) Slots {
	s := Slots{Room: r, Policy: r.Policy}
	if total := r.Total(); r.Policy == dag.FIFO || total > 0 {
		s.Total = &total
	}
	switch r.Policy {
	case dag.FIFO:
		s.Maps, s.Reduces = &r.N[0], &r.N[1]
	case dag.Executors:
		s.Cores = s.Total
	default:
		s.ContainerMB, s.Containers = &r.ContainerMB, s.Total
	}
	return s
}

// The limits, with their names and texts. SLOT is the word of the scheduler.
var limits = []struct {
	name, text string
	change     whatif.Change
}{
	{"infinite_slots", "a SLOT for every task", whatif.Change{Slots: []whatif.Slots{{N: math.Inf(1)}}}},
	{"no_skew", "work spread evenly", whatif.Change{Even: true}},
	{"no_failures", "no failures", whatif.Change{Unfailing: true}},
	{"ideal", "ideal: no start-ups and pauses either", whatif.Change{Ideal: true}},
}

// Ask predicts how long a query takes with each change, and with all of them together. s is its last snapshot; replay
// is of the rest of the query or, if it has ended, of all of it. An error names its change.
func Ask(s *dag.Snapshot, replay *whatif.Replay, changes []whatif.Change) (*WhatIf, error) {
	v := &WhatIf{
		SchemaVersion: WhatIfVersion,
		Workflow:      frame.Workflow{ID: frame.Text(s.ID), Name: frame.Text(s.Plan.Name), State: s.State},
		At:            frame.TimeOf(s.At), ElapsedSeconds: frame.SecondsOf(replay.Elapsed()),
		MissRatio: units.Float(replay.Miss()), Slots: slotsOf(replay.Room()), Changes: []Row{}, Limits: []Row{},
		Warnings: []dag.Warning{},
	}
	if took := replay.Took(); took > 0 {
		v.TookSeconds = new(frame.SecondsOf(took))
	}
	if w, doubtful := replay.Doubt(); doubtful {
		v.Warnings = append(v.Warnings, w)
	}
	v.Base = v.row("as it is", "", whatif.Change{}, replay.PredictRange)
	for _, c := range changes {
		v.Changes = append(v.Changes, v.row(c.String(), c.String(), c, replay.PredictRange))
	}
	all, err := whatif.Together(changes)
	switch {
	case err != nil:
		v.Warnings = append(v.Warnings, dag.Warning{Code: whatif.WarnAlternatives, Text: err.Error()})
	case len(changes) > 1:
		v.Together = new(v.row("all together", all.String(), all, replay.PredictRange))
	}
	for _, l := range limits {
		row := v.row(strings.Replace(l.text, "SLOT", v.Slots.Policy.Slot(), 1), l.name, l.change, replay.Predict)
		if saved := row.SavedSeconds; saved != nil && *saved < 0 { // other waves may take longer: nothing is saved
			row.RemainingSeconds, row.TotalSeconds = v.Base.RemainingSeconds, v.Base.TotalSeconds
			row.SavedSeconds, row.SavedRatio = v.Base.SavedSeconds, v.Base.SavedRatio
		}
		v.Limits = append(v.Limits, row)
	}
	for _, observed := range s.Warnings {
		v.Warnings = append(v.Warnings, dag.Warning{Code: whatif.WarnObservation, Text: observed.Text})
	}
	if v.failed != nil {
		return nil, v.failed
	}
	switch c, err := replay.Curve(); {
	case err == nil:
		v.Curve = curveOf(c)
	case !errors.As(err, new(*whatif.UnsupportedError)):
		return nil, err
	}
	return v, nil
}

// row predicts the query under one change.
func (v *WhatIf) row(title, name string, c whatif.Change, predict func(whatif.Change) (whatif.Answer, error)) Row {
	unknown := units.Float(math.NaN())
	r := Row{Name: name, title: title, SavedRatio: unknown, AssumedRatio: unknown, Warnings: []dag.Warning{}}
	a, err := predict(c)
	if cannot := (*whatif.UnsupportedError)(nil); errors.As(err, &cannot) {
		r.Warnings = append(r.Warnings, dag.Warning{Code: whatif.WarnUnsupported, Text: cannot.Why})
		return r
	}
	if err != nil {
		v.failed = cmp.Or(v.failed, fmt.Errorf("%s: %w", cmp.Or(c.String(), "as it is"), err))
		return r
	}
	r.RemainingSeconds, r.FloorSeconds = frame.SecondsIn(a.Remaining), frame.SecondsIn(a.Floor)
	r.LowSeconds, r.HighSeconds = frame.SecondsIn(a.Low), frame.SecondsIn(a.High)
	r.AssumedRatio, r.Note, r.Warnings = units.Float(a.AssumedRatio), frame.Text(a.Note), view.List(a.Warnings)
	r.assumed = a.AssumedRatio > frame.MostAssumed && !a.Measured
	base := v.Base.RemainingSeconds
	if name == "" {
		base = r.RemainingSeconds
	}
	if r.RemainingSeconds != nil {
		r.TotalSeconds = new(v.ElapsedSeconds + *r.RemainingSeconds)
		if base != nil {
			saved := *base - *r.RemainingSeconds
			r.SavedSeconds, r.SavedRatio = &saved, units.Float(saved / *base)
		}
	}
	return r
}

func curveOf(c *whatif.Curve) *Curve {
	out := &Curve{KneeGainRatio: whatif.KneeGain}
	for i, p := range c.Points {
		at := Point{slotsOf(p.Room), frame.SecondsOf(p.Remaining), p.Base, i == c.Knee}
		out.Points = append(out.Points, at)
		if at.Knee {
			out.KneeSlots = at.Slots.Total
		}
	}
	return out
}
