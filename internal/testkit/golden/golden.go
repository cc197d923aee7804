// Package golden loads the golden cases of the independent reference program (docs/facts/paratimer.md A9, A10) for
// tests. For property tests it draws random cases (Draw, DrawFault) and takes snapshots from replayed runs (Cut).
//
// A case is a plan with costs, the expectations at t = 0, and snapshots at some instants with their expectations.
// Package fixtures finds the files. Fields that are missing in a file are nil: compare only the others.
package golden

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// A Case is one plan of a golden file.
type Case struct {
	Name           string
	Plan           *dag.Plan // costs and sizes are in its pipelines; equal values are uniform series
	Delta1, Delta2 time.Duration
	// Slowdown is s(p) of docs/facts/paratimer.md A10 in the order map, copy, sort, reduce. It applies at instants, not
	// to Initial.
	Slowdown      [4]float64
	Initial       Forecast
	ActualTotalMS *float64
	Instants      []Instant // in order of time
}

// A Forecast is the reference program's result for a plan and a snapshot.
type Forecast struct {
	Schedule       []Span     `json:"schedule"` // nil if the file has none
	Rounds         []Round    `json:"rounds"`
	Fragments      []Fragment `json:"fragments"`
	CriticalPath   []Segment  `json:"critical_path"`
	CriticalPathMS *int64     `json:"critical_path_ms"`
	// WorstSingleTaskMS is set only in Initial. Elsewhere it is in Expect.
	WorstSingleTaskMS *float64 `json:"worst_single_task_ms"`
}

// Parts of a case's schedule. Tasks are named as by TaskName; in a Span, without the primes of earlier attempts.
type (
	// A Span is one attempt of a schedule.
	Span struct {
		Task    string `json:"task"`
		Attempt int32  `json:"attempt"`
		Slot    int32  `json:"slot"`
		StartMS int64  `json:"start_ms"`
		EndMS   int64  `json:"end_ms"`
		Outcome string `json:"outcome"`
	}
	// A Round is a round as in package pathfrag.
	Round struct {
		ID      int      `json:"id"`
		Type    string   `json:"type"`
		StartMS int64    `json:"start_ms"`
		EndMS   int64    `json:"end_ms"`
		Width   int      `json:"width"`
		Tasks   []string `json:"tasks"`
	}
	// A Fragment is a path fragment as in package pathfrag.
	Fragment struct {
		ID                    int      `json:"id"`
		Type                  string   `json:"type"`
		Width                 int      `json:"width"`
		Rounds                []int    `json:"rounds"`
		StartMS               int64    `json:"start_ms"`
		EndMS                 int64    `json:"end_ms"`
		SumOfRoundDurationsMS int64    `json:"sum_of_round_durations_ms"`
		Tasks                 []string `json:"tasks"`
	}
	// A Segment is a part of the critical path.
	Segment struct {
		Fragment int    `json:"fragment"`
		Kind     string `json:"kind"` // full or extra
		StartMS  int64  `json:"start_ms"`
		EndMS    int64  `json:"end_ms"`
	}
)

// An Instant is a snapshot and its expectations.
type Instant struct {
	At       dag.Instant   `json:"t_ms"`
	Failure  bool          `json:"is_failure_instant"` // the static path is planned again here
	Snapshot *dag.Snapshot `json:"-"`
	// Expect has every number of "expect", by its key in the file; see docs/facts/paratimer.md A10.
	Expect map[string]float64 `json:"-"`
	Hold   *bool              `json:"-"` // failure_hold
	// TaskRemainingMS is rem of each running task, by name without primes; nil if the file has none.
	TaskRemainingMS map[string]float64 `json:"-"`
	Replan          Forecast           `json:"replan"` // Schedule is set in the random cases
	// Future is the part of the re-plan's schedule that ends after At; nil in the random cases.
	Future []Span `json:"replan_schedule_future"`
}

// Load returns every case of every g*.json and random_cases*.json, in order of file name.
func Load(t testing.TB) []*Case {
	t.Helper()
	var cases []*Case
	for _, pattern := range []string{"g*.json", "random_cases*.json"} {
		files, err := filepath.Glob(fixtures.Golden(pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no golden case %s: %v", pattern, err)
		}
		for _, f := range files {
			c, err := Read(f)
			if err != nil {
				t.Fatal(err)
			}
			cases = append(cases, c...)
		}
	}
	return cases
}

// Named returns one of the project's own cases by the name of its file, such as "g01_fig3a".
func Named(t testing.TB, name string) *Case {
	t.Helper()
	cases, err := Read(fixtures.Own(name + ".json"))
	if err != nil {
		t.Fatal(err)
	}
	return cases[0]
}

// Read returns the cases of one file, which contains one case or a list.
func Read(file string) ([]*Case, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var raw []rawCase
	if err := json.Unmarshal(b, &raw); err != nil {
		raw = make([]rawCase, 1)
		if err := json.Unmarshal(b, &raw[0]); err != nil {
			return nil, fmt.Errorf("golden: %s: %w", file, err)
		}
	}
	cases := make([]*Case, len(raw))
	for i := range raw {
		c, err := raw[i].decode()
		if err != nil {
			return nil, fmt.Errorf("golden: %s, case %d: %w", file, i, err)
		}
		if c.Name == "" {
			c.Name = fmt.Sprintf("%s/seed=%d", filepath.Base(file), raw[i].Seed)
		}
		cases[i] = c
	}
	return cases, nil
}
