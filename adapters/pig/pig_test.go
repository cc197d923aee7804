package pig_test

import (
	"testing"

	"github.com/paratimer/paratimer/adapters/pig"
)

func TestNames(t *testing.T) {
	for app, want := range map[string]string{
		"PigLatin:join.pig": "join.pig", "PigLatin:": "", "join.pig": "join.pig", "": "", "my PigLatin:a": "my PigLatin:a",
	} {
		if got := pig.Script(app); got != want || pig.Is(app) != (app != want) {
			t.Errorf("%q: script %q, is Pig's %v", app, got, pig.Is(app))
		}
		if pig.Is(app) && pig.App(want) != app {
			t.Errorf("%q: its application is %q", want, pig.App(want))
		}
	}
}

func TestScriptOfDAG(t *testing.T) {
	for name, want := range map[string]string{
		"PigLatin:join.pig-0_scope-0": "join.pig", "PigLatin:a-0_scope-1.pig": "a-0_scope-1.pig", "PigLatin:a": "a",
	} {
		if got, is := pig.ScriptOfDAG(name); got != want || !is {
			t.Errorf("%q: script %q, is Pig's %v", name, got, is)
		}
	}
	if got, is := pig.ScriptOfDAG("join.pig-0_scope-0"); is {
		t.Errorf("a name without Pig's prefix is taken for %q", got)
	}
}
