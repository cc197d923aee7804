package state

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// add adds a run to a workflow.
func add(t *testing.T, s *Store, name, id string) {
	t.Helper()
	err := s.Update(name, func(w *Workflow) error {
		w.Runs = append(w.Runs, Run{ID: id, State: "succeeded"})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func ids(t *testing.T, s *Store, name string) []string {
	t.Helper()
	w, err := s.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, r := range w.Runs {
		out = append(out, r.ID)
	}
	return out
}

// names are the files in a folder with this ending.
func names(t *testing.T, dir, ending string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ending) {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "er")
	s := open(t, dir)
	at := time.Date(2026, 11, 20, 6, 30, 0, 0, time.UTC)
	want := Workflow{
		Version: Version, Name: "a.pig",
		Runs: []Run{{
			ID: "w1", StartedAt: at, EndedAt: at.Add(time.Minute), State: "succeeded", User: "alice",
			Script: "/etl/a.pig", TotalSeconds: 60,
			WatchedSeconds: 59, Profile: json.RawMessage(`{"version":1}`),
		}, {ID: "w2", StartedAt: at, EndedAt: at, State: "failed", Excluded: "it failed"}},
		Watched: map[string]json.RawMessage{"w3": json.RawMessage(`{"bounds":{}}`)},
	}
	if err := s.Update("a.pig", func(w *Workflow) error {
		w.Runs, w.Watched = want.Runs,
			want.Watched
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, dir).Read("a.pig")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("read (-written +read):\n%s", diff)
	}
	for path, mode := range map[string]os.FileMode{
		dir: 0o700, filepath.Join(dir, names(t, dir, ".json")[0]): 0o600,
		filepath.Join(dir, names(t, dir, ".lock")[0]): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v; want mode %v", path, info.Mode().Perm(), err, mode)
		}
	}
}

func TestAnErrorOfChangeChangesNothing(t *testing.T) {
	s := open(t, t.TempDir())
	add(t, s, "a.pig", "w1")
	mine := errors.New("no")
	if err := s.Update("a.pig", func(w *Workflow) error { w.Runs = nil; return mine }); !errors.Is(err, mine) {
		t.Errorf("error %v, want %v", err, mine)
	}
	if got := ids(t, s, "a.pig"); !slices.Equal(got, []string{"w1"}) {
		t.Errorf("runs %v", got)
	}
	add(t, s, "a.pig", "w2") // the lock is free again
}

// TestNames checks that any name is a workflow of its own.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	all := []string{
		"", " ", "a.pig", "A.pig", "/etl/a.pig", "../../a", "ünïcode \u202e.pig",
		strings.Repeat("long", 1000), "nul\x00", "line\nbreak", "broken\xff",
	}
	for i, name := range all {
		add(t, s, name, strconv.Itoa(i))
	}
	for i, name := range all {
		if got := ids(t, s, name); !slices.Equal(got, []string{strconv.Itoa(i)}) {
			t.Errorf("%q: runs %v, want %d", name, got, i)
		}
	}
	listed, err := s.List()
	if err != nil || len(listed) != len(all) || !slices.IsSorted(listed) || !slices.Contains(listed, `broken\xff`) {
		t.Errorf("List = %q, %v", listed, err)
	}
	if got := len(names(t, dir, "")); got != 2*len(all) {
		t.Errorf("%d files, want a workflow and a lock each", got)
	}
}

// TestAnEmptyWorkflowHasNoFile checks that a workflow without any stored state leaves no file.
func TestAnEmptyWorkflowHasNoFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	add(t, s, "a.pig", "w1")
	if err := s.Update("a.pig", func(w *Workflow) error { w.Runs = nil; return nil }); err != nil {
		t.Fatal(err)
	}
	add(t, s, "b.pig", "w1")
	if err := s.Forget("b.pig"); err != nil {
		t.Fatal(err)
	}
	if err := s.Forget("b.pig"); err != nil {
		t.Errorf("to forget what is forgotten: %v", err)
	}
	if got := names(t, dir, ""); len(got) != 0 {
		t.Errorf("files %v are left", got)
	}
	if got := ids(t, s, "a.pig"); len(got) != 0 {
		t.Errorf("runs %v are left", got)
	}
}

