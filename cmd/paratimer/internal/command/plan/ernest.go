package plan

import (
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
)

// ernestCommand returns `paratimer ernest`: the length of a job on other machines, predicted from a few small runs
// (Venkataraman et al., NSDI 2016).
func ernestCommand() *cli.Command {
	return command.Group("ernest", "predict a job on other machines and inputs from a few small runs",
		command.New("design", "", "choose the most informative small runs for a budget", ernestDesign),
		command.New("run", "", "make the training runs of a design, and predict from them", ernestRun),
		command.New("rows", "FILE...", "make a table of training data from recorded runs", ernestRows),
		command.New("fit", "FILE...", "fit a model to a table or recordings of runs, and predict other runs", ernestFit),
		command.New("predict", "FILE",
			"predict runs from a table, and check whether later runs agree", ernestFit),
		command.New("choose", "", "choose the cheapest or fastest machines for a deadline or a budget",
			ernestChoose),
	)
}

// tuplesOf returns the numbers of each value of a flag: finite, above 0, machines first and at least 1.
func tuplesOf(c *cli.Context, flag string, want ...string) ([][]float64, error) {
	var all [][]float64
	for _, text := range strings.Fields(strings.ReplaceAll(c.String(flag), ", ", ",")) {
		parts := strings.Split(text, ",")
		if len(parts) == 1 && want[0] == "MACHINES" && len(want) == 2 {
			parts = append(parts, "1") // the whole input
		}
		if len(parts) != len(want) {
			return nil, command.Usage("--%s %s: it is %s", flag, text, strings.Join(want, ","))
		}
		var one []float64
		for i, part := range parts {
			v, err := strconv.ParseFloat(part, 64)
			if err != nil || math.IsInf(v, 0) || !(v > 0) || want[i] == "MACHINES" && v < 1 ||
				want[i] == "ITERATIONS" && (v != math.Trunc(v) || v > math.MaxInt32) {
				return nil, command.Usage("--%s %s: %s is %q: it must be a number, %s", flag, text,
					strings.ToLower(want[i]), part, least[want[i]])
			}
			one = append(one, v)
		}
		all = append(all, one)
	}
	return all, nil
}

// least describes the valid numbers in a tuple.
var least = map[string]string{
	"MACHINES": "1 or more", "ITERATIONS": "whole, 1 or more", "SCALE": "above 0",
	"SECONDS": "above 0",
}
