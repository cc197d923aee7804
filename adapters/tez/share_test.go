package tez_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// TestSnapshotsShareWhatStays checks that a snapshot shares the vertices that have not changed with the one before, and
// that no later observation changes a snapshot.
func TestSnapshotsShareWhatStays(t *testing.T) {
	t.Parallel()
	src, err := engine.Replay(open(t, "skew-3"), recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := play(t, &texted{source: src, t: t})
	shared := 0
	for i, s := range all[1:] {
		for k := range s.Jobs[0].Stages {
			p := &s.Jobs[0].Stages[k]
			if len(p.Attempts) > 0 && k < len(all[i].Jobs[0].Stages) &&
				dag.SameAttempts(p.Attempts, all[i].Jobs[0].Stages[k].Attempts) {
				shared++
			}
		}
	}
	if shared < len(all)/2 {
		t.Errorf("%d vertices are shared in %d snapshots", shared, len(all))
	}
}

// texted checks that the snapshot before has not changed.
type texted struct {
	source
	t      *testing.T
	before *dag.Snapshot
	text   string
}

func (s *texted) Next(ctx context.Context) (*dag.Snapshot, error) {
	got, err := s.source.Next(ctx)
	if s.before != nil && fmt.Sprintf("%+v", s.before.Jobs) != s.text {
		s.t.Errorf("the snapshot at %d has changed since", s.before.At)
	}
	if s.before = got; got != nil {
		s.text = fmt.Sprintf("%+v", got.Jobs)
	}
	return got, err
}
