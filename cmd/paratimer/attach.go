package main

import (
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/capture"
	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/dag"
)

func attachFlags() []cli.Flag {
	return followFlags(append(append(clusterFlags(),
		&cli.DurationFlag{Name: "every", EnvVars: env("every"), Value: 3 * time.Second, Usage: "observe each `TIME`; a line is printed where something has changed, and now and then while nothing does"},
		&cli.StringFlag{Name: "tape", EnvVars: env("tape"), Usage: "record what is observed to `FILE`, for replay, learn and score"},
		&cli.StringFlag{Name: "capture", EnvVars: env("capture"), Usage: "record the raw answers to `FILE`, for bug reports; secrets are left out"},
		profileFlag()), slices.Concat(historyFlags(), sinkFlags(), collectFlags())...)...)
}

// attach watches a query on a live cluster.
func attach(c *cli.Context) (err error) {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	every := c.Duration("every")
	if every < minEvery {
		return usage("--every %v: less than %v is too much for a cluster", every, minEvery)
	}
	profiles, err := readProfiles(c)
	if err != nil {
		return err
	}
	target, err := hadoop.TargetOf(c.Args().First(), userName(c))
	if err != nil {
		return usage("%w", err)
	}
	log := logger(c)
	target.Note = func(text string) { log.Debug().Msg(text) }
	var client *hadoop.Client
	var tap hadoop.Layer
	if path := c.String("capture"); path != "" {
		rec, failed := capture.Create(path, func() dag.Instant { return client.Now() })
		if failed != nil {
			return usage("--capture: %w", failed)
		}
		defer closing(rec, path, &err)
		tap = rec.Layer
	}
	if client, err = newClient(c, tap); err != nil {
		return err
	}
	defer client.Close()
	keys, err := collecting(c.Context, c)
	if err != nil {
		return err
	}
	defer keys.close()
	grouped, leave := keys.source(hadoop.NewSource(client, target))
	defer leave()
	src, done, err := taped(c, grouped)
	if err != nil {
		return err
	}
	defer done(&err)
	if keys != nil && target.ID == "" {
		src = &awaiting{Source: src, every: every, say: tell(c)}
	}
	rec := recorder(c, src, profiles)
	told, finish, err := notifying(c)
	if err != nil {
		return err
	}
	defer finish()
	return follow(c, rec, pace{every: every}, remembering(rec), told)
}

// minEvery keeps us from being a burden to the cluster.
const minEvery = 100 * time.Millisecond
