package ernest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/units"
)

// A Goal decides which choice is best among those that meet the deadline and the budget.
type Goal uint8

// The goals.
const (
	Cheapest Goal = iota
	Fastest
)

// MarshalText returns the goal's name.
func (g Goal) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// String returns the goal's name.
func (g Goal) String() string { return [...]string{"cheapest", "fastest"}[g] }

// A Want is the request to Choose: the run, its limits and the goal.
type Want struct {
	Scale float64 `json:"scale"`
	// Iterations of an iterative job, 0 for other ones.
	Iterations int     `json:"iterations,omitempty"`
	Deadline   float64 `json:"deadline_seconds,omitempty"` // 0 for none
	Budget     float64 `json:"budget,omitempty"`           // in the offers' currency, 0 for none
	Goal       Goal    `json:"goal"`
	Force      bool    `json:"-"` // also choose by refused predictions
}

// A Choice is a number of machines of an offer, with its prediction and its cost.
type Choice struct {
	Offer    string `json:"offer"`
	Machines int    `json:"machines"`
	// Seconds, Low and High are those of the prediction. NaN if it is refused and not forced; so are the figures below.
	Seconds units.Float `json:"seconds"`
	Low     units.Float `json:"low_seconds"`
	High    units.Float `json:"high_seconds"`
	// Cost of a run at the predicted seconds and at both ends of the range; NaN if the offer has no price.
	Cost     units.Float `json:"cost"`
	CostLow  units.Float `json:"low_cost"`
	CostHigh units.Float `json:"high_cost"`
	// InTime and InBudget are the probabilities that the run meets the deadline and the budget, by the errors behind
	// the range. They are 1 if there is no such limit and NaN if the rows do not allow a range.
	InTime   units.Float `json:"in_time_ratio"`
	InBudget units.Float `json:"in_budget_ratio"`
	// Meets reports whether the high end of the range meets deadline and budget. Nine runs in ten stay below that
	// end.
	Meets bool   `json:"meets"`
	Why   string `json:"why,omitempty"` // why the choice does not meet the limits, or why its prediction is refused

	refused bool // and not forced
}

// Choose lists every number of machines of every offer, best first. Choices that meet the limits come first, ordered
// by the goal. Then follow the others by their probability, then the refused ones. Choose fails only if the request
// or an offer is invalid; an *InputError names the offer.
func Choose(offers []Offer, w Want) ([]Choice, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	if len(offers) == 0 {
		return nil, fmt.Errorf("no offer: give at least one type of machine")
	}
	var choices []Choice
	for _, given := range offers {
		o, err := given.checked()
		if err != nil {
			return nil, err
		}
		if len(choices)+(o.MaxMachines-o.MinMachines)/o.Step >= MaxCandidates {
			return nil, o.bad("more than %d numbers of machines to choose from: narrow them or take larger steps",
				MaxCandidates)
		}
		for m := o.MinMachines; m <= o.MaxMachines; m += o.Step {
			choices = append(choices, o.choice(m, w))
		}
	}
	slices.SortStableFunc(choices, func(a, b Choice) int { return w.compare(&a, &b) })
	nan := units.Float(math.NaN())
	for i := range choices {
		if c := &choices[i]; c.refused {
			*c = Choice{c.Offer, c.Machines, nan, nan, nan, nan, nan, nan, nan, nan, false, c.Why, true}
		}
	}
	return choices, nil
}

func (w *Want) check() error {
	switch {
	case !finite(w.Scale) || w.Scale <= 0:
		return fmt.Errorf("scale %v: give what is to be run, in the unit of the training runs", w.Scale)
	case !finite(w.Deadline) || w.Deadline < 0:
		return fmt.Errorf("deadline %v: give seconds above 0, or 0 for none", w.Deadline)
	case !finite(w.Budget) || w.Budget < 0:
		return fmt.Errorf("budget %v: give a number above 0, or 0 for none", w.Budget)
	case w.Goal > Fastest:
		return fmt.Errorf("goal %d: cheapest or fastest", w.Goal)
	}
	return nil
}

func (o *Offer) choice(machines int, w Want) Choice {
	p := o.Model.Predict(Point{float64(machines), w.Scale, w.Iterations})
	cost := func(seconds float64) units.Float { return units.Float(o.cost(float64(machines), seconds)) }
	c := Choice{
		Offer: o.Name, Machines: machines,
		Seconds: units.Float(p.Seconds), Low: units.Float(p.Low), High: units.Float(p.High),
		Cost: cost(p.Seconds), CostLow: cost(p.Low), CostHigh: cost(p.High),
		InTime: 1, InBudget: 1, refused: p.Refused != nil && !w.Force,
	}
	if w.Deadline > 0 {
		c.InTime = below(p.sample, func(s float64) bool { return s <= w.Deadline })
	}
	if w.Budget > 0 {
		c.InBudget = below(p.sample, func(s float64) bool { return float64(cost(s)) <= w.Budget })
	}
	if c.Why = w.unmet(&c); c.refused {
		c.Why = p.Refused.Text
	}
	c.Meets = c.Why == ""
	return c
}

