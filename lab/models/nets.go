package models

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/queueing/reference"
)

func nets() section {
	return section{"Closed networks: mean value analysis", func(p printer) error {
		exact, err := reference.Exact()
		if err != nil {
			return err
		}
		approximate, err := reference.Approximate()
		if err != nil {
			return err
		}
		head(p, "network", "by", "throughput, reference", "ours", "figures", "largest difference of any")
		for _, by := range []struct {
			name  string
			cases []reference.Case
		}{{"exact", exact}, {"Bard-Schweitzer", approximate}} {
			for _, c := range by.cases {
				first := c.Figures[0]
				p("%s", line(c.Name, by.name, fmt.Sprintf("%.10g", first.Reference), fmt.Sprintf("%.10g", first.Ours),
					fmt.Sprint(len(c.Figures)), upTo(c.Worst())))
			}
		}
		p("")
		p("%s", netsWords)
		return nil
	}}
}
