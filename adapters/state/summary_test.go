package state

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestSummaries: only what was written since is read again; what is kept is never believed over the files.
func TestSummaries(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	remember := func(name, run string) {
		t.Helper()
		err := s.Update(name, func(w *Workflow) error { w.Runs = append(w.Runs, Run{ID: run}); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	list := func(kind string) (names []string, made int) {
		t.Helper()
		all, err := s.Summaries(kind, func(w *Workflow) (json.RawMessage, error) {
			made++
			return json.Marshal([]any{w.Name, len(w.Runs)})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range all {
			names = append(names, string(k))
		}
		slices.Sort(names)
		return names, made
	}
	check := func(kind string, made int, want ...string) {
		t.Helper()
		if got, n := list(kind); !slices.Equal(got, want) || n != made {
			t.Errorf("%v, %d made; want %v, %d", got, n, want, made)
		}
	}
	remember("a", "1")
	remember("b", "1")
	check("k", 2, `["a",1]`, `["b",1]`)
	check("k", 0, `["a",1]`, `["b",1]`)
	remember("b", "2")
	check("k", 1, `["a",1]`, `["b",2]`)
	check("newer", 2, `["a",1]`, `["b",2]`)
	if err := s.Forget("a"); err != nil {
		t.Fatal(err)
	}
	check("newer", 0, `["b",2]`)
	for _, torn := range []string{
		"", "{", `{"version":1,"kind":"newer","summaries":null}`,
		`{"version":1,"kind":"newer","summaries":{"x":null}}`,
	} {
		if err := os.WriteFile(filepath.Join(s.dir, "summaries.cache"), []byte(torn), 0o600); err != nil {
			t.Fatal(err)
		}
		check("newer", 1, `["b",2]`)
	}
	// A pipe that nobody writes to would be waited for.
	if err := errors.Join(os.Remove(filepath.Join(s.dir, "summaries.cache")),
		syscall.Mkfifo(filepath.Join(s.dir, "summaries.cache"), 0o600)); err != nil {
		t.Fatal(err)
	}
	check("newer", 1, `["b",2]`)
	if names, err := s.List(); err != nil || !slices.Equal(names, []string{"b"}) {
		t.Errorf("%v %v", names, err)
	}
}
