package recording_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// observations is a source that has seen three snapshots.
type observations []*dag.Snapshot

func (o *observations) Next(context.Context) (*dag.Snapshot, error) {
	if len(*o) == 0 {
		return nil, io.EOF
	}
	s := (*o)[0]
	*o = (*o)[1:]
	return s, nil
}

// Snapshots of a source are recorded before they are used, and played again: the same snapshots, from the same
// interface.
func ExampleTee() {
	plan := &dag.Plan{
		Name: "nightly",
		Jobs: []dag.Job{{Node: "rank", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 1},
			dag.Stage{Known: true})}},
	}
	seen := &observations{}
	for at := dag.Instant(0); at <= 20_000; at += 10_000 {
		*seen = append(*seen, &dag.Snapshot{
			Plan: plan, At: at, State: dag.Running, Stale: dag.NoInstant,
			Jobs: []dag.JobState{{
				State: dag.Running, Submitted: 0, Started: 0, Finished: dag.NoInstant,
				Stages: make([]dag.StageState, dag.MapReduceStages),
			}},
		})
	}
	var file bytes.Buffer
	for src := recording.Tee(seen, &file); ; {
		if _, err := src.Next(context.Background()); err != nil {
			break
		}
	}
	player, err := recording.NewReader(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		s, err := player.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Plan.Name, s.State, "at", s.At)
	}
	// Output:
	// nightly running at 0
	// nightly running at 10000
	// nightly running at 20000
}
