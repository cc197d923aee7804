package plan

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// ernestPredict predicts from a table, or chooses between the offers of --offer.
func ernestPredict(c *cli.Context) error {
	if c.String("offer") != "" {
		return ernestChoose(c)
	}
	for _, name := range []string{"within", "budget", "goal"} {
		if c.IsSet(name) {
			return command.Usage("--%s goes with --offer", name)
		}
	}
	if err := command.Arguments(c, 1, 1); err != nil {
		return err
	}
	return ernestFit(c)
}

// ernestFit fits a model to a table or recordings of runs, and predicts. Without --at, predict shows usual points.
func ernestFit(c *cli.Context) error {
	m, name, err := modelOf(c, columnsOf(c), c.Args().Slice()...)
	if err != nil {
		return err
	}
	points, err := pointsOf(c, m.Iterative())
	if err != nil {
		return err
	}
	ran, err := typedRuns(c, "ran", m.Iterative(), "MACHINES", "SCALE", "ITERATIONS", "SECONDS")
	if err != nil {
		return err
	}
	next := ""
	switch {
	case len(points)+len(ran) > 0:
	case c.Command.Name == "predict":
		points = usualPoints(m)
	default:
		next = "--at MACHINES,SCALE predicts a run"
	}
	shown := planview.Predict(name, m, points, ran, c.Bool("force"))
	shown.Next = next
	return command.Show(c, "", shown)
}

// usualPoints returns runs of the whole input, from the smallest number of machines in the training runs to four
// times the largest, doubling. The whole input is scale 1 if scales are fractions, else the largest scale.
func usualPoints(m *ernest.Model) []ernest.Point {
	fewest, most, scale, iterations := m.Rows[0].Machines, 0.0, 1.0, 0
	for _, r := range m.Rows {
		fewest, most, scale = min(fewest, r.Machines), max(most, r.Machines), max(scale, r.Scale)
		iterations = max(iterations, r.Iterations)
	}
	const atMost = 16
	var points []ernest.Point
	for n := fewest; n <= 4*most && len(points) < atMost; n *= 2 {
		points = append(points, ernest.Point{Machines: n, Scale: scale, Iterations: iterations})
	}
	return points
}

// counts are the whole numbers of a Space and their flags.
var counts = []struct {
	flag, field string
	of          func(*ernest.Space) *int
}{
	{"min-parts", "MinParts", func(s *ernest.Space) *int { return &s.MinParts }},
	{"max-parts", "MaxParts", func(s *ernest.Space) *int { return &s.MaxParts }},
	{"total-parts", "TotalParts", func(s *ernest.Space) *int { return &s.TotalParts }},
	{"min-mcs", "MinMachines", func(s *ernest.Space) *int { return &s.MinMachines }},
	{"max-mcs", "MaxMachines", func(s *ernest.Space) *int { return &s.MaxMachines }},
	{"cores-per-mc", "CoresPerMachine", func(s *ernest.Space) *int { return &s.CoresPerMachine }},
	{"num-parts-interpolate", "Interpolate", func(s *ernest.Space) *int { return &s.Interpolate }},
}

// designed returns the space of the flags and its design. Errors are in terms of the flags.
func designed(c *cli.Context) (s ernest.Space, p *ernest.Plan, err error) {
	fields := []string{"Budget:", "--budget:"}
	for _, f := range counts {
		if *f.of(&s) = c.Int(f.flag); *f.of(&s) == 0 {
			return s, nil, command.Usage("design needs --%s; see `paratimer ernest design --help`", f.flag)
		}
		fields = append(fields, f.field, "--"+f.flag)
	}
	s.Budget = c.Float64("budget")
	if p, err = ernest.Design(s); err != nil {
		err = command.Usage("no design: %s", strings.NewReplacer(fields...).Replace(err.Error()))
	}
	return s, p, err
}

// ernestDesign chooses training runs.
func ernestDesign(c *cli.Context) error {
	s, plan, err := designed(c)
	if err != nil {
		return err
	}
	shown := planview.Design{Plan: plan, Budget: s.Budget, TotalParts: s.TotalParts}
	if greedy, err := ernest.Greedy(s); err == nil { // else there is no comparison
		shown.Greedy = greedy
	}
	return command.Show(c, "", &shown)
}
