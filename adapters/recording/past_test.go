package recording

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// TestPlace: files have the names that the user would type, and those elsewhere the names that they have there.
func TestPlace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "a.log")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := Place{Name: "webhdfs://h:1/logs", In: fstest.MapFS{"logs/b": {}}, File: "logs"}
	for _, c := range []struct {
		place      Place
		file, want string
		isFolder   bool
	}{
		{LocalPlace(folder), "sub/b", filepath.Join(folder, "sub", "b"), true},
		{LocalPlace(file), "a.log", file, false},
		{LocalPlace(file), "a.zip", filepath.Join(folder, "a.zip"), false},
		{elsewhere, "logs/b", "logs/b", true},
		{elsewhere, "logs", "webhdfs://h:1/logs", true},
	} {
		if got := c.place.Path(c.file); got != c.want || c.place.IsFolder() != c.isFolder {
			t.Errorf("%s of %s: %s, folder %v", c.file, c.place.Name, got, c.place.IsFolder())
		}
	}
}

// TestChoose: one run needs no choice. Of several an id must name exactly one best.
func TestChoose(t *testing.T) {
	t.Parallel()
	run := func(id string, first bool, matches map[string]int) Run {
		return Run{ID: id, Noun: "run", Text: id, IsFirst: first, Match: func(id string) int { return matches[id] }}
	}
	a, b := run("a", false, map[string]int{"a": 2, "both": 1}), run("b", false, map[string]int{"a": 1, "b": 2, "both": 1})
	for _, c := range []struct {
		runs     []Run
		id, want string
		why      string
	}{
		{[]Run{a}, "", "a", ""},
		{[]Run{a}, "other", "a", ""}, // opening it says that it is another one
		{[]Run{a, b}, "a", "a", ""},
		{[]Run{a, b}, "b", "b", ""},
		{[]Run{a, b}, "", "", "it holds 2 runs: choose one"},
		{[]Run{a, b}, "both", "", "it holds 2 runs: choose one"},
		{[]Run{a, b}, "c", "", "it does not hold c; it holds\n  a\n  b"},
		{[]Run{run("d", true, nil), a}, "", "d", ""},
	} {
		got, err := Choose(c.runs, c.id)
		if got.ID != c.want || (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%q of %d: %q, %v", c.id, len(c.runs), got.ID, err)
		}
	}
}
