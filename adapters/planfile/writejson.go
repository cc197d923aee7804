package planfile

import (
	"io"

	"github.com/paratimer/paratimer/dag"
)

// WriteJSON is Write in JSON for any size, so that the plan can be part of another file.
func WriteJSON(w io.Writer, p *dag.Plan) error {
	if err := dag.ValidateProfile(p); err != nil {
		return err
	}
	return printJSON(w, treeOf(p))
}
