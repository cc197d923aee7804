package naming

import (
	"strings"
	"testing"
)

func TestQueryTitle(t *testing.T) {
	for query, want := range map[string]string{
		"select 1":                             "select 1",
		"\n -- nightly\n  select a,\n  b":      "select a,",
		"select * from t where p = 'hunter2'":  "select * from t where p = '…'",
		`select "a\"hunter2" from t`:           `select "…" from t`,
		"select * from t where p = 'hunter2":   "select * from t where p = '…'",
		"select 'one\nhunter2', x from t":      "select '…', x from t",
		"":                                     "",
		"--only this":                          "",
		"select é, " + strings.Repeat("é", 80): "select é, " + strings.Repeat("é", 34) + "…",
	} {
		if got := QueryTitle(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
		if got := QueryTitle(Unquoted(query)); got != want {
			t.Errorf("%q: twice %q, want %q", query, got, want)
		}
	}
}

func TestJobTitle(t *testing.T) {
	for name, want := range map[string]string{
		"PigLatin:it's.pig": "PigLatin:it's.pig",
		"select x.n, count(*) from a where k='hunter2' (Stage-1)": "select x.n, count(*) from a where k='…' (Stage-1)",
		"select x from a where k='hu...ter2' and v = 1(Stage-12)": "select x from a where k='…' (Stage-12)",
		"(Stage-1)": "query (Stage-1)",
	} {
		if got := JobTitle(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestPigNames(t *testing.T) {
	for app, want := range map[string]string{
		"PigLatin:join.pig": "join.pig", "PigLatin:": "", "join.pig": "join.pig", "": "", "my PigLatin:a": "my PigLatin:a",
	} {
		if got := PigScript(app); got != want || IsPig(app) != (app != want) {
			t.Errorf("%q: script %q, is Pig's %v", app, got, IsPig(app))
		}
		if IsPig(app) && PigApp(want) != app {
			t.Errorf("%q: its application is %q", want, PigApp(want))
		}
	}
}

func TestScriptOfPigDAG(t *testing.T) {
	for name, want := range map[string]string{
		"PigLatin:join.pig-0_scope-0": "join.pig", "PigLatin:a-0_scope-1.pig": "a-0_scope-1.pig", "PigLatin:a": "a",
	} {
		if got, is := ScriptOfPigDAG(name); got != want || !is {
			t.Errorf("%q: script %q, is Pig's %v", name, got, is)
		}
	}
	if got, is := ScriptOfPigDAG("join.pig-0_scope-0"); is {
		t.Errorf("a name without Pig's prefix: got %q", got)
	}
}
