package ernestview

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Choice is the result of a choice between offers. Choices has the order of ernest.Choose.
type Choice struct {
	Want    ernest.Want
	Offers  []ernest.Offer
	Choices []ernest.Choice
	warned  []ernest.Warning
}

// Warn adds the warnings of an offer's model.
func (v *Choice) Warn(offer string, all []ernest.Warning) {
	v.warned = append(v.warned, of(offer, all)...)
}

// choices is the JSON of `paratimer ernest choose --output json`. Unknown and refused values are null.
type choices struct {
	Scale           float64          `json:"scale"`
	Iterations      int              `json:"iterations,omitempty"`
	DeadlineSeconds *float64         `json:"deadline_seconds"`
	Budget          *float64         `json:"budget"`
	Goal            string           `json:"goal"`
	Best            *choice          `json:"best"` // null if no choice meets the limits
	Choices         []choice         `json:"choices"`
	Warnings        []ernest.Warning `json:"warnings"`
}

type choice struct {
	Offer    string `json:"offer"`
	Machines int    `json:"machines"`
	outlook
	Cost          units.Float `json:"cost"`
	LowCost       units.Float `json:"low_cost"`
	HighCost      units.Float `json:"high_cost"`
	InTimeRatio   units.Float `json:"in_time_ratio"`
	InBudgetRatio units.Float `json:"in_budget_ratio"`
	Meets         bool        `json:"meets"`
	Why           *string     `json:"why"` // why it does not meet the limits
}

// refused reports whether a choice has no number to show.
func (v *Choice) refused(c *ernest.Choice) bool { return c.Prediction.Refused != nil && !v.Want.Force }

// cost returns a cost of an offer; NaN if its price is unknown.
func (v *Choice) cost(offer string, cost float64) units.Float {
	i := slices.IndexFunc(v.Offers, func(o ernest.Offer) bool { return o.Name == offer })
	if i < 0 || !(v.Offers[i].PricePerMachineHour > 0) {
		return nan
	}
	return units.Float(cost)
}

// Best returns the first choice if it meets the limits, else nil.
func (v *Choice) Best() *ernest.Choice {
	if len(v.Choices) == 0 || !v.Choices[0].Meets || v.refused(&v.Choices[0]) {
		return nil
	}
	return &v.Choices[0]
}

func (v *Choice) goal() string {
	if v.Want.Goal == ernest.Fastest {
		return "fastest"
	}
	return "cheapest"
}

// JSON writes the choice as JSON.
func (v *Choice) JSON(w io.Writer) error {
	out := choices{
		Scale: v.Want.Scale, Iterations: v.Want.Iterations, Goal: v.goal(), Choices: []choice{},
		Warnings: warnings(v.warned),
	}
	if v.Want.Deadline > 0 {
		out.DeadlineSeconds = &v.Want.Deadline
	}
	if v.Want.Budget > 0 {
		out.Budget = &v.Want.Budget
	}
	for i := range v.Choices {
		c := &v.Choices[i]
		one := choice{
			c.Offer, c.Machines, outlookOf(&c.Prediction, !v.refused(c)), nan, nan, nan, nan, nan, c.Meets,
			frame.Text(c.Why),
		}
		if !v.refused(c) {
			one.InTimeRatio, one.InBudgetRatio = units.Float(c.InTime), units.Float(c.InBudget)
			one.Cost, one.LowCost = v.cost(c.Offer, c.Cost), v.cost(c.Offer, c.CostLow)
			one.HighCost = v.cost(c.Offer, c.CostHigh)
		}
		out.Choices = append(out.Choices, one)
	}
	if v.Best() != nil {
		out.Best = &out.Choices[0]
	}
	return view.JSON(w, out, " ")
}

// shownChoices is the number of choices in the text; the best one of each offer is always included.
const shownChoices = 8

// Text writes the choice as text: the best one, then the others.
func (v *Choice) Text(w io.Writer) error {
	var t text
	job := "scale " + units.Number(v.Want.Scale)
	if v.Want.Iterations > 0 {
		job += " and " + units.Count(v.Want.Iterations, "iteration")
	}
	answer := "nothing"
	best := v.Best()
	if best != nil {
		answer = fmt.Sprintf("%d × %s, %s (%s), costs %s", best.Machines, view.Escape(best.Offer),
			units.Seconds(best.Prediction.Seconds), span(&best.Prediction), money(v.cost(best.Offer, best.Cost)))
	}
	t.line("%s%s for %s: %s\n", v.goal(), v.limits(), job, answer)
	rows := [][]string{{"OFFER", "MACHINES", "TIME", "8 OF 10 RUNS", "COST", "IN TIME", "IN BUDGET"}}
	seen := map[string]bool{}
	for i := range v.Choices {
		c := &v.Choices[i]
		if len(rows) > shownChoices && seen[c.Offer] {
			continue
		}
		seen[c.Offer] = true
		row := []string{view.Escape(c.Offer), fmt.Sprint(c.Machines), "refused", "", "", "", ""}
		if !v.refused(c) {
			row = append(row[:2], units.Seconds(c.Prediction.Seconds), span(&c.Prediction),
				money(v.cost(c.Offer, c.Cost)), likely(c.InTime, v.Want.Deadline), likely(c.InBudget, v.Want.Budget))
		}
		rows = append(rows, row)
	}
	t.table(rows)
	if more := len(v.Choices) - len(rows) + 1; more > 0 {
		t.line("and %d more; --output json has them all", more)
	}
	if best == nil && len(v.Choices) > 0 && v.Choices[0].Why != "" {
		t.line("the first: %s", view.Escape(v.Choices[0].Why))
	}
	t.say("warning", v.warned)
	return t.to(w)
}

// limits formats the limits: " within 20m, for at most 3".
func (v *Choice) limits() string {
	var parts []string
	if v.Want.Deadline > 0 {
		parts = append(parts, " within "+units.Seconds(v.Want.Deadline))
	}
	if v.Want.Budget > 0 {
		parts = append(parts, " for at most "+money(units.Float(v.Want.Budget)))
	}
	return strings.Join(parts, ",")
}

func likely(p, limit float64) string {
	if limit <= 0 {
		return "-"
	}
	return units.Chance(p)
}

// money formats an amount: two decimals, more digits below one.
func money(v units.Float) string {
	switch {
	case !v.Known():
		return "?"
	case v != 0 && math.Abs(float64(v)) < 1:
		return fmt.Sprintf("%.3g", v)
	}
	return fmt.Sprintf("%.2f", v)
}
