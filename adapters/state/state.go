// Package state is what is remembered between runs: one JSON file per workflow, in a folder that watchers may
// share.
//
// A file is replaced as a whole: written beside the old one, synced, renamed. A reader never sees half of a file
// and needs no lock; writers take turns with a lock file. Files of a newer version are not touched.
package state

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"
)

// Version is the version of the files.
const Version = 1

// A Workflow is what is remembered of one workflow. All its runs share its name, e.g. the script's path.
type Workflow struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	Runs    []Run  `json:"runs"` // oldest first
	// Watched is what watchers remember of runs that they watch or still have to report, by workflow id. Only the
	// watchers interpret the values.
	Watched map[string]json.RawMessage `json:"watched,omitempty"`
}

// A Run is a finished run.
type Run struct {
	ID           string    `json:"id"` // the engine's workflow id
	StartedAt    time.Time `json:"started_at"`
	EndedAt      time.Time `json:"ended_at"`
	State        string    `json:"state"` // dag.State
	User         string    `json:"user,omitempty"`
	Script       string    `json:"script,omitempty"` // the workflow's name as the engine reported it
	TotalSeconds float64   `json:"total_seconds"`
	// WatchedSeconds is how much of that was watched. If two watchers saw a run, the one who saw more takes
	// precedence.
	WatchedSeconds float64 `json:"watched_seconds"`
	// Inferred means that nothing reported the run's end: it was inferred from earlier observations.
	Inferred bool `json:"inferred,omitempty"`
	// Excluded is why the run is not learned from; "" if it is.
	Excluded string `json:"excluded,omitempty"`
	// Profile is what the run showed of its costs, as a plan file in JSON, its residuals included; null if it
	// showed none.
	Profile json.RawMessage `json:"profile,omitempty"`
	// Means is true if the profile has means in place of the sizes of each task.
	Means bool `json:"means,omitempty"`
}

// Dir returns the folder of the state by the XDG Base Directory Specification: XDG_STATE_HOME/paratimer, else
// ~/.local/state/paratimer.
func Dir(getenv func(string) string) (string, error) {
	dir := getenv("XDG_STATE_HOME")
	if !strings.HasPrefix(dir, "/") { // the specification ignores relative ones
		home := getenv("HOME")
		if home == "" {
			return "", errors.New("state: where to remember? Set XDG_STATE_HOME or HOME")
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "paratimer"), nil
}
