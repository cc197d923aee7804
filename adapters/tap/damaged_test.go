package tap

import (
	"bytes"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/mutate"
)

// FuzzDamagedSpool damages a spool. Whatever is taken of it can be looked at along a run.
func FuzzDamagedSpool(f *testing.F) {
	var spool [][]byte
	for _, b := range []*Batch{
		mapBatch(theJob, 0, 0, 50, 8, 3, 8), mapBatch(theJob, 1, 0, 50, 9, 97, 7, 3),
		reduceBatch(theJob, 0, 0, 0, 5, 100), reduceBatch(theJob, 0, 0, 1, 7),
		reduceBatch(theJob, 1, 0, 0, 50, 60),
	} {
		line, err := b.Encode()
		if err != nil {
			f.Fatal(err)
		}
		spool = append(spool, append(line, '\n'))
	}
	mutate.Fuzz(f, [][]byte{bytes.Join(spool, nil)}, func(t *testing.T, _ int, file []byte) {
		s := newStage(t, 2, Limits{})
		s.reduces(attemptAt(0, 0, dag.AttemptRunning, noon), attemptAt(1, 0, dag.AttemptRunning, noon))
		_ = ReadSpool(bytes.NewReader(file), s.store, noon)
		s.look()
		s.done(2)
		if g := s.look(); g != nil && len(g.Reduces) > 2 {
			t.Fatalf("groups of %d reduces of 2", len(g.Reduces))
		}
	})
}
