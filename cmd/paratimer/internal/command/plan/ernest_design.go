package plan

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/partitions"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// ernestDesignFlags returns flags like those of the authors' expt_design.py.
func ernestDesignFlags() []cli.Flag {
	return []cli.Flag{
		countFlag("min-parts", 0, "a training run takes at least `N` parts of the input"),
		countFlag("max-parts", 0, "a training run takes at most `N` parts of the input"),
		countFlag("total-parts", 0, "the whole input has `N` parts (default: the files of --data)"),
		textFlag("data", "",
			"the parts of the input are the files of `FOLDER`, rows of text: measure them, and choose representative ones for each run"),
		countFlag("min-mcs", 0, "a training run takes at least `N` machines"),
		countFlag("max-mcs", 0, "a training run takes at most `N` machines"),
		countFlag("cores-per-mc", 2, "a machine has `N` cores; a run has at least as many parts as cores"),
		numberFlag("budget", 10,
			"all training runs together cost at most `N` runs of the smallest input on one machine"),
		countFlag("num-parts-interpolate", 20, "consider `N` sizes of input between the least and the most parts"),
		textFlag("cost", "",
			"a run costs `FORMULA` of machines and seconds, in units of the smallest input on one machine; --budget has its unit (default: seconds)"),
		command.OutputFlag("text", "json"),
	}
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

// spaceOf returns the space of the flags, for the input in the folder of --data if data is not nil. An explicit 0
// is an error, while package ernest would use its default.
func spaceOf(c *cli.Context, data *partitions.Folder) (s ernest.Space, err error) {
	for _, f := range counts {
		n := c.Int(f.flag)
		if f.flag == "total-parts" && data != nil {
			if c.IsSet(f.flag) && n != len(data.Files) {
				return s, command.Usage("--total-parts %d: --data %s has %d files, which are the parts", n,
					c.String("data"), len(data.Files))
			}
			n = len(data.Files)
		}
		switch {
		case !c.IsSet(f.flag) && n == 0:
			return s, command.Usage("design needs --%s; see `paratimer ernest design --help`", f.flag)
		case n < 1:
			return s, command.Usage("--%s %d: it must be 1 or more", f.flag, n)
		}
		*f.of(&s) = n
	}
	if s.Budget = c.Float64("budget"); !(s.Budget > 0) {
		return s, command.Usage("--budget %v: it must be more than 0", s.Budget)
	}
	if formula := c.String("cost"); formula != "" {
		if s.Cost, err = ernest.ParseCost(formula); err != nil {
			return s, command.Usage("--cost: %w", err)
		}
	}
	return s, nil
}

// designed returns the design of a space, or an error in terms of the flags.
func designed(s ernest.Space) (*ernest.Plan, error) {
	p, err := ernest.Design(s)
	var bad *ernest.SpaceError
	if !errors.As(err, &bad) {
		return p, err
	}
	why := bad.Reason
	if bad.Field != "" {
		why = bad.Field + ": " + why
	}
	fields := []string{"Budget:", "--budget:", "Cost:", "--cost:"}
	for _, f := range counts {
		fields = append(fields, f.field, "--"+f.flag)
	}
	return nil, command.Usage("no design: %s", strings.NewReplacer(fields...).Replace(why))
}

// dataOf measures the input of --data; nil if it is not set.
func dataOf(c *cli.Context) (*partitions.Folder, error) {
	dir := c.String("data")
	if dir == "" {
		return nil, nil //nolint:nilnil // no data, and no error
	}
	data, err := partitions.Read(dir)
	if err != nil {
		return nil, command.Usage("--data: %w", err)
	}
	return data, nil
}

// sampleOf chooses the files of the training runs; nil without data.
func sampleOf(c *cli.Context, data *partitions.Folder, rows []ernest.DesignRow) (*ernest.Sample, error) {
	if data == nil {
		return nil, nil //nolint:nilnil // no sample, and no error
	}
	var sizes []int
	for i, r := range rows {
		if r.Parts < 1 || r.Parts > len(data.Files) {
			return nil, command.Usage("row %d of the design takes %d parts, and --data %s has %d files", i+1, r.Parts,
				c.String("data"), len(data.Files))
		}
		sizes = append(sizes, r.Parts)
	}
	sample, err := ernest.Representative(data.All, sizes)
	if err != nil {
		return nil, command.Usage("--data %s: %w", c.String("data"), err)
	}
	return sample, nil
}

// ernestDesign chooses training runs.
func ernestDesign(c *cli.Context) error {
	if err := command.Arguments(c, 0, 0); err != nil {
		return err
	}
	data, err := dataOf(c)
	if err != nil {
		return err
	}
	s, err := spaceOf(c, data)
	if err != nil {
		return err
	}
	plan, err := designed(s)
	if err != nil {
		return err
	}
	shown := ernestview.Design{Space: s, Plan: plan, Data: data}
	if shown.Sample, err = sampleOf(c, data, plan.Rows); err != nil {
		return err
	}
	if greedy, err := ernest.Greedy(s); err == nil { // else there is no comparison
		shown.Greedy = greedy
	}
	return printed(c, &shown)
}
