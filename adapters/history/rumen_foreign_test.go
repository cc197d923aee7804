//go:build foreign

package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestTraces reads recorded traces of others: each attempt is shown, each job ends at the end of its trace.
func TestTraces(t *testing.T) {
	dir := fixtures.Foreign("rumen")
	for _, c := range []struct {
		name                    string
		jobs, attempts, unhappy int
		splits                  bool // every attempt has them
	}{
		{"2jobs2min-rumen-jh", 2, 192, 0, true},
		{"distcache_case1_trace", 1, 112, 0, true},
		{"trace_5m", 16, 780, 0, true},
		{"input-trace", 4, 255, 71, false},
		{"wordcount", 1, 4, 0, false},
	} {
		jobs := traceOf(t, filepath.Join(dir, c.name+".json.gz"))
		attempts, unhappy, without := 0, 0, 0
		for _, j := range jobs {
			for k := range j.Attempts {
				for i := range j.Attempts[k] {
					attempts++
					if j.Attempts[k][i].State != dag.AttemptSucceeded {
						unhappy++
					}
					if len(j.Attempts[k][i].Splits) != 12 {
						without++
					}
				}
			}
		}
		if len(jobs) != c.jobs || attempts != c.attempts || unhappy != c.unhappy || (without == 0) != c.splits {
			t.Errorf("%s: %d jobs, %d attempts, %d without success, %d without splits", c.name, len(jobs), attempts,
				unhappy, without)
		}
		for _, w := range Group(jobs) {
			src, err := NewSource(w, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			var last *dag.Snapshot
			for {
				s, err := src.Next(context.Background())
				if errors.Is(err, io.EOF) {
					break
				}
				last = s
			}
			j := w.Jobs[0]
			if last.State != j.State || last.Jobs[0].Finished != j.Finished ||
				len(last.Jobs[0].Stages[dag.Map].Attempts) != len(j.Attempts[0]) {
				t.Errorf("%s: %s ends %v at %d with %d maps", c.name, w.ID, last.State, last.Jobs[0].Finished,
					len(last.Jobs[0].Stages[dag.Map].Attempts))
			}
		}
	}
}

func traceOf(t *testing.T, path string) []*Job {
	t.Helper()
	jobs, err := readTrace(bytes.NewReader(fixtures.Read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}
