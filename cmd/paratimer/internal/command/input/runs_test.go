package input

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
)

// TestChooseRun: one run needs no choice. Of several an id must name exactly one best.
func TestChooseRun(t *testing.T) {
	t.Parallel()
	run := func(id string, first bool, matches map[string]int) recording.Run {
		return recording.Run{
			ID: id, Noun: "run", Text: id, IsFirst: first, Match: func(id string) int { return matches[id] },
		}
	}
	a, b := run("a", false, map[string]int{"a": 2, "both": 1}), run("b", false, map[string]int{"a": 1, "b": 2, "both": 1})
	for _, c := range []struct {
		runs     []recording.Run
		id, want string
		why      string
	}{
		{[]recording.Run{a}, "", "a", ""},
		{[]recording.Run{a}, "other", "a", ""}, // opening it reports another one
		{[]recording.Run{a, b}, "a", "a", ""},
		{[]recording.Run{a, b}, "b", "b", ""},
		{[]recording.Run{a, b}, "", "", "it has 2 runs: choose one"},
		{[]recording.Run{a, b}, "both", "", "it has 2 runs: choose one"},
		{[]recording.Run{a, b}, "c", "", "it does not have c; it has\n  a\n  b"},
		{[]recording.Run{run("d", true, nil), a}, "", "d", ""},
	} {
		got, err := ChooseRun(c.runs, c.id)
		if got.ID != c.want || (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%q of %d: %q, %v", c.id, len(c.runs), got.ID, err)
		}
	}
}
