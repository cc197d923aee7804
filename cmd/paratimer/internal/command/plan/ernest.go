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
	"github.com/paratimer/paratimer/units"
)

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
			valid, must := err == nil && v > 0 && !math.IsInf(v, 0), "above 0"
			switch want[i] {
			case "MACHINES":
				r.Machines, valid, must = v, valid && v >= 1, "1 or more"
			case "SCALE":
				r.Scale = v
			case "ITERATIONS":
				r.Iterations = int(min(v, math.MaxInt32))
				valid, must = valid && float64(r.Iterations) == v, "whole, 1 or more"
			case "SECONDS":
				r.Seconds = v
			}
			if !valid {
				return nil, command.Usage("--%s %s: %s is %q: it must be a number, %s", flag, text,
					strings.ToLower(want[i]), part, must)
			}
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// pointsOf returns the runs of --at.
func pointsOf(c *cli.Context, iterative bool) ([]ernest.Point, error) {
	runs, err := typedRuns(c, "at", iterative, "MACHINES", "SCALE", "ITERATIONS")
	const most = 10_000
	if len(runs) > most {
		return nil, command.Usage("--at: %d points are more than %d", len(runs), most)
	}
	return units.Each(runs, ernest.Row.Point), err
}

// quoted returns a file name quoted for a shell.
func quoted(name string) string {
	if regexp.MustCompile(`^[\pL\pN./_-]*$`).MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}
