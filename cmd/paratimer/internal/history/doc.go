// Package history learns from earlier runs of a workflow: which of them count, their profile, their usual length.
// It does no file I/O itself; adapters/state does.
package history

import (
	"path"

	"github.com/paratimer/paratimer/adapters/pig"
)

// Key returns the name that the runs of a workflow share: a script's file name. Pig uses a script's file name first
// and its path later, and deployments change the folder. Runs of different users count as the same work. Two
// scripts with the same name are distinguished by their jobs.
func Key(name string) string {
	base := path.Base(pig.Script(name))
	if base == "." || base == "/" {
		return name
	}
	return base
}
