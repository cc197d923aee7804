package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestview"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func ernestScoreFlags() []cli.Flag {
	return append(append(append(columnFlags(), modelFlags()...), concurrencyFlags()...),
		&cli.StringFlag{Name: "job", EnvVars: env("job"), Usage: "the job's name is in `COLUMN`, or in several, separated by commas (default: all rows are one job's)"},
		&cli.StringFlag{Name: "train", EnvVars: env("train"), Value: "scale", Usage: "train on the runs `RULE`: scale, machines or work for those of the smaller half, scale:25% for the smallest quarter, scale<=0.25 for those up to a value"},
		outputFlag("text", "json"),
	)
}

// ernestScore says how well the small runs of a table predict the large ones.
func ernestScore(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	if c.String("concurrency") != "" {
		return scoreConcurrency(c)
	}
	split, err := parseSplit(c.String("train"))
	if err != nil {
		return err
	}
	o, err := fitOptions(c)
	if err != nil {
		return err
	}
	in, name, err := openInput(c, c.Args().First())
	if err != nil {
		return err
	}
	defer in.Close()
	runs, err := ernestmodel.ReadRuns(in, name, columnsOf(c))
	if err != nil {
		return usage("%w", err)
	}
	scored, err := ernest.Score(runs.ByJob(), split, o)
	if err != nil {
		return usage("%w", runs.Place(err))
	}
	return printed(c, &ernestview.Score{File: name, Rule: c.String("train"), Scored: scored, Warnings: runs.Warnings})
}

var splits = map[string]ernest.SplitBy{"scale": ernest.ByScale, "machines": ernest.ByMachines, "work": ernest.ByWork}

// parseSplit reads a rule such as scale, work:25% or machines<=8.
func parseSplit(rule string) (s ernest.Split, err error) {
	bad := func() (ernest.Split, error) {
		return s, usage("--train %s: it is scale, machines or work, alone or with :25%% or <=VALUE", rule)
	}
	at := strings.IndexAny(rule, ":<")
	if at < 0 {
		at = len(rule)
	}
	by, ok := splits[strings.TrimSpace(rule[:at])]
	if !ok {
		return bad()
	}
	s.By = by
	value, isShare := strings.CutPrefix(rule[at:], ":")
	value, isMost := strings.CutPrefix(value, "<=")
	share, isPercent := strings.CutSuffix(value, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
	switch {
	case at == len(rule):
		return s, nil
	case err != nil || !(v > 0) || math.IsInf(v, 0) || isShare == isMost || isPercent != isShare || isShare && v >= 100:
		return bad()
	case isShare:
		s.Quantile = v / 100
	default:
		s.Below = v
	}
	return s, nil
}
