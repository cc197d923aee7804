package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/state"
)

// historyForget forgets runs. What watchers remember of alerts stays: somebody may still have to hear that they are over.
func historyForget(c *cli.Context) error {
	id, all := c.String("run"), c.Bool("all")
	switch err := arguments(c, 0, 1); {
	case err != nil:
		return err
	case all && (c.NArg() > 0 || id != ""):
		return usage("history forget: --all forgets everything: it goes with neither a name nor --run")
	case !all && c.NArg() == 0:
		return usage("history forget: what? Give a workflow's name, or --all")
	}
	store, err := openState(c)
	if err != nil {
		return usage("%w", err)
	}
	if !all {
		w, err := workflowOf(store, c.Args().First())
		if err != nil {
			return err
		}
		return forget(store, w.Name, id)
	}
	names, unreadable := store.List()
	for _, name := range names {
		if err := forget(store, name, ""); err != nil {
			return err
		}
	}
	if unreadable != nil {
		return usage("%w", unreadable)
	}
	return nil
}

// forget removes a run of a workflow, "" for all.
func forget(store *state.Store, name, id string) error {
	found := id == ""
	err := store.Update(name, func(w *state.Workflow) error {
		w.Runs = slices.DeleteFunc(w.Runs, func(r state.Run) bool {
			found = found || r.ID == id
			return id == "" || r.ID == id
		})
		return nil
	})
	switch {
	case err != nil:
		return usage("%w", err)
	case !found:
		return usage("--run %s: no such run of %s is remembered; `paratimer history show %s` lists them", id, name, name)
	}
	return nil
}
