package schedule

import (
	"errors"

	"github.com/paratimer/paratimer/dag"
)

func fifo(s *dag.Snapshot, left Left, opt Options) (*Schedule, error) {
	return nil, errors.ErrUnsupported
}
