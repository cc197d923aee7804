package models

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/queueing/reference"
)

func maxima() section {
	return section{"The later of two tasks", func(p printer) error {
		cases, err := reference.Maxima()
		if err != nil {
			return err
		}
		head(p, "tasks", "mean, reference", "ours", "variance, reference", "ours", "largest difference", "H₂ rule",
			"off the mean")
		for _, c := range cases {
			mean, variance, rule := c.Figures[0], c.Figures[1], c.Figures[2]
			p("%s", line(c.Name, fmt.Sprintf("%.10g", mean.Reference), fmt.Sprintf("%.10g", mean.Ours),
				fmt.Sprintf("%.10g", variance.Reference),
				fmt.Sprintf("%.10g", variance.Ours), upTo(c.Worst()), fmt.Sprintf("%.5g", rule.Ours), off(rule.Ours,
					mean.Ours)))
		}
		p("")
		p("%s", maximaWords)
		return nil
	}}
}
