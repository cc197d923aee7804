package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/jobfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/modelview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/whatifview"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// whatIfModelFlags say which models answer, and what they know.
func whatIfModelFlags() []cli.Flag {
	return []cli.Flag{
		choice("model", "which model answers", "all", whatif.ModelReplay, whatif.ModelQueueing, whatif.ModelErnest),
		&cli.StringFlag{Name: "demands", EnvVars: env("demands"), Usage: "ask the queueing model of the jobs in `FILE`, too: what they ask of CPUs, disks and network (`paratimer learn --demands`)"},
		&cli.StringFlag{Name: "ernest", EnvVars: env("ernest"), Usage: "ask Ernest, too: a saved model, or a table of runs with the columns machines, scale and seconds in `FILE`"},
		tuplesFlag("ernest-at", "Ernest's run is as this query on `MACHINES,SCALE` (default: its nodes, and scale 1)"),
		&cli.BoolFlag{Name: "force", EnvVars: env("force"), Usage: "show numbers that Ernest does not trust itself"},
	}
}

// whatIfModels are the predictors, the one that is believed first.
func whatIfModels(c *cli.Context, v *whatifview.View, replay *whatif.Replay) ([]whatif.Predictor, error) {
	only := c.String("model")
	wanted := func(model string) bool { return only == "all" || only == model }
	if c.String("ernest") == "" && c.IsSet("ernest-at") {
		return nil, usage("--ernest-at goes with --ernest FILE")
	}
	var out []whatif.Predictor
	if wanted(whatif.ModelReplay) {
		out = append(out, replay)
	}
	for _, m := range []struct {
		name, flag string
		read       func(*cli.Context, *whatif.Replay) (whatif.Predictor, error)
	}{
		{whatif.ModelQueueing, "demands", whatIfQueueing},
		{whatif.ModelErnest, "ernest", whatIfErnest},
	} {
		given := c.String(m.flag) != ""
		switch {
		case only == m.name && !given:
			return nil, usage("--model %s needs --%s FILE", m.name, m.flag)
		case !given || !wanted(m.name):
			continue
		case v.Elapsed > 0:
			return nil, usage("--%s: the %s model tells of whole runs, not of what is left of one; ask about the plan, or the finished run", m.flag, m.name)
		}
		p, err := m.read(c, replay)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func whatIfQueueing(c *cli.Context, replay *whatif.Replay) (whatif.Predictor, error) {
	file, _, err := jobfile.ReadFile(c.String("demands"), c.App.Reader)
	if err != nil {
		return nil, usage("--demands: %w", err)
	}
	q, err := whatif.NewQueueing(modelview.SpecOf(file), replay.Plan(), replay.Room())
	if err != nil {
		return nil, usage("--demands: this cannot be modelled: %w", err)
	}
	return q, nil
}

func whatIfErnest(c *cli.Context, replay *whatif.Replay) (whatif.Predictor, error) {
	m, err := readModel(c, c.String("ernest"), ernestmodel.Columns{Machines: "machines", Scale: "scale", Seconds: "seconds", Whole: true})
	if err != nil {
		return nil, fmt.Errorf("--ernest: %w", err)
	}
	if m.Plain == nil {
		return nil, usage("--ernest: that is a model of iterations: a query has none")
	}
	at, err := tuplesOf(c, "ernest-at", "MACHINES", "SCALE")
	if err != nil {
		return nil, err
	}
	machines, scale := float64(replay.Nodes()), 1.0
	switch {
	case len(at) > 1:
		return nil, usage("--ernest-at: this query is one run")
	case len(at) == 1:
		machines, scale = at[0][0], at[0][1]
	case machines == 0:
		return nil, usage("--ernest: how many machines the query has is not known: say it with --ernest-at MACHINES,SCALE")
	}
	return whatif.NewErnest(m.Plain.Predict, machines, scale, replay.Room(), c.Bool("force")), nil
}
