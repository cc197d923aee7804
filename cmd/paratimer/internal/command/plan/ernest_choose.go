package plan

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/offers"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func ernestChooseFlags() []cli.Flag {
	return append(append(columnFlags(), modelFlags()...),
		linesFlag("offer",
			"machines of a type are `name=NAME,csv=FILE,price=P,min=N,max=N`: FILE has runs on them or is a saved model, P is for a machine and hour; also step=N, billing=moment|second|hour, cost=FORMULA, machines=, scale=, seconds=, unit=, and speeds=FILE, measurements of such machines (columns machine and speed) that say how many to start so as to drop the slowest; repeatable"),
		textFlag("offers", "", "read offers from `FILE`, YAML with the same keys"),
		iterationsFlag(),
		tuplesFlag("at", "run of `SCALE` (default: 1 if scales are fractions), of an iterative job SCALE,ITERATIONS"),
		timeFlag("deadline", "take at most `TIME`, such as 20m"),
		numberFlag("budget", 0, "cost at most `N`, in the offers' currency"),
		command.Choice("goal", "of what meets these, take what is", "cheapest", "fastest"),
		forceFlag(),
		textFlag("svg", "", "draw time against machines to `FILE`"),
		command.OutputFlag("text", "json"),
	)
}

// ernestChoose chooses machines.
func ernestChoose(c *cli.Context) error {
	if err := command.Arguments(c, 0, 0); err != nil {
		return err
	}
	want := ernest.Want{
		Deadline: c.Duration("deadline").Seconds(), Budget: c.Float64("budget"), Force: c.Bool("force"),
	}
	if c.String("goal") == "fastest" {
		want.Goal = ernest.Fastest
	}
	for _, flag := range []string{"deadline", "budget"} {
		v := map[string]float64{"deadline": want.Deadline, "budget": want.Budget}[flag]
		if c.IsSet(flag) && !(v > 0) || math.IsInf(v, 0) {
			return command.Usage("--%s %v: it must be more than 0", flag, c.Value(flag))
		}
	}
	all, err := offersOf(c)
	if err != nil {
		return err
	}
	for _, o := range all {
		if o.Price == 0 && o.Cost == "" && (want.Goal == ernest.Cheapest || want.Budget > 0) {
			return command.Usage(
				"offer %s: what does it cost? Give price=… or cost=…, or ask for --goal fastest without --budget",
				o.Name)
		}
	}
	shown := ernestview.Choice{}
	whole, iterative := 1.0, false
	for i := range all {
		m, err := readModel(c, all[i].CSV, all[i].Columns(columnsOf(c)))
		if err != nil {
			return command.Usage("offer %s: %w", all[i].Name, err)
		}
		if iterative = m.Iterative(); i > 0 && iterative != shown.Offers[0].Model.Iterative() {
			return command.Usage("offer %s: one of %s and %s is a model of iterations and the other is not: name the "+
				"column of iterations for both, or for neither", all[i].Name, all[0].CSV, all[i].CSV)
		}
		for _, r := range m.Rows {
			whole = max(whole, r.Scale)
		}
		offer := all[i].With(m.Model)
		if offer.Speeds, err = speedsOf(all[i].Speeds); err != nil {
			return command.Usage("offer %s: %w", all[i].Name, err)
		}
		shown.Offers = append(shown.Offers, offer)
		shown.Warn(all[i].Name, m.Warnings)
	}
	if want.Scale, want.Iterations, err = wantedRun(c, whole, iterative); err != nil {
		return err
	}
	shown.Want = want
	if shown.Choices, err = ernest.Choose(shown.Offers, want); err != nil {
		return command.Usage("%w", err)
	}
	if best := shown.Best(); best != nil {
		at := slices.IndexFunc(shown.Offers, func(o ernest.Offer) bool { return o.Name == best.Offer })
		if shown.Spare, err = shown.Offers[at].Spare(best, want); err != nil {
			return command.Usage("%w", err)
		}
	}
	if path := c.String("svg"); path != "" {
		if err := command.WriteFile(path, shown.SVG); err != nil {
			return command.Usage("--svg: %w", err)
		}
	}
	return printed(c, &shown)
}

// wantedRun returns the scale and iterations of the run that machines are chosen for. whole is the largest scale of
// the training runs.
func wantedRun(c *cli.Context, whole float64, iterative bool) (scale float64, iterations int, err error) {
	columns := []string{"SCALE"}
	if iterative {
		columns = append(columns, "ITERATIONS")
	}
	at, err := tuplesOf(c, "at", columns...)
	switch {
	case err != nil:
		return 0, 0, err
	case len(at) > 1:
		return 0, 0, command.Usage("--at: machines are chosen for one run")
	case len(at) == 0 && iterative:
		return 0, 0, command.Usage("choose needs --at SCALE,ITERATIONS: the model is of iterations")
	case len(at) == 0 && whole > 1:
		return 0, 0, command.Usage("choose needs --at SCALE: scales of the training runs go up to %v, so 1 is not the "+
			"whole input", whole)
	case len(at) == 0:
		return 1, 0, nil
	case iterative:
		iterations = int(at[0][1])
	}
	return at[0][0], iterations, nil
}

// speedsOf reads measurements of machines; nil if there is no file.
func speedsOf(path string) (*ernest.Speeds, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // none were measured, which is no error
	}
	in, err := infile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the speeds: %w", err)
	}
	defer in.Close()
	return ernestmodel.ReadSpeeds(in, path)
}

// offersOf returns the offers of the flags and of the file.
func offersOf(c *cli.Context) (all []offers.Offer, err error) {
	if path := c.String("offers"); path != "" {
		in, name, err := openInput(c, path)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		const most = 1 << 20
		b, err := io.ReadAll(io.LimitReader(in, most+1))
		switch {
		case err != nil:
			return nil, command.Usage("cannot read %s: %w", name, err)
		case len(b) > most:
			return nil, command.Usage("%s: the file is too large for offers", name)
		}
		if all, err = offers.Read(b, name, filepath.Dir(path)); err != nil {
			return nil, command.Usage("%w", err)
		}
	}
	given, _ := c.Generic("offer").(*verbatim)
	for _, text := range *given {
		o, err := offers.Parse(text)
		if err != nil {
			return nil, command.Usage("--offer %s: %w", text, err)
		}
		all = append(all, o)
	}
	seen := map[string]bool{}
	for _, o := range all {
		if seen[o.Name] {
			return nil, command.Usage("--offer: there are two offers %q", o.Name)
		}
		seen[o.Name] = true
	}
	if len(all) == 0 {
		return nil, command.Usage("choose needs --offer or --offers; see `paratimer ernest choose --help`")
	}
	return all, nil
}
