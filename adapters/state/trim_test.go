package state

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"
)

// TestTrim holds that the workflows written last stay, and what is watched, and what is not ours.
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
