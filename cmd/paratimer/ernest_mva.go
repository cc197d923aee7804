package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestview"
	"github.com/paratimer/paratimer/estimators/queueing/servers"
)

// concurrencyFlags say that a table is of jobs that share a machine, which mean value analysis predicts.
func concurrencyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "concurrency", EnvVars: env("concurrency"), Usage: "runs are of equal jobs on one machine; how many ran at once is in `COLUMN`: predict many by few, as a queueing network"},
		&cli.IntFlag{Name: "servers", EnvVars: env("servers"), Usage: "with --concurrency: the machine runs `N` jobs at full speed at once (default: learned)"},
	}
}

// scoreConcurrency says how well few jobs at once predict many.
func scoreConcurrency(c *cli.Context) error {
	if n := c.Int("servers"); n < 0 || n == 0 && c.IsSet("servers") {
		return usage("--servers %d: it must be 1 or more", n)
	}
	rule := "jobs"
	if c.IsSet("train") {
		rule = c.String("train")
	}
	upTo, quantile, err := parseJobs(rule)
	if err != nil {
		return err
	}
	in, name, err := openInput(c, c.Args().First())
	if err != nil {
		return err
	}
	defer in.Close()
	all, err := ernestmodel.ReadConcurrency(in, name, c.String("concurrency"), columnsOf(c))
	if err != nil {
		return usage("%w", err)
	}
	shown := ernestview.Sharing{File: name}
	for i := range all {
		one := ernestview.SharedScore{Job: all[i].Job, UpTo: upTo}
		if upTo == 0 {
			one.UpTo = all[i].UpTo(quantile)
		}
		for _, r := range all[i].Rows {
			if r.Jobs <= one.UpTo {
				one.Train++
			} else {
				one.Test++
			}
		}
		if one.Methods, err = servers.Score(all[i].Rows, one.UpTo, servers.Options{Servers: c.Int("servers")}); err != nil {
			one.Err = all[i].Place(err)
			if len(all) == 1 {
				return usage("%w", one.Err)
			}
		}
		shown.Jobs = append(shown.Jobs, one)
	}
	return printed(c, &shown)
}

// parseJobs reads jobs, jobs:25% or jobs<=8. UpTo is 0 where the quantile counts.
func parseJobs(rule string) (upTo int, quantile float64, err error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(rule), "jobs")
	if ok && rest == "" {
		return 0, 0.5, nil
	}
	if value, most := strings.CutPrefix(rest, "<="); ok && most {
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 && n <= math.MaxInt32 {
			return n, 0, nil
		}
	}
	if value, share := strings.CutPrefix(rest, ":"); ok && share {
		value, isPercent := strings.CutSuffix(value, "%")
		if v, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && isPercent && v > 0 && v < 100 {
			return 0, v / 100, nil
		}
	}
	return 0, 0, usage("--train %s: with --concurrency it is jobs, alone or with :25%% or <=NUMBER", rule)
}
