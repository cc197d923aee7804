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

// A Want is the request to Choose: the run, its limits and the goal.
type Want struct {
	Scale float64
	// Iterations of an iterative job, 0 for other ones.
	Iterations int
	Deadline   float64 // seconds, 0 for none
	Budget     float64 // in the offers' currency, 0 for none
	Goal       Goal
	Force      bool // also choose by refused predictions
}

// A Choice is a number of machines of an offer, with its prediction and its cost.
type Choice struct {
	Offer      string
	Machines   int
	Prediction Prediction
	// Cost of a run at the predicted seconds and at both ends of the range.
	Cost, CostLow, CostHigh float64
	// InTime and InBudget are the probabilities that the run meets the deadline and the budget, by the errors behind
	// the range. They are 1 if there is no such limit and NaN if the rows do not allow a range.
	InTime, InBudget float64
	// Meets reports whether the high end of the range meets deadline and budget. Nine runs in ten stay below that
	// end.
	Meets bool
	Why   string // why the choice does not meet the limits, or why its prediction is refused
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
	c := Choice{Offer: o.Name, Machines: machines, Prediction: p, InTime: 1, InBudget: 1}
	cost := func(seconds float64) float64 { return o.cost(float64(machines), seconds) }
	c.Cost, c.CostLow, c.CostHigh = cost(p.Seconds), cost(p.Low), cost(p.High)
	if w.Deadline > 0 {
		c.InTime = below(p.sample, func(s float64) bool { return s <= w.Deadline })
	}
	if w.Budget > 0 {
		c.InBudget = below(p.sample, func(s float64) bool { return cost(s) <= w.Budget })
	}
	c.Meets, c.Why = w.met(&c)
	c.Prediction.sample = nil // there may be many choices
	return c
}

// met judges by the high end of the range. If the range is unknown and w.Force is set, it judges by the prediction
// itself.
func (w *Want) met(c *Choice) (bool, string) {
	seconds, cost := c.Prediction.High, c.CostHigh
	switch {
	case c.Prediction.Refused != nil && !w.Force:
		return false, c.Prediction.Refused.Text
	case math.IsNaN(c.Prediction.Seconds):
		return false, "nothing can be said of it"
	case math.IsNaN(seconds) && !w.Force:
		return false, "how far the number may be off is not known"
	case math.IsNaN(seconds):
		seconds, cost = c.Prediction.Seconds, c.Cost
	}
	if w.Deadline > 0 && seconds > w.Deadline {
		return false, fmt.Sprintf("it may take %s, in time with probability %s", units.Seconds(seconds),
			units.Chance(c.InTime))
	}
	if w.Budget > 0 && cost > w.Budget {
		return false, fmt.Sprintf("it may cost %.4g, within the budget with probability %s", cost,
			units.Chance(c.InBudget))
	}
	return true, ""
}

// compare orders the better choice first. Equal choices keep the order of offers and machines.
func (w *Want) compare(a, b *Choice) int {
	first, second := cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Prediction.Seconds, b.Prediction.Seconds)
	if w.Goal == Fastest {
		first, second = second, first
	}
	return cmp.Or(cmp.Compare(w.chance(b), w.chance(a)), first, second, cmp.Compare(a.Machines, b.Machines))
}

// chance estimates the probability that both limits are met. The two events nearly coincide, so the smaller
// probability stands for both; it is -1 if it is unknown. It is more than 1 for choices that meet the limits, and
// below -1 for those that have no number.
func (w *Want) chance(c *Choice) float64 {
	chance := min(c.InTime, c.InBudget)
	if math.IsNaN(chance) {
		chance = -1
	}
	switch {
	case c.Meets:
		return 2
	case c.Prediction.Refused != nil && !w.Force:
		return chance - 3
	}
	return chance
}

// below returns the share of an ascending sample for which good is true; good must be false from some value on. It
// returns NaN if the sample is empty.
func below(sample []float64, good func(float64) bool) float64 {
	if len(sample) == 0 {
		return math.NaN()
	}
	return float64(sort.Search(len(sample), func(i int) bool { return !good(sample[i]) })) / float64(len(sample))
}
