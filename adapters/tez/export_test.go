package tez

import (
	"context"
	"io/fs"

	"github.com/paratimer/paratimer/adapters/recording"
)

// ReplayHistory returns a source of a DAG of a history, or of the first DAG if id is "", and the number of records and
// files that were left out.
func ReplayHistory(ctx context.Context, in fs.FS, name, id string) (src recording.Source, bad int, err error) {
	l, err := readHistory(ctx, in, name)
	if err != nil {
		return nil, 0, err
	}
	if id == "" {
		id = l.ids()[0]
	}
	return l.replay(id, 0), l.bad, nil
}
