package state

import (
	"errors"
	"path/filepath"
	"strings"
)

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
