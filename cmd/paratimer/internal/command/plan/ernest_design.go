package plan

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/modelview"
	"github.com/paratimer/paratimer/estimators/ernest"
)

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

// designed returns the space of the flags and its design. An explicit 0 is an error, while package ernest would use its
// default. Errors are in terms of the flags.
func designed(c *cli.Context) (s ernest.Space, p *ernest.Plan, err error) {
	fields := []string{"Budget:", "--budget:"}
	for _, f := range counts {
		n := c.Int(f.flag)
		switch {
		case !c.IsSet(f.flag) && n == 0:
			return s, nil, command.Usage("design needs --%s; see `paratimer ernest design --help`", f.flag)
		case n < 1:
			return s, nil, command.Usage("--%s %d: it must be 1 or more", f.flag, n)
		}
		*f.of(&s) = n
		fields = append(fields, f.field, "--"+f.flag)
	}
	if s.Budget = c.Float64("budget"); !(s.Budget > 0) {
		return s, nil, command.Usage("--budget %v: it must be more than 0", s.Budget)
	}
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
	shown := modelview.Design{Plan: plan, Budget: s.Budget, TotalParts: s.TotalParts}
	if greedy, err := ernest.Greedy(s); err == nil { // else there is no comparison
		shown.Greedy = greedy
	}
	return printed(c, &shown)
}
