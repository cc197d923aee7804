package past

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// noted notes a checksum of each snapshot that it hands out.
type noted struct {
	watch.Source
	all  []*dag.Snapshot
	sums []uint64
}

const notedMost = 12

func (s *noted) Next(ctx context.Context) (*dag.Snapshot, error) {
	snap, err := s.Source.Next(ctx)
	if err == nil && len(s.all) < notedMost {
		s.all, s.sums = append(s.all, snap), append(s.sums, checksum(snap))
	}
	return snap, err
}

func checksum(s *dag.Snapshot) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v %+v", *s, *s.Plan)
	return h.Sum64()
}

// TestSnapshotsAreReadOnly checks that neither the estimators nor the report and the page change a snapshot: adapters
// share the stages that have not changed between snapshots.
func TestSnapshotsAreReadOnly(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"adapters/spark/testdata/aqe-3.eventlog.gz", "adapters/spark/testdata/fetch-3.jsonl.gz",
		"adapters/tez/testdata/skew-3.jsonl.gz", "testdata/recordings/skew-1.jsonl.zst",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("../../../../..", filepath.FromSlash(name))
			src, err := input.OpenRecording(path, recording.Options{Every: 15 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			from := &noted{Source: src}
			report := &runreport.Collector{From: name, Model: cost.Costs}
			page := serve.NewPage(&runreport.Collector{From: name, Model: cost.Costs}, time.Second, time.UTC)
			w := watch.Watch{
				Source: from, Estimators: follow.EstimatorSetOf(cost.Costs, follow.Battery{}, 16),
				Sinks: []watch.Sink{report, page}, Log: zerolog.Nop(),
			}
			polls := 0
			if _, err = w.RunUntil(t.Context(), func(error) (bool, error) {
				polls++
				return polls >= notedMost, nil
			}); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if _, err := report.Report(); err != nil {
				t.Fatal(err)
			}
			if len(from.all) < 3 {
				t.Fatalf("%d snapshots", len(from.all))
			}
			for i, s := range from.all {
				if checksum(s) != from.sums[i] {
					t.Errorf("the snapshot at %d was changed by a reader", s.At)
				}
			}
		})
	}
}
