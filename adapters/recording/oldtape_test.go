package recording

import (
	"path/filepath"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// The examples are recordings that were made of old tapes. Both give the same snapshots, with their key groups.
func TestOldTapes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"join", "join-failure"} {
		observed := func(path string) []any {
			return play(t, fixtures.Read(t, path))
		}
		is := observed(filepath.Join("testdata", name+".tape.gz"))
		want := observed(filepath.Join("..", "..", "examples", name+".jsonl.zst"))
		if len(is) != len(want) || len(is) < 100 {
			t.Fatalf("%s: %d observations, want %d", name, len(is), len(want))
		}
		for i := range is {
			if d := unequal(want[i], is[i]); d != "" {
				t.Errorf("%s: observation %d: %s", name, i, d)
			}
		}
	}
}

// A change in the middle of a list of attempts, which a failed task causes, writes the new attempt alone.
func TestInsertedAttempt(t *testing.T) {
	t.Parallel()
	snapshot := func(attempts ...dag.Attempt) *dag.Snapshot {
		return &dag.Snapshot{
			Stale: dag.NoInstant, Plan: &dag.Plan{Jobs: []dag.Job{{Stages: []dag.Stage{{}}}}},
			Jobs: []dag.JobState{{Stages: []dag.StageState{{Attempts: attempts}}}},
		}
	}
	all := make([]dag.Attempt, 1000)
	for i := range all {
		all[i] = dag.Attempt{Task: int32(i), Start: dag.Instant(i * i), Done: [3]float64{float64(i)}}
	}
	e := encoder{}
	first := snapshot(all...)
	if _, err := e.snapshot(first); err != nil {
		t.Fatal(err)
	}
	more := append(append([]dag.Attempt{}, all[:10]...), dag.Attempt{Task: 9, Number: 1, Start: 7})
	second := snapshot(append(more, all[11:]...)...)
	text, err := e.snapshot(second)
	if err != nil || len(text) > 200 {
		t.Errorf("%v: %d bytes: %.500s", err, len(text), text)
	}
	if d := difference(play(t, recordSnapshots(t, first, second))[1], any(second)); d != "" {
		t.Error(d)
	}
}

func recordSnapshots(t *testing.T, all ...any) []byte {
	t.Helper()
	return record(t, &script{items: all})
}
