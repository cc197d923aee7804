package ernestview

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Choice is the result of a choice between offers, in the order of ernest.Choose. It is the JSON of `paratimer ernest
// choose`. Unknown and refused values are null.
type Choice struct {
	ernest.Want
	Best     *ernest.Choice   `json:"best"` // null if no choice meets the limits
	Choices  []ernest.Choice  `json:"choices"`
	Warnings []ernest.Warning `json:"warnings"`
}

// Warn adds the warnings of an offer's model.
func (v *Choice) Warn(offer string, all []ernest.Warning) {
	for _, w := range all {
		w.Text = offer + ": " + w.Text
		v.Warnings = warnings(v.Warnings, []ernest.Warning{w})
	}
}

// JSON writes the choice as JSON.
func (v *Choice) JSON(w io.Writer) error { return view.JSON(w, v, " ") }

// shownChoices is the number of choices in the text; the best one of each offer is always included.
const shownChoices = 8

// Text writes the choice as text: the best one, then the others.
func (v *Choice) Text(w io.Writer) error {
	var t text
	job := "scale " + units.Number(v.Scale)
	if v.Iterations > 0 {
		job += " and " + units.Count(v.Iterations, "iteration")
	}
	answer := "nothing"
	if c := v.Best; c != nil {
		answer = fmt.Sprintf("%d × %s, %s (%s), costs %s", c.Machines, view.Escape(c.Offer), units.Seconds(c.Seconds),
			span(c.Low, c.High), money(c.Cost))
	}
	t.line("%s%s for %s: %s\n", v.Goal, v.limits(), job, answer)
	rows := [][]string{{"OFFER", "MACHINES", "TIME", "8 OF 10 RUNS", "COST", "IN TIME", "IN BUDGET"}}
	seen := map[string]bool{}
	for i := range v.Choices {
		c := &v.Choices[i]
		if len(rows) > shownChoices && seen[c.Offer] {
			continue
		}
		seen[c.Offer] = true
		row := []string{view.Escape(c.Offer), fmt.Sprint(c.Machines), "refused", "", "", "", ""}
		if c.Seconds.Known() {
			row = append(row[:2], units.Seconds(c.Seconds), span(c.Low, c.High), money(c.Cost),
				likely(c.InTime, v.Deadline), likely(c.InBudget, v.Budget))
		}
		rows = append(rows, row)
	}
	t.table(rows)
	if more := len(v.Choices) - len(rows) + 1; more > 0 {
		t.line("and %d more; --output json has them all", more)
	}
	if v.Best == nil && len(v.Choices) > 0 {
		t.line("the first: %s", view.Escape(v.Choices[0].Why))
	}
	t.say("warning", v.Warnings)
	return t.to(w)
}

// limits formats the limits: " within 20m, for at most 3".
func (v *Choice) limits() string {
	var parts []string
	if v.Deadline > 0 {
		parts = append(parts, " within "+units.Seconds(v.Deadline))
	}
	if v.Budget > 0 {
		parts = append(parts, " for at most "+money(units.Float(v.Budget)))
	}
	return strings.Join(parts, ",")
}

func likely(p units.Float, limit float64) string {
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
