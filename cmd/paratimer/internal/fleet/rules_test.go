package fleet

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
)

const good = `
rules:
  - name: nightly-etl-late
    match: {name: "PigLatin:nightly_*", user: etl, queue: "prod*"}
    deadline: "06:30 Europe/Berlin"
    risk: 0.8
    hold: 3
    severity: page
    labels: {team: data}
    annotations: {summary: "{{ .Workflow.Name }} will be {{ .By }} late", runbook: https://wiki/nightly}
  - {name: within, within: 45m}
  - {name: usual, longer_than_usual: 1.5}
  - {name: still, no_progress: 10m}
  - {name: outside, outside_bounds: true}
`

func read(t *testing.T, text string) []Rule {
	t.Helper()
	all, err := ParseRules([]byte(text), "rules.yaml", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRead(t *testing.T) {
	all := read(t, good)
	if len(all) != 5 {
		t.Fatalf("%d rules", len(all))
	}
	b := all[0].Bound(0)
	if b.Name != "nightly-etl-late" || b.Kind != alert.Deadline || b.Daily == nil || b.Daily.Hour != 6 ||
		b.Daily.Minute != 30 ||
		b.Daily.Zone.String() != "Europe/Berlin" || b.Threshold != 0.8 || b.Hold != 3 {
		t.Errorf("bound %+v", b)
	}
	for i, want := range []alert.Bound{
		{Name: "within", Kind: alert.Within, For: 45 * time.Minute},
		{Name: "usual", Kind: alert.LongerThanUsual, Times: 1.5, Usual: time.Hour},
		{Name: "still", Kind: alert.NoProgress, For: 10 * time.Minute},
		{Name: "outside", Kind: alert.OutsideBounds},
	} {
		want.Zone = time.UTC // the reader's
		if got := all[i+1].Bound(time.Hour); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", want.Name, got, want)
		}
	}
	d := all[0].Dress()
	if d.Labels["team"] != "data" || d.Labels["severity"] != "page" || d.Annotations["summary"] == "" ||
		d.Annotations["runbook"] == "" {
		t.Errorf("dress %+v", d)
	}
	if len(all[0].Labels) != 1 {
		t.Error("the severity has got into the rule's own labels")
	}
}

// TestFaults: every fault of a file is reported at once, at its place.
func TestFaults(t *testing.T) {
	rule := func(more string) string { return "rules:\n  - name: a\n    " + more + "\n" }
	for _, c := range []struct{ text, want string }{
		{"", "1:1: the file has no rule file: it is empty"},
		{"[]", "1:1: this is a list: a rule file is a mapping"},
		{"rules: []", "1:8: rules is an empty list: it must be a list of 1 to 1000 rules"},
		{"rules:\n  - {within: 1m}", `2:6: rules[0] has no "name", which it needs`},
		{rule("witin: 1m"), `3:5: unknown field "witin" in rules[0]; did you mean "within"?`},
		{rule("within: 5"), "3:13: rules[0].within is 5: it must be a time with its unit"},
		{rule("within: 0s"), "2:5: rule a has no limit"},
		{rule("within: 1m\n    within: 2m"), `4:5`},
		{rule("within: 1m\n    no_progress: 2m"), "4:18: rule a has within and no_progress: a rule has one bound"},
		{rule("deadline: \"25:00\""), "3:15: "},
		{rule("deadline: \"06:30 Europe/Nowhere\""), "3:15: "},
		{rule("within: 1m\n    risk: 1.5"), "4:11: rules[0].risk is 1.5: it must be a probability"},
		{rule("within: 1m\n    hold: 0"), "4:11: rules[0].hold is 0: it must be a whole number from 1 to 1000"},
		{rule("no_progress: 1m\n    risk: 0.5"), "4:11: risk has no meaning with no_progress"},
		{rule("outside_bounds: false"), "3:21: rules[0].outside_bounds is false: it must be true, or left out"},
		{rule("within: 1m\n    match: {user: \"[a\"}"), "4:19: match.user \"[a\": a [ that no ] closes"},
		{rule("within: 1m\n    match: {name: \"[z-a]\"}"), "a range such as [a-z]"},
		{rule("within: 1m\n    match: {engine: tez}"), "4:21: rules[0].match.engine is \"tez\": it must be MapReduce, Tez or Spark"},
		{rule("within: 1m\n    labels: {workflow: x}"), "label workflow is given by paratimer itself"},
		{rule("within: 1m\n    labels: {severity: x}"), "label severity is given by paratimer itself"},
		{rule("within: 1m\n    labels: {b-c: x}"), "label \"b-c\": a name begins"},
		{rule("within: 1m\n    labels: {b: \"{{ .By }}\"}"), "label b is a template"},
		{
			rule("within: 1m\n    annotations: {s: \"x {{ .Nope }}\"}"),
			"4:22: annotation s: an alert has no Nope; it has Bound, ",
		},
		{
			rule("within: 1m\n    annotations:\n      s: |\n        one\n        {{ .Workflow.Nope }}"),
			"annotation s: an alert has no Workflow.Nope; it has ",
		},
		{
			rule("within: 1m\n    annotations: {s: \"{{ range .Text }}{{ end }}\"}"),
			"annotation s: an alert has no range .Text; it has ",
		},
		{
			rule("within: 1m\n    annotations: {s: \"{{ define \\\"x\\\" }}{{ end }}\"}"),
			"an alert has no define",
		},
		{rule("within: 1m\n    annotations: {s: \"{{ if }}\"}"), "annotation s: an alert has no if; "},
		{
			rule("within: 1m\n    annotations: {s: \"{{ printf \\\"%99999d\\\" 1 }}\"}"),
			"annotation s: an alert has no printf",
		},
		{"rules:\n  - {name: a, within: 1m}\n  - {name: a, within: 2m}", "3:12: the name \"a\" is taken by rule 1"},
	} {
		_, err := ParseRules([]byte(c.text), "r.yaml", time.UTC)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestAllFaultsAreTold(t *testing.T) {
	var text strings.Builder
	text.WriteString("rules:\n")
	for i := range 30 {
		fmt.Fprintf(&text, "  - {name: r%d, within: 1m, labels: {workflow: x}}\n", i)
	}
	_, err := ParseRules([]byte(text.String()), "r.yaml", time.UTC)
	if n := strings.Count("\n"+err.Error(), "\nr.yaml:"); n != 30 {
		t.Fatalf("%d of 30 faults are reported", n)
	}
	var e *planfile.Error
	if !errors.As(err, &e) || e.Line != 2 || e.Field != "rules[0].labels.workflow" ||
		!strings.Contains(e.Excerpt, "^") {
		t.Errorf("the first is %+v", e)
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"nightly_*", "nightly_etl.pig", true},
		{"nightly_*", "my nightly_etl.pig", false},
		{"nightly_*", "nightly_", true},
		{"/etl/*.pig", "/etl/a/b.pig", true},
		{"a?c", "abc", true},
		{"a?c", "äbc", false},
		{"?bc", "äbc", true},
		{"[a-c]x", "bx", true},
		{"[!a-c]x", "bx", false},
		{"[^a-c]x", "dx", true},
		{"[]]", "]", true},
		{"[a-]", "-", true},
		{`\*`, "*", true},
		{`\*`, "x", false},
		{"a.c", "abc", false},
		{"*", "", true},
		{"(a|b)", "a", false},
		{"*\n*", "a\nb", true},
	} {
		re, err := Glob(c.pattern)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		if re.MatchString(c.s) != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.s, !c.want)
		}
	}
	all := read(t, good)
	w := Workflow{ID: "pig_1", Name: "nightly_etl.pig", User: "etl", Queue: "root.prod.eu"}
	m := &all[0].Match
	if !m.Matches(w) {
		t.Error("a Pig script of a recording does not match by its application's name")
	}
	for _, change := range []func(*Workflow){
		func(w *Workflow) { w.User = "bob" },
		func(w *Workflow) { w.Queue = "root.dev" },
		func(w *Workflow) { w.Name = "hourly.pig" },
		func(w *Workflow) { w.ID = "job_1" }, // not a Pig script: no PigLatin: before its name
	} {
		other := w
		change(&other)
		if m.Matches(other) {
			t.Errorf("%+v matches", other)
		}
	}
	if live := (Workflow{ID: "", Name: "nightly_etl.pig", App: "PigLatin:nightly_etl.pig", User: "etl", Queue: "prod"}); !m.Matches(live) {
		t.Error("an application that is listed does not match")
	}
	for _, c := range []struct {
		match, engine string
		want          bool
	}{
		{"Tez", "Tez", true},
		{"Tez", "", false},
		{"Spark", "Tez", false},
		{"Spark", "Spark", true},
		{"MapReduce", "", true},
		{"MapReduce", "Spark", false},
		{"", "Tez", true},
	} {
		if one := (&Match{Engine: c.match}); one.Matches(Workflow{Engine: c.engine}) != c.want {
			t.Errorf("a rule for %q and a workflow of %q: want %v", c.match, c.engine, c.want)
		}
	}
	if everything := (&Match{}); !everything.Matches(Workflow{}) {
		t.Error("no pattern does not match everything")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"rules":[{"name":"a","within":"45m","annotations":{"s":"{{ .By }}"}}]}`))
	f.Add([]byte("rules:\n  - name: a\n    match: {name: '[!a-\\]'}\n    deadline: 06:30\n"))
	f.Add([]byte("rules:\n  - name: a\n    within: 1m\n    annotations:\n      s: |\n        {{ if .Text }}{{ .Nope }}{{ end }}\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<14 {
			return
		}
		all, err := ParseRules(src, "fuzz.yaml", time.UTC)
		if err != nil {
			if all != nil {
				t.Error("rules beside an error")
			}
			if e, ok := errors.AsType[*planfile.Error](err); ok && (e.Line < 0 || e.Message == "") {
				t.Errorf("%+v", e)
			}
			return
		}
		names := map[string]bool{}
		for i := range all {
			r := &all[i]
			if b := r.Bound(0); b.Name == "" || names[b.Name] || b.Check() != nil {
				t.Errorf("bound %+v: %v", b, b.Check())
			}
			names[r.Name] = true
			r.Match.Matches(Workflow{ID: "pig_1", Name: "x", User: "y", Queue: "root.z"})
			r.Dress()
		}
	})
}
