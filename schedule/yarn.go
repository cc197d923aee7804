package schedule

import (
	"errors"

	"github.com/paratimer/paratimer/dag"
)

func yarn(s *dag.Snapshot, left Left, opt Options) (*Schedule, error) {
	return nil, errors.ErrUnsupported
}
