package models

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/ernest"
)

func overhead() section {
	return section{"Ernest: what the training costs (§6.2)", func(p printer) error {
		m, err := ernest.Fit(rcv1, ernest.FitOptions{})
		if err != nil {
			return err
		}
		head(p, "the whole input on", "predicted, s", "training, s", "training / run",
			"core seconds of training / of the run")
		for _, c := range printed {
			full := ernest.Row{Machines: c.cores, Scale: 1}
			full.Seconds = m.Predict(full.Point()).Seconds
			o := ernest.Overhead(rcv1, full)
			p("%s", line(fmt.Sprintf("%v cores", c.cores), fmt.Sprintf("%.1f", full.Seconds),
				fmt.Sprintf("%.1f", o.Seconds),
				fmt.Sprintf("%.2f", o.TimeRatio), fmt.Sprintf("%.2f", o.WorkRatio)))
		}
		p("")
		p("%s", overheadWords)
		return nil
	}}
}
