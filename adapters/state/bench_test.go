package state

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// filled is a store of 10,000 runs: 200 workflows of 50, as many as are kept of one. A profile is 4 KB, as that of a
// script of three jobs whose tasks' sizes are kept as means.
func filled(tb testing.TB) *Store {
	tb.Helper()
	s, err := Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	profile, err := json.Marshal(map[string]string{"filler": strings.Repeat("x", 4000)})
	if err != nil {
		tb.Fatal(err)
	}
	for i := range 200 {
		w := Workflow{Version: Version, Name: fmt.Sprintf("/etl/%03d.pig", i)}
		for k := range 50 {
			at := time.Unix(int64(1_795_000_000+86_400*k), 0)
			w.Runs = append(w.Runs, Run{
				ID: fmt.Sprintf("pig_%d_%d", i, k), StartedAt: at, EndedAt: at.Add(time.Hour), State: "succeeded",
				TotalSeconds: 3600, WatchedSeconds: 3600, Profile: profile,
			})
		}
		b, err := json.Marshal(&w)
		if err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(s.path(w.Name, ".json"), b, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// BenchmarkList10000 lists the workflows of a store of 10,000 runs.
func BenchmarkList10000(b *testing.B) {
	s := filled(b)
	for b.Loop() {
		if names, err := s.List(); err != nil || len(names) != 200 {
			b.Fatal(len(names), err)
		}
	}
}

// BenchmarkRead10000 reads one workflow of them, as a watcher does that looks for its earlier runs.
func BenchmarkRead10000(b *testing.B) {
	s := filled(b)
	for b.Loop() {
		if w, err := s.Read("/etl/100.pig"); err != nil || len(w.Runs) != 50 {
			b.Fatal(err)
		}
	}
}

// BenchmarkSummaries10000 measures what listing the workflows costs once summaries are kept, and one of them was
// written since.
func BenchmarkSummaries10000(b *testing.B) {
	s := filled(b)
	kept := json.RawMessage(`{"filler":"` + strings.Repeat("x", 500) + `"}`)
	list := func() {
		all, err := s.Summaries("k", func(*Workflow) (json.RawMessage, error) { return kept, nil })
		if err != nil || len(all) != 200 {
			b.Fatal(len(all), err)
		}
	}
	list()
	for b.Loop() {
		if err := os.Chtimes(s.path("/etl/100.pig", ".json"), time.Time{}, time.Now()); err != nil {
			b.Fatal(err)
		}
		list()
	}
}