// unmet returns why a choice does not meet the limits, by the high end of the range. If the range is unknown and
// w.Force is set, it judges by the prediction itself.
func (w *Want) unmet(c *Choice) string {
	seconds, cost := c.High, c.CostHigh
	switch {
	case !c.Seconds.Known():
		return "its time is unknown"
	case !seconds.Known() && !w.Force:
		return "how far the number may be off is not known"
	case !seconds.Known():
		seconds, cost = c.Seconds, c.Cost
	}
	switch {
	case w.Deadline > 0 && float64(seconds) > w.Deadline:
		return fmt.Sprintf("it may take %s, in time with probability %s", units.Seconds(seconds), units.Chance(c.InTime))
	case w.Budget > 0 && !(float64(cost) <= w.Budget):
		return fmt.Sprintf("it may cost %.4g, within the budget with probability %s", cost, units.Chance(c.InBudget))
	}
	return ""
}

// compare orders the better choice first. Equal choices keep the order of offers and machines.
func (w *Want) compare(a, b *Choice) int {
	first, second := cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Seconds, b.Seconds)
	if w.Goal == Fastest {
		first, second = second, first
	}
	return cmp.Or(cmp.Compare(w.chance(b), w.chance(a)), first, second, cmp.Compare(a.Machines, b.Machines))
}

// chance estimates the probability that both limits are met. The two events nearly coincide, so the smaller
// probability stands for both; it is -1 if it is unknown. It is more than 1 for choices that meet the limits, and
// below -1 for those that have no number.
func (w *Want) chance(c *Choice) units.Float {
	chance := min(c.InTime, c.InBudget)
	if !chance.Known() {
		chance = -1
	}
	switch {
	case c.Meets:
		return 2
	case c.refused:
		return chance - 3
	}
	return chance
}

// below returns the share of an ascending sample for which good is true; good must be false from some value on. It
// returns NaN if the sample is empty.
func below(sample []float64, good func(float64) bool) units.Float {
	if len(sample) == 0 {
		return units.Float(math.NaN())
	}
	count := sort.Search(len(sample), func(i int) bool { return !good(sample[i]) })
	return units.Float(count) / units.Float(len(sample))
}

// An Offer is a type of machine with its own model and price (§4.1, §6.4).
type Offer struct {
	Name                string
	Model               *Model
	PricePerMachineHour float64 // in any currency, one for all offers; 0 if unknown
	MinMachines         int     // 0 for 1
	MaxMachines         int
	Step                int // machines come in multiples of Step, starting at MinMachines; 0 for 1
	Billing             Billing
}

func (o *Offer) bad(format string, args ...any) error {
	return bad(fmt.Sprintf("offer %q", o.Name), format, args...)
}

// checked returns the offer with its defaults, or an error if it is invalid.
func (o Offer) checked() (Offer, error) {
	o.MinMachines, o.Step = cmp.Or(o.MinMachines, 1), cmp.Or(o.Step, 1)
	b := o.Billing
	switch {
	case o.Model == nil:
		return o, o.bad("it has no model: fit one to its training runs")
	case !finite(o.PricePerMachineHour) || o.PricePerMachineHour < 0:
		return o, o.bad("a price of %v for a machine and hour: give a number of 0 or more", o.PricePerMachineHour)
	case o.MinMachines < 1 || o.Step < 1:
		return o, o.bad("from %d machines on by steps of %d: both are 1 or more", o.MinMachines, o.Step)
	case o.MaxMachines < o.MinMachines:
		return o, o.bad("%d machines at most are fewer than %d at least", o.MaxMachines, o.MinMachines)
	case !finite(b.Quantum) || !finite(b.Minimum) || b.Quantum < 0 || b.Minimum < 0:
		return o, o.bad("billing by %v s and at least %v s: give seconds of 0 or more", b.Quantum, b.Minimum)
	}
	return o, nil
}

// Billing is how time is charged. The zero value charges the exact time.
type Billing struct {
	Quantum float64 // seconds; each started quantum is charged in full; 0 for the exact time
	Minimum float64 // seconds charged at least
}

// The usual billings.
var (
	PerMoment = Billing{}
	PerSecond = Billing{Quantum: 1, Minimum: 60}
	PerHour   = Billing{Quantum: 3600}
)

// Charged returns the charged time in seconds.
func (b Billing) Charged(seconds float64) float64 {
	if b.Quantum > 0 {
		seconds = b.Quantum * math.Ceil(seconds/b.Quantum*(1-rounding)) // a computed time has rounding errors
	}
	return max(seconds, b.Minimum)
}

// cost returns the cost of a run; NaN if it or seconds is unknown.
func (o *Offer) cost(machines, seconds float64) float64 {
	if o.PricePerMachineHour == 0 {
		return math.NaN()
	}
	return o.PricePerMachineHour * machines * o.Billing.Charged(seconds) / 3600
}
