package skewed

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/lab/skewed/phase"
)

// lambdas are the numbers of keys that a map reports (section 8.5).
var lambdas = []int{10, 50, 100, 500, 1000, 2000, 5000}

// swept are the settings that are run with each lambda.
var swept = []synthetic{{2, 1.05, 1, 1}, {2, 1.2, 1, 1}, {2, 1.4, 8, 8}, {1, 1.2, 1, 1}}

// weighed is the setting for counting the sent bytes.
var weighed = synthetic{2, 1.2, 8, 8}

func lambdaExperiment(l lab) experiment {
	e := experiment{title: "How many keys a map tells, and what that costs (λ: section 8.5, bytes: 8.4)"}
	for _, keep := range lambdas {
		v := variant{
			name: ours, params: func(p *nearestfit.Params) { *p = deviating() },
			profile: keys(keep, entries*keep),
		}
		for _, s := range swept {
			e.rows = append(e.rows, v.row(l, s))
		}
	}
	e.write = func(p printer, r []result) error { return writeLambda(p, r, l.run(weighed)(1)) }
	return e
}

func writeLambda(p printer, r []result, run *phase.Run) error {
	head(p, []string{"λ"}, swept, "bytes known one by one", "a map sends", "of 128 MB", "all reduces send")
	for i, l := range lambdas {
		s, err := wire(run, l)
		if err != nil {
			return err
		}
		cells := []string{fmt.Sprint(l)}
		for j := range swept {
			cells = append(cells, r[i*len(swept)+j][ours].String())
		}
		p("%s", line(append(cells, fmt.Sprintf("%.0f %%", 100*s.explicit),
			fmt.Sprintf("%.1f kB, %.0f %% of its output", s.maps/maps/1000, 100*s.maps/s.shuffle),
			fmt.Sprintf("%.3f %%", 100*s.maps/maps/128e6), fmt.Sprintf("%.0f %% of the shuffle",
				100*s.reduces/s.shuffle))...))
	}
	p("")
	p("Of *ours*. Bytes are those of %s: a shuffle of %.1f MB, %.0f kB of each map.", weighed, run.Work.Shuffle()/1e6,
		run.Work.Shuffle()/1e3/maps)
	p("%s", lambdaWords)
	return nil
}
