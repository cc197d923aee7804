package skewed

import "fmt"

// waves are settings with the same tasks on fewer and fewer slots (Fig. 9).
var waves = []synthetic{
	{2, 1.2, 32, 32},
	{2, 1.2, 32, 16},
	{2, 1.2, 32, 8},
	{2, 1.2, 32, 4},
	{2, 1.4, 32, 32},
	{2, 1.4, 32, 8},
}

func wavesExperiment(l lab) experiment {
	e := experiment{title: "Workers and waves (Fig. 9)"}
	for _, s := range waves {
		e.rows = append(e.rows, row{l.run(s), all})
	}
	e.write = func(p printer, r []result) error {
		methods := []string{theory, stream, onefit, ours, foreknown, byJob, byTask, hadoop}
		head(p, []string{"cost", "σ", "tasks", "slots"}, methods)
		for i, s := range waves {
			p("%s", line(append([]string{s.cost(), fmt.Sprint(s.sigma), fmt.Sprint(s.reduces), fmt.Sprint(s.slots)},
				r[i].cells(methods)...)...))
		}
		p("")
		p("%s", wavesWords)
		return nil
	}
	return e
}
