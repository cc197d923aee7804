package planfile

import (
	"io"

	"github.com/paratimer/paratimer/dag"
)

// WriteJSON is Write, in JSON whatever the size: to be kept within another file.
func WriteJSON(w io.Writer, p *dag.Plan) error {
	if err := dag.ValidateProfile(p); err != nil {
		return err
	}
	return printJSON(w, treeOf(p))
}
