// Package history is what earlier runs of a workflow teach: which of them are learned from, their profile, their usual
// length. It reads and writes no files itself: adapters/state does.
package history

import (
	"path"

	"github.com/paratimer/paratimer/adapters/pig"
)

// Key is the name that the runs of a workflow have in common: a script's file name. Pig calls a script by its
// file name first and by its path later; deployments put it into another folder each time. Users are not told
// apart: whoever runs a script, it is the same work; two scripts of one name are told apart by their jobs.
func Key(name string) string {
	base := path.Base(pig.Script(name))
	if base == "." || base == "/" {
		return name
	}
	return base
}
