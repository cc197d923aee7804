package ernestview

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// warnings joins lists of warnings without duplicates.
func warnings(all ...[]ernest.Warning) []ernest.Warning {
	out := []ernest.Warning{}
	seen := map[ernest.Warning]bool{}
	for _, list := range all {
		for _, w := range list {
			if !seen[w] {
				seen[w] = true
				out = append(out, w)
			}
		}
	}
	return out
}

// say writes a line for each warning, after a word.
func say(b *strings.Builder, word string, all []ernest.Warning) {
	for _, w := range all {
		fmt.Fprintf(b, "%s: %s\n", word, view.Escape(w.Text))
	}
}

// refusal returns the reason why a number is not shown, as a warning; nil if it may be shown.
func refusal(p *ernest.Prediction) *ernest.Warning {
	var doubt *ernest.DoubtError
	switch {
	case p.Refused == nil:
		return nil
	case errors.As(p.Refused, &doubt):
		return &ernest.Warning{Code: doubt.Code, Text: doubt.Text}
	}
	return &ernest.Warning{Code: "refused", Text: p.Refused.Error()}
}

// refusals returns the reasons why points have no reliable number.
func (f *Fitted) refusals(predicted []ernest.Prediction) []ernest.Warning {
	return f.each(predicted, func(p *ernest.Prediction) []ernest.Warning {
		if why := refusal(p); why != nil {
			return []ernest.Warning{*why}
		}
		return nil
	})
}

// instead returns the predictions of the next best method, for points without a number or with one that is likely
// off.
func (f *Fitted) instead(predicted []ernest.Prediction) []ernest.Warning {
	return f.each(predicted, func(p *ernest.Prediction) []ernest.Warning {
		doubted := p.Refused != nil ||
			slices.ContainsFunc(p.Warnings, func(w ernest.Warning) bool { return w.Code == "likely_off" })
		if !doubted || p.Next == nil {
			return nil
		}
		return []ernest.Warning{{
			Code: "next_best",
			Text: fmt.Sprintf("%s says %s; leaving one out it is %s off in the mean, ernest %s",
				p.Next.Method, units.Seconds(p.Next.Seconds), units.Tenths(p.Next.Error), units.Tenths(f.Model.LOO)),
		}}
	})
}

// remarks returns the warnings of the numbers that are shown.
func (f *Fitted) remarks(predicted []ernest.Prediction) []ernest.Warning {
	return f.each(predicted, func(p *ernest.Prediction) []ernest.Warning {
		if !f.shown(p) {
			return nil
		}
		return p.Warnings
	})
}

// each adds the point to a warning that only one of several points has.
func (f *Fitted) each(predicted []ernest.Prediction, of func(*ernest.Prediction) []ernest.Warning) []ernest.Warning {
	points := map[ernest.Warning]int{}
	for i := range predicted {
		for _, w := range of(&predicted[i]) {
			points[w]++
		}
	}
	var out []ernest.Warning
	for i := range predicted {
		for _, w := range of(&predicted[i]) {
			if points[w] == 1 && len(predicted) > 1 {
				w.Text = fmt.Sprintf("%s machines, scale %s: %s", units.Number(f.Points[i].Machines),
					units.Number(f.Points[i].Scale), w.Text)
			}
			out = append(out, w)
		}
	}
	return out
}

// brief keeps the first remark of each kind, and adds the number of others.
func brief(all []ernest.Warning) []ernest.Warning {
	var out []ernest.Warning
	at, more := map[string]int{}, map[string]int{}
	seen := map[ernest.Warning]bool{}
	for _, w := range all {
		switch i, known := at[w.Code]; {
		case seen[w]:
		case !known:
			at[w.Code] = len(out)
			out = append(out, w)
		default:
			more[out[i].Code]++
		}
		seen[w] = true
	}
	for i := range out {
		if n := more[out[i].Code]; n > 0 {
			out[i].Text += fmt.Sprintf(" (and the like of %s)",
				strings.Replace(units.Count(n, "other point"), "1 other", "another", 1))
		}
	}
	return out
}
