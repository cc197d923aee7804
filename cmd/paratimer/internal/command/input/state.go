package input

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/dag"
)

// OpenState opens the store of the history.
func OpenState(c *cli.Context) (*state.Store, error) {
	dir := c.String("state-dir")
	if dir == "" {
		var err error
		if dir, err = state.Dir(command.Getenv(c)); err != nil {
			return nil, err
		}
	}
	return state.Open(dir)
}

// StateOrNone is OpenState for a watch, which continues without a store: it returns nil after a warning, or with
// --no-history.
func StateOrNone(c *cli.Context) *state.Store {
	if c.Bool("no-history") {
		return nil
	}
	store, err := OpenState(c)
	if err != nil {
		command.Logger(c).Warn().Err(err).Msg("this run is not remembered, and earlier runs are not used")
		return nil
	}
	return store
}

// WorkflowOf returns the workflow with a name or a script's path.
func WorkflowOf(store *state.Store, name string) (*state.Workflow, error) {
	w, err := store.Read(history.Key(name))
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	if len(w.Runs) > 0 {
		return w, nil
	}
	names, _ := store.List() // errors do not matter for the hint
	if len(names) == 0 {
		return nil, command.Usage("no run of %q is remembered, nor of any other workflow", name)
	}
	return nil, command.Usage("no run of %q is remembered; there are runs of %s", name,
		strings.Join(names[:min(len(names), 20)], ", "))
}

// ReadProfiles reads the files of --profile.
func ReadProfiles(c *cli.Context) ([]*dag.Plan, error) {
	var out []*dag.Plan
	for _, path := range c.StringSlice("profile") {
		p, err := planfile.ReadFile(path, planfile.Options{Profile: true})
		if err != nil {
			return nil, NotAPlan(path, "profile", err)
		}
		out = append(out, p)
	}
	return out, nil
}
