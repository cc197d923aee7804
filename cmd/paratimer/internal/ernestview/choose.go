package ernestview

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

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
	Spare   *ernest.Spare // of the best one; nil if its machines were not measured
	warned  []ernest.Warning
}

// Warn adds the warnings of an offer's model.
func (v *Choice) Warn(offer string, all []ernest.Warning) {
	for _, w := range all {
		v.warned = append(v.warned, ernest.Warning{Code: w.Code, Text: offer + ": " + w.Text})
	}
}

// choices is the JSON of `paratimer ernest choose --output json`. Unknown and refused values are null.
type choices struct {
	Scale           float64          `json:"scale"`
	Iterations      int              `json:"iterations,omitempty"`
	DeadlineSeconds *float64         `json:"deadline_seconds"`
	Budget          *float64         `json:"budget"`
	Goal            string           `json:"goal"`
	Best            *choice          `json:"best"`  // null if no choice meets the limits
	Spare           *spare           `json:"spare"` // null if the best one's machines were not measured
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

// priced reports whether an offer's price is known.
func (v *Choice) priced(offer string) bool {
	i := slices.IndexFunc(v.Offers, func(o ernest.Offer) bool { return o.Name == offer })
	return i >= 0 && (v.Offers[i].PricePerMachineHour > 0 || v.Offers[i].Cost != nil)
}

// cost formats a choice's cost.
func (v *Choice) cost(c *ernest.Choice) string {
	if !v.priced(c.Offer) {
		return "?"
	}
	return money(c.Cost)
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
		out.Choices = append(out.Choices, v.choice(&v.Choices[i]))
	}
	if v.Best() != nil {
		out.Best = &out.Choices[0]
		out.Spare = v.spare()
	}
	return view.JSON(w, out, " ")
}

func (v *Choice) choice(c *ernest.Choice) choice {
	out := choice{
		c.Offer, c.Machines, outlookOf(&c.Prediction, !v.refused(c)), nan, nan, nan, nan, nan, c.Meets,
		frame.Text(c.Why),
	}
	if !v.refused(c) {
		out.InTimeRatio, out.InBudgetRatio = units.Float(c.InTime), units.Float(c.InBudget)
		if v.priced(c.Offer) {
			out.Cost, out.LowCost, out.HighCost = units.Float(c.Cost), units.Float(c.CostLow), units.Float(c.CostHigh)
		}
	}
	return out
}

// shownChoices is the number of choices in the text; the best one of each offer is always included.
const shownChoices = 8

// Text writes the choice as text: the best one, then the others.
func (v *Choice) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s for scale %s", v.goal(), v.limits(), units.Number(v.Want.Scale))
	if v.Want.Iterations > 0 {
		fmt.Fprintf(&b, " and %s", units.Count(v.Want.Iterations, "iteration"))
	}
	b.WriteString(": ")
	if c := v.Best(); c != nil {
		fmt.Fprintf(&b, "%d × %s, %s (%s), costs %s\n\n", c.Machines, view.Escape(c.Offer),
			units.Seconds(c.Prediction.Seconds), span(c.Prediction.Low, c.Prediction.High), v.cost(c))
	} else {
		b.WriteString("nothing\n\n")
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "OFFER\tMACHINES\tTIME\t8 OF 10 RUNS\tCOST\tIN TIME\tIN BUDGET\t")
	listed := v.listed()
	for _, c := range listed {
		fmt.Fprintf(t, "%s\t%d\t", view.Escape(c.Offer), c.Machines)
		if v.refused(c) {
			fmt.Fprintln(t, "refused\t\t\t\t\t")
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", units.Seconds(c.Prediction.Seconds),
			span(c.Prediction.Low, c.Prediction.High), v.cost(c),
			likely(c.InTime, v.Want.Deadline), likely(c.InBudget, v.Want.Budget))
	}
	_ = t.Flush() // a strings.Builder never fails
	if more := len(v.Choices) - len(listed); more > 0 {
		fmt.Fprintf(&b, "and %d more; --output json has them all\n", more)
	}
	if v.Best() == nil && len(v.Choices) > 0 && v.Choices[0].Why != "" {
		fmt.Fprintf(&b, "the first: %s\n", view.Escape(v.Choices[0].Why))
	}
	v.spareText(&b)
	say(&b, "warning", warnings(v.warned))
	_, err := io.WriteString(w, b.String())
	return err
}

// limits formats the limits: " within 20m, for at most 3".
func (v *Choice) limits() string {
	var parts []string
	if v.Want.Deadline > 0 {
		parts = append(parts, " within "+units.Seconds(v.Want.Deadline))
	}
	if v.Want.Budget > 0 {
		parts = append(parts, " for at most "+money(v.Want.Budget))
	}
	return strings.Join(parts, ",")
}

// listed returns the first choices and the best of each other offer, in their order.
func (v *Choice) listed() []*ernest.Choice {
	var out []*ernest.Choice
	seen := map[string]bool{}
	for i := range v.Choices {
		c := &v.Choices[i]
		if len(out) < shownChoices || !seen[c.Offer] {
			out = append(out, c)
		}
		seen[c.Offer] = true
	}
	return out
}

func likely(p, limit float64) string {
	if limit <= 0 {
		return "-"
	}
	return units.Chance(p)
}

// money formats an amount: two decimals, more digits below one.
func money(v float64) string {
	switch {
	case math.IsNaN(v):
		return "?"
	case v != 0 && math.Abs(v) < 1:
		return fmt.Sprintf("%.3g", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// curves returns the choices of each offer by number of machines, without refused ones.
func (v *Choice) curves() [][]*ernest.Choice {
	var out [][]*ernest.Choice
	for _, o := range v.Offers {
		var one []*ernest.Choice
		for i := range v.Choices {
			if c := &v.Choices[i]; c.Offer == o.Name && !v.refused(c) && units.Float(c.Prediction.Seconds).Known() {
				one = append(one, c)
			}
		}
		slices.SortFunc(one, func(a, b *ernest.Choice) int { return cmp.Compare(a.Machines, b.Machines) })
		out = append(out, one)
	}
	return out
}
