package plan

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// ernestChoose chooses between offers of machines, for a deadline or a budget.
func ernestChoose(c *cli.Context) error {
	if c.NArg() > 0 {
		return command.Usage("--offer names the tables of runs: give no FILE")
	}
	want := ernest.Want{
		Deadline: c.Duration("within").Seconds(), Budget: c.Float64("budget"), Force: c.Bool("force"),
	}
	if c.String("goal") == "fastest" {
		want.Goal = ernest.Fastest
	}
	shown := planview.Choice{Warnings: []dag.Warning{}}
	var offers []ernest.Offer
	whole := 1.0
	for text := range strings.Lines(c.String("offer")) {
		o, err := offerOf(c, strings.TrimSpace(text))
		if err != nil {
			return err
		}
		same := func(other ernest.Offer) bool { return other.Name == o.Name }
		switch {
		case slices.ContainsFunc(offers, same):
			return command.Usage("--offer: there are two offers %q", o.Name)
		case o.PricePerMachineHour == 0 && (want.Goal == ernest.Cheapest || want.Budget > 0):
			return command.Usage("offer %s has no price: give price=…, or --goal fastest without --budget",
				o.Name)
		}
		for _, r := range o.Model.Rows {
			whole = max(whole, r.Scale)
		}
		offers = append(offers, o)
		for _, w := range o.Model.Warnings {
			w.Text = o.Name + ": " + w.Text
			shown.Warnings = append(shown.Warnings, w)
		}
	}
	var err error
	want.Scale, want.Iterations, err = wantedRun(c, whole, offers[0].Model.Iterative())
	if err != nil {
		return err
	}
	shown.Want = want
	if shown.Choices, err = ernest.Choose(offers, want); err != nil {
		return command.Usage("%w", err)
	}
	if shown.Choices[0].Meets {
		shown.Best = &shown.Choices[0]
	}
	return command.Show(c, "", &shown)
}

// wantedRun returns the scale and iterations of the run that machines are chosen for. whole is the largest scale of
// the training runs.
func wantedRun(c *cli.Context, whole float64, iterative bool) (scale float64, iterations int, err error) {
	at, err := typedRuns(c, "at", iterative, "SCALE", "ITERATIONS")
	switch {
	case err != nil:
		return 0, 0, err
	case len(at) > 1:
		return 0, 0, command.Usage("--at: machines are chosen for one run")
	case len(at) == 1:
		return at[0].Scale, at[0].Iterations, nil
	case iterative:
		return 0, 0, command.Usage("--offer needs --at SCALE,ITERATIONS: the model is of iterations")
	case whole > 1:
		return 0, 0, command.Usage("--offer needs --at SCALE: scales of the training runs go up to %v, so 1 is not the "+
			"whole input", whole)
	}
	return 1, 0, nil
}

// billings are the values of billing=…: the exact time, started seconds and at least a minute, started hours.
var billings = map[string]ernest.Billing{
	"moment": ernest.PerMoment, "second": ernest.PerSecond, "hour": ernest.PerHour,
}

// offerOf reads an offer, such as name=m4,csv=m4.csv,price=0.2,max=64, with the model of its runs. Without a max it has
// four times as many machines as the largest training run.
func offerOf(c *cli.Context, text string) (o ernest.Offer, err error) {
	keys := flag.NewFlagSet("offer", flag.ContinueOnError)
	keys.SetOutput(io.Discard)
	keys.StringVar(&o.Name, "name", "", "")
	keys.Float64Var(&o.PricePerMachineHour, "price", 0, "")
	keys.IntVar(&o.MinMachines, "min", 1, "")
	keys.IntVar(&o.MaxMachines, "max", 0, "")
	keys.IntVar(&o.Step, "step", 1, "")
	file := keys.String("csv", "", "")
	billing := keys.String("billing", "moment", "")
	parts := units.Each(strings.Split(text, ","), func(part string) string { return "-" + strings.TrimSpace(part) })
	var ok bool
	err = keys.Parse(parts)
	switch o.Billing, ok = billings[*billing]; {
	case err != nil:
	case o.Name == "" || *file == "" || keys.NArg() > 0:
		err = errors.New("name=… and csv=… are needed")
	case !ok:
		err = fmt.Errorf("billing=%s: it is moment, second (a minute at least) or hour", *billing)
	}
	if err != nil {
		why := strings.NewReplacer("flag provided but not defined: -", "no key ", "for flag -", "of ").Replace(err.Error())
		return o, command.Usage("--offer %s: %s; the keys are name, csv, price, min, max, step, billing", text, why)
	}
	if o.Model, _, err = modelOf(c, columnsOf(c), *file); err != nil {
		return o, command.Usage("offer %s: %w", o.Name, err)
	}
	most := 1.0
	for _, r := range o.Model.Rows {
		most = max(most, r.Machines)
	}
	o.MaxMachines = cmp.Or(o.MaxMachines, max(o.MinMachines, int(min(4*most, ernest.MaxCandidates))))
	return o, nil
}
