package watch

import (
	"github.com/paratimer/paratimer/dag"
)

// changes says why the predicted end moved between two ticks; nil where it did not move enough to be told.
func changes(before, after dag.Run, was, is answers) []Change {
	return nil
}