// TestFilesThatAreNotOurs checks that each is named, with what to do, and neither read nor written over; the others
// work.
func TestFilesThatAreNotOurs(t *testing.T) {
	whole, err := json.Marshal(Workflow{Version: Version, Name: "a.pig", Runs: []Run{{ID: "w1"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"torn":          {string(whole[:len(whole)/2]), "remove the file"},
		"empty":         {"", "remove the file"},
		"zeros":         {"\x00\x00\x00\x00", "remove the file"},
		"another's":     {`{"shopping":"bread"}`, "it has no version"},
		"a list":        {`[1]`, "remove the file"},
		"newer":         {`{"version":2,"name":"a.pig","runs":{"w1":{}}}`, "version 2, this program reads 1"},
		"of other kind": {`{"version":1,"name":"a.pig","runs":7}`, "remove the file"},
		"misplaced":     {`{"version":1,"name":"b.pig"}`, `is of "b.pig", not of "a.pig"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			path := s.path("a.pig", ".json")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			add(t, s, "c.pig", "w1")
			for what, err := range map[string]error{
				"Read":   func() error { _, err := s.Read("a.pig"); return err }(),
				"Update": s.Update("a.pig", func(*Workflow) error { t.Error("change was called"); return nil }),
			} {
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
					t.Errorf("%s: %v; want %q and the file's name", what, err, c.want)
				}
			}
			listed, err := s.List()
			if name == "misplaced" {
				listed = slices.DeleteFunc(listed, func(n string) bool { return n == "b.pig" })
			} else if err == nil {
				t.Error("List says nothing of it")
			}
			if !slices.Equal(listed, []string{"c.pig"}) {
				t.Errorf("List = %q", listed)
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != c.text {
				t.Errorf("the file is now %q, %v", b, err)
			}
			if err := s.Forget("a.pig"); err != nil {
				t.Errorf("it cannot be forgotten: %v", err)
			}
		})
	}
}

func TestOpenWhereNoFolderCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("Open(%s): %v, want an error with the file's name", dir, err)
		}
	}
}

// TestSummaries: only what was written since is read again; what is kept is never believed over the files.
func TestSummaries(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	store := func(name, run string) {
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
	store("a", "1")
	store("b", "1")
	check("k", 2, `["a",1]`, `["b",1]`)
	check("k", 0, `["a",1]`, `["b",1]`)
	store("b", "2")
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
	// Opening a pipe without a writer would block.
	if err := errors.Join(os.Remove(filepath.Join(s.dir, "summaries.cache")),
		syscall.Mkfifo(filepath.Join(s.dir, "summaries.cache"), 0o600)); err != nil {
		t.Fatal(err)
	}
	check("newer", 1, `["b",2]`)
	if names, err := s.List(); err != nil || !slices.Equal(names, []string{"b"}) {
		t.Errorf("%v %v", names, err)
	}
}

// TestTrim checks that the workflows written last stay, and what is watched, and what is not ours.
func TestTrim(t *testing.T) {
	s := open(t, t.TempDir())
	for i, name := range []string{"watched", "old", "older", "new"} {
		err := s.Update(name, func(w *Workflow) error {
			w.Runs = []Run{{ID: "w"}}
			if name == "watched" {
				w.Watched = map[string]json.RawMessage{"w": json.RawMessage(`{}`)}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 11, 20, []int{1, 3, 2, 4}[i], 0, 0, 0, time.UTC)
		if err := os.Chtimes(s.path(name, ".json"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		most int
		want []string
	}{
		{4, []string{"new", "old", "older", "watched"}},
		{2, []string{"new", "old", "watched"}},
		{1, []string{"new", "watched"}},
	} {
		if err := s.Trim(c.most); err != nil {
			t.Fatal(err)
		}
		if got, err := s.List(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("after Trim(%d): %q, %v, want %q", c.most, got, err, c.want)
		}
		at := time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC) // what stays counts as written
		if err := os.Chtimes(s.path("watched", ".json"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	foreign := s.path("foreign", ".json")
	if err := os.WriteFile(foreign, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Trim(0); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
}
