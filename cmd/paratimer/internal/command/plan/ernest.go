package plan

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/estimators/ernest"
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

// numbers are what a typed run may consist of. set sets one, and returns false if it is not valid.
var numbers = map[string]struct {
	valid string
	set   func(r *ernest.Row, v float64) bool
}{
	"MACHINES": {"1 or more", func(r *ernest.Row, v float64) bool {
		r.Machines = v
		return v >= 1
	}},
	"SCALE": {"above 0", func(r *ernest.Row, v float64) bool {
		r.Scale = v
		return true
	}},
	"ITERATIONS": {"whole, 1 or more", func(r *ernest.Row, v float64) bool {
		r.Iterations = int(min(v, math.MaxInt32))
		return float64(r.Iterations) == v
	}},
	"SECONDS": {"above 0", func(r *ernest.Row, v float64) bool {
		r.Seconds = v
		return true
	}},
}

// typedRuns returns the runs in the values of a flag, each of the wanted numbers. Only runs of an iterative model have
// ITERATIONS. A run of the MACHINES alone has scale 1.
func typedRuns(c *cli.Context, flag string, iterative bool, want ...string) (runs []ernest.Row, err error) {
	if !iterative {
		want = slices.DeleteFunc(want, func(name string) bool { return name == "ITERATIONS" })
	}
	for _, text := range strings.Fields(strings.ReplaceAll(c.String(flag), ", ", ",")) {
		parts := strings.Split(text, ",")
		if len(parts) == 1 && slices.Equal(want, []string{"MACHINES", "SCALE"}) {
			parts = append(parts, "1")
		}
		if len(parts) != len(want) {
			return nil, command.Usage("--%s %s: it is %s", flag, text, strings.Join(want, ","))
		}
		var r ernest.Row
		for i, part := range parts {
			v, err := strconv.ParseFloat(part, 64)
			number := numbers[want[i]]
			if err != nil || math.IsInf(v, 0) || !(v > 0) || !number.set(&r, v) {
				return nil, command.Usage("--%s %s: %s is %q: it must be a number, %s", flag, text,
					strings.ToLower(want[i]), part, number.valid)
			}
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// pointsOf returns the runs of --at.
func pointsOf(c *cli.Context, iterative bool) (points []ernest.Point, err error) {
	runs, err := typedRuns(c, "at", iterative, "MACHINES", "SCALE", "ITERATIONS")
	const most = 10_000
	if len(runs) > most {
		return nil, command.Usage("--at: %d points are more than %d", len(runs), most)
	}
	for _, r := range runs {
		points = append(points, r.Point())
	}
	return points, err
}

// quoted returns a file name quoted for a shell.
func quoted(name string) string {
	if regexp.MustCompile(`^[\pL\pN./_-]*$`).MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}
