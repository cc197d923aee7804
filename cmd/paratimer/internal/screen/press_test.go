package screen

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// four is a query of four jobs: one is done, b runs and d is to come on the critical path.
func four() *frame.Frame {
	return &frame.Frame{
		Jobs: []frame.Job{
			{Node: "a", State: dag.Succeeded},
			{Node: "b", State: dag.Running, Critical: true},
			{Node: "c", State: dag.Running},
			{Node: "d", Critical: true},
		},
		Tasks: func(int, int) ([]frame.Task, int) { return nil, 25 },
	}
}

// TestPress checks what keys do to what the reader has chosen.
func TestPress(t *testing.T) {
	for name, c := range map[string]struct {
		before  Choice
		actions []Action
		want    Choice
	}{
		"the first job is the one that is waited for": {Choice{}, []Action{Down}, Choice{Selected: "b"}},
		"up from none is the last":                    {Choice{}, []Action{Up}, Choice{Selected: "d"}},
		"down ends at the last": {
			Choice{Selected: "c"},
			[]Action{Down, Down},
			Choice{Selected: "d"},
		},
		"up ends at the first": {
			Choice{Selected: "b"},
			[]Action{PageUp},
			Choice{Selected: "a"},
		},
		"next goes along the critical path": {Choice{Selected: "b"}, []Action{Next}, Choice{Selected: "d"}},
		"and round":                         {Choice{Selected: "d"}, []Action{Next}, Choice{Selected: "b"}},
		"a job that is gone is none":        {Choice{Selected: "x"}, []Action{Down}, Choice{Selected: "b"}},
		"tasks of the selected job": {
			Choice{Selected: "c"},
			[]Action{Tasks},
			Choice{Selected: "c", Tasks: true},
		},
		"tasks of none are those of what is waited for": {
			Choice{},
			[]Action{Tasks},
			Choice{Selected: "b", Tasks: true},
		},
		"tasks scroll": {
			Choice{Selected: "c", Tasks: true},
			[]Action{PageDown, Down, Up},
			Choice{Selected: "c", Tasks: true, Scroll: 10},
		},
		"to the last": {
			Choice{Selected: "c", Tasks: true},
			[]Action{PageDown, PageDown, PageDown, PageDown},
			Choice{Selected: "c", Tasks: true, Scroll: 24},
		},
		"close takes back one after the other": {
			Choice{Selected: "c", Tasks: true, Scroll: 3},
			[]Action{Close},
			Choice{Selected: "c"},
		},
		"then the job": {
			Choice{Selected: "c"},
			[]Action{Close},
			Choice{},
		},
		"pause": {Choice{}, []Action{Pause}, Choice{Paused: true}},
		"go on": {Choice{Paused: true}, []Action{Pause}, Choice{}},
		"help":  {Choice{}, []Action{Help}, Choice{Help: true}},
		"help scrolls": {
			Choice{Help: true},
			[]Action{Down, Down, Up},
			Choice{Help: true, HelpScroll: 1},
		},
		"help closes": {
			Choice{Help: true, Selected: "c"},
			[]Action{Close},
			Choice{Selected: "c"},
		},
		"help opens at its top": {Choice{HelpScroll: 4}, []Action{Help}, Choice{Help: true}},
		"others are not of a choice": {
			Choice{Selected: "c"},
			[]Action{Forward, Faster, Quit, NoAction},
			Choice{Selected: "c"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.before
			for _, a := range c.actions {
				got = Press(got, a, four())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("choice (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPressOfNothing: before the first frame, or of a query without jobs, keys change nothing that needs a job or an
// estimate.
func TestPressOfNothing(t *testing.T) {
	start := Choice{Selected: "x", Tasks: true}
	changed := map[Action]Choice{
		Help:  {Selected: "x", Tasks: true, Help: true},
		Pause: {Selected: "x", Tasks: true, Paused: true},
		Close: {Selected: "x"},
	}
	for name, f := range map[string]*frame.Frame{"no frame": nil, "no jobs": {}} {
		for a := NoAction; a <= Slower; a++ {
			want, does := changed[a]
			if !does {
				want = start
			}
			got := Press(start, a, f)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, action %d (-want +got):\n%s", name, a, diff)
			}
		}
	}
}

// TestKeys checks that no key means two things, that every action has a key, and that every row explains its key.
func TestKeys(t *testing.T) {
	of := map[string]Action{}
	has := map[Action]bool{}
	for _, k := range Keys() {
		if k.Meaning == "" {
			t.Errorf("%+v", k)
		}
		has[k.Action] = true
		for _, name := range k.Keys {
			if a, twice := of[name]; twice {
				t.Errorf("%s is %v and %v", name, a, k.Action)
			}
			of[name] = k.Action
			if got := ActionOf(name); got != k.Action {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	for a := Quit; a <= Slower; a++ {
		if !has[a] {
			t.Errorf("action %d has no key", a)
		}
	}
	if ActionOf("f12") != NoAction {
		t.Error("f12 means something")
	}
}
