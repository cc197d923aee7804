package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
)

// historyExport writes the profile that the next run of a workflow would be given, or that a run was given: the tape of
// a watched run replayed with it gives the frames that the watcher saw.
func historyExport(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	w, err := namedWorkflow(c)
	if err != nil {
		return err
	}
	if id := c.String("before"); id != "" {
		i := slices.IndexFunc(w.Runs, func(r state.Run) bool { return r.ID == id })
		if i < 0 {
			return usage("--before %s: no such run of %s is remembered; `paratimer history show %s` lists them", id, w.Name, w.Name)
		}
		w.Runs = w.Runs[:i]
	}
	lines := history.Lines(w, "")
	if len(lines) == 0 {
		return usage("%s: no run is remembered from before that", w.Name)
	}
	profile, n := lines[0].Profile()
	if n == 0 {
		return usage("%s: no run that is remembered can be learned from; `paratimer history show %s` says why", w.Name, w.Name)
	}
	return writeProfile(c, profile)
}
