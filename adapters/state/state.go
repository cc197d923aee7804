// Package state is what is remembered between runs: one JSON file a workflow, in a folder that watchers may share.
//
// A file is replaced as a whole: written beside it, synced, renamed. A reader never sees half of one and needs no lock;
// writers take turns by a lock file. What a newer version wrote is not touched.
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

// A Workflow is what is remembered of one workflow. Its name is what its runs have in common, e.g. the script's path.
type Workflow struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	Runs    []Run  `json:"runs"` // oldest first
	// Watched is what watchers remember of runs that they watch or must still send something of, by workflow id. Its
	// values belong to them.
	Watched map[string]json.RawMessage `json:"watched,omitempty"`
}

// A Run is a finished run.
type Run struct {
	ID           string    `json:"id"` // the engine's workflow id
	StartedAt    time.Time `json:"started_at"`
	EndedAt      time.Time `json:"ended_at"`
	State        string    `json:"state"` // dag.State
	User         string    `json:"user,omitempty"`
	Script       string    `json:"script,omitempty"` // the workflow's name as the engine said it
	TotalSeconds float64   `json:"total_seconds"`
	// WatchedSeconds is how much of that was watched. Of two watchers of a run the one who saw more is believed.
	WatchedSeconds float64 `json:"watched_seconds"`
	// Inferred says that nothing reported the run's end: it follows from what was seen before.
	Inferred bool `json:"inferred,omitempty"`
	// Excluded says why the run is not learned from; "" for one that is.
	Excluded string `json:"excluded,omitempty"`
	// Profile is what the run showed of its costs, as a plan file in JSON, its residuals included; null where nothing
	// was.
	Profile json.RawMessage `json:"profile,omitempty"`
	// Means says that the profile has means in place of the sizes of each task.
	Means bool `json:"means,omitempty"`
}

// ErrLocked says that another process holds a lock.
var ErrLocked = errors.New("another process holds the lock")

// Dir is the folder of the state by the XDG Base Directory Specification: XDG_STATE_HOME/paratimer, else
// ~/.local/state/paratimer.
func Dir(getenv func(string) string) (string, error) {
	dir := getenv("XDG_STATE_HOME")
	if !strings.HasPrefix(dir, "/") { // the specification has relative ones ignored
		home := getenv("HOME")
		if home == "" {
			return "", errors.New("state: where to remember? Set XDG_STATE_HOME or HOME")
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "paratimer"), nil
}
