package whatifview

import (
	"io"
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// SchemaVersion is the version of the JSON. Fields may be added within a version, never renamed or removed.
const SchemaVersion = 2

type document struct {
	SchemaVersion  int              `json:"schema_version"`
	Workflow       frame.Workflow   `json:"workflow"`
	At             *frame.Time      `json:"at"` // null for a plan
	ElapsedSeconds frame.Seconds    `json:"elapsed_seconds"`
	TookSeconds    *frame.Seconds   `json:"took_seconds"` // of a finished run
	MissRatio      units.Float      `json:"miss_ratio"`   // its replay compared with that
	Slots          slots            `json:"slots"`
	Base           row              `json:"base"`
	Changes        []row            `json:"changes"`
	Together       *row             `json:"together"`
	Limits         []row            `json:"limits"`
	Marginal       []row            `json:"marginal"`
	Curve          *curve           `json:"curve"`
	Warnings       []whatif.Warning `json:"warnings"`
}

type slots struct {
	Policy      dag.Policy `json:"policy"`
	Total       *int       `json:"total"`
	Maps        *int       `json:"maps"`
	Reduces     *int       `json:"reduces"`
	Containers  *int       `json:"containers"`
	ContainerMB *int       `json:"container_mb"`
	Cores       *int       `json:"cores,omitempty"`
}

type row struct {
	Name              string           `json:"name"` // the change, or the name of a limit; "" for the base
	Model             *string          `json:"model"`
	RemainingSeconds  *frame.Seconds   `json:"remaining_seconds"`
	TotalSeconds      *frame.Seconds   `json:"total_seconds"`
	SavedSeconds      *frame.Seconds   `json:"saved_seconds"`
	DisagreementRatio units.Float      `json:"disagreement_ratio"`
	Answers           []answer         `json:"answers"`
	Warnings          []whatif.Warning `json:"warnings"`
}

type answer struct {
	Model            string         `json:"model"`
	RemainingSeconds *frame.Seconds `json:"remaining_seconds"`
	TotalSeconds     *frame.Seconds `json:"total_seconds"`
	SavedSeconds     *frame.Seconds `json:"saved_seconds"`
	SavedRatio       units.Float    `json:"saved_ratio"`
	LowSeconds       *frame.Seconds `json:"low_seconds"`
	HighSeconds      *frame.Seconds `json:"high_seconds"`
	FloorSeconds     *frame.Seconds `json:"floor_seconds"`
	AssumedRatio     units.Float    `json:"assumed_ratio"`
	Note             *string        `json:"note"`
}

type curve struct {
	Points        []point `json:"points"`
	KneeSlots     *int    `json:"knee_slots"`
	KneeGainRatio float64 `json:"knee_gain_ratio"`
}

type point struct {
	Slots            slots         `json:"slots"`
	RemainingSeconds frame.Seconds `json:"remaining_seconds"`
	Base             bool          `json:"base"`
	Knee             bool          `json:"knee"`
}

// JSON writes the view. Unknown is null.
func (v *View) JSON(out io.Writer) error {
	r := v.Report
	d := document{
		SchemaVersion: SchemaVersion, Workflow: frame.Workflow{
			ID: frame.Text(v.ID), Name: frame.Text(v.Name),
			State: v.State,
		},
		ElapsedSeconds: frame.SecondsOf(v.Elapsed), MissRatio: number(v.Miss), Slots: slotsOf(v.Room),
		Base: v.jsonRow(&r.Base), Changes: v.rows(r.Alone), Limits: v.rows(r.Limits), Marginal: v.rows(r.Marginal),
		Warnings: view.List(r.Warnings),
	}
	if v.At.Known() {
		d.At = frame.TimeOf(v.At)
	}
	if v.Took > 0 {
		d.TookSeconds = frame.SecondsIn(&v.Took)
	}
	if r.Together != nil {
		t := v.jsonRow(r.Together)
		d.Together = &t
	}
	if r.Curve != nil {
		d.Curve = curveOf(r.Curve)
	}
	return view.JSON(out, d, "  ")
}

func (v *View) rows(rows []whatif.Row) []row {
	out := make([]row, len(rows))
	for i := range rows {
		out[i] = v.jsonRow(&rows[i])
	}
	return out
}

func (v *View) jsonRow(r *whatif.Row) row {
	out := row{
		Name: r.Name, DisagreementRatio: number(r.Disagreement), Answers: make([]answer, len(r.Answers)),
		Warnings: view.List(r.Warnings),
	}
	if out.Name == "" {
		out.Name = r.Change.String()
	}
	for i := range r.Answers {
		out.Answers[i] = v.answer(&r.Answers[i])
	}
	if len(out.Answers) > 0 {
		a := &out.Answers[0]
		out.Model, out.RemainingSeconds, out.TotalSeconds, out.SavedSeconds = &a.Model, a.RemainingSeconds,
			a.TotalSeconds, a.SavedSeconds
	}
	return out
}

func (v *View) answer(a *whatif.Answer) answer {
	out := answer{
		SavedRatio: units.Float(math.NaN()),
		Model:      a.Model, RemainingSeconds: frame.SecondsIn(a.Remaining), LowSeconds: frame.SecondsIn(a.Low),
		HighSeconds:  frame.SecondsIn(a.High),
		FloorSeconds: frame.SecondsIn(a.Floor), AssumedRatio: number(a.AssumedRatio), Note: frame.Text(a.Note),
	}
	if a.Remaining == nil {
		return out
	}
	total := v.Elapsed + *a.Remaining
	out.TotalSeconds = frame.SecondsIn(&total)
	if base := v.baseOf(a.Model); base != nil && base.Remaining != nil {
		saved := *base.Remaining - *a.Remaining
		out.SavedSeconds = frame.SecondsIn(&saved)
		if *base.Remaining > 0 {
			out.SavedRatio = number(float64(saved) / float64(*base.Remaining))
		}
	}
	return out
}

func curveOf(c *whatif.Curve) *curve {
	out := &curve{Points: make([]point, len(c.Points)), KneeGainRatio: whatif.KneeGain}
	for i, p := range c.Points {
		out.Points[i] = point{
			Slots: slotsOf(p.Room), RemainingSeconds: frame.SecondsOf(p.Remaining), Base: p.Base,
			Knee: i == c.Knee,
		}
		if i == c.Knee {
			n := p.Room.Total()
			out.KneeSlots = &n
		}
	}
	return out
}

func slotsOf(r whatif.Room) slots {
	s := slots{Policy: r.Policy}
	if total := r.Total(); r.Policy == dag.FIFO || total > 0 {
		s.Total = &total
	}
	switch r.Policy {
	case dag.FIFO:
		s.Maps, s.Reduces = &r.Maps, &r.Reduces
	case dag.Executors:
		s.Cores = s.Total
	default:
		s.ContainerMB, s.Containers = &r.ContainerMB, s.Total
	}
	return s
}

// number rounds to six decimal places.
func number(x float64) units.Float { return units.Float(math.Round(x*1e6) / 1e6) }
