package ernest

import (
	"fmt"
	"strings"
)

// illConditioned is from what condition on the coefficients have lost half of their digits to the rows' rounding.
const illConditioned = 1e8

// undetermined names what the rows cannot tell apart, and which runs would.
func (m *Model) undetermined() []Warning {
	var warnings []Warning
	_, configurations := configurations(m.Rows)
	if configurations < len(m.Terms) {
		warnings = append(warnings, Warning{"under_determined", fmt.Sprintf(
			"%d different runs do not determine %d coefficients: add at least %d, %s", configurations, len(m.Terms),
			len(m.Terms)-configurations+1, m.next())})
	}
	for _, set := range m.base.info.Dependent {
		together := make([]Term, len(set))
		for i, j := range set {
			together[i] = m.Terms[j]
		}
		if len(set) == 1 {
			warnings = append(warnings,
				Warning{"collinear", fmt.Sprintf("%s is 0 in all rows: its coefficient is unknown; %s", names(together),
					m.next())})
			continue
		}
		warnings = append(warnings,
			Warning{"collinear", fmt.Sprintf("the rows cannot tell %s apart: only what they are together is known; %s",
				names(together), m.next())})
	}
	if len(m.base.info.Dependent) == 0 && m.Condition > illConditioned {
		warnings = append(warnings,
			Warning{"ill_conditioned", fmt.Sprintf("the rows hardly tell the terms apart (condition %.1g); %s",
				m.Condition, m.next())})
	}
	if m.unseen = m.scaleUnseen(); m.unseen {
		warnings = append(warnings,
			Warning{
				"scale_without_effect",
				"the rows show no effect of scale: nothing is known of more input than they had",
			})
	}
	return warnings
}

// scaleUnseen says that no coefficient of a term that depends on scale is above 0.
func (m *Model) scaleUnseen() bool {
	for j, t := range m.Terms {
		if t.grows() && m.Coefficients[j] > 0 {
			return false
		}
	}
	return true
}

// next says which runs would tell most.
func (m *Model) next() string {
	machines := column(m.Rows, func(r Row) float64 { return r.Machines })
	scales := column(m.Rows, func(r Row) float64 { return r.Scale })
	var advice []string
	if n := distinct(machines); n < 3 {
		counts := fmt.Sprintf("all have %g", machines[0])
		if n == 2 {
			counts = fmt.Sprintf("they have %g and %g", machines[0], machines[len(machines)-1])
		}
		advice = append(advice, fmt.Sprintf("measure at three different numbers of machines or more (%s)", counts))
	}
	if n := distinct(scales); n < 2 {
		advice = append(advice, fmt.Sprintf("measure at another scale (all have %g)", scales[0]))
	}
	if len(advice) == 0 {
		advice = append(advice, "change machines and scale one without the other")
	}
	return strings.Join(advice, " and ")
}
