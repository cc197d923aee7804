package settings

import (
	"reflect"
	"strings"
	"testing"
)

// small is a tree with everything in it that is hard to write down.
func small() *Command {
	return &Command{
		Path: "tool", Does: "does things",
		Text:  Text{Notes: "### Files\n\n- `~/.toolrc`: what's set"},
		Flags: []*Setting{{Name: "version", Short: "V", Default: false, Help: "print it"}},
		Commands: []*Command{
			{
				Path: "tool run", Does: "run it", Args: "FILE...", Heading: "Work", Flags: []*Setting{
					{Name: "out", Short: "o", Default: "", Help: "write to `FILE`"},
					{Name: "output", Default: OneOf{"a|x", "b"}, Help: "write *a* `FORMAT`", Env: "TOOL_OUTPUT"},
				},
				Text: Text{
					Paragraphs: []string{".hidden 'files' \\ too"},
					Examples:   []string{"what it's for", "$ tool run -o 'x y' .z"},
				},
			},
		},
	}
}

func TestHelp(t *testing.T) {
	want := `tool run: run it

Usage:
  tool run [flags] FILE...

.hidden 'files' \ too

Examples:
  # what it's for
  tool run -o 'x y' .z

Flags:
  -o, --out FILE        write to FILE
  --output FORMAT       write *a* FORMAT: a|x, b (default: a|x)
`
	if got := Help(small().Find("run")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMan(t *testing.T) {
	root := small()
	got := Man(root.Find("run"), "v1", "2026-11-22") + Man(root, "v1", "")
	for _, want := range []string{
		`.TH "TOOL\-RUN" 1 "2026-11-22" "paratimer v1" "ParaTimer Manual"`,
		"tool\\-run \\- run it\n",
		"\n\\&.hidden \\(aqfiles\\(aq \\e too\n",
		"  tool run \\-o \\(aqx y\\(aq .z\n",
		"\\(ti/.toolrc",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestReference checks that every setting is described once, and that every command lists its own.
func TestReference(t *testing.T) {
	got := Reference(small())
	for _, want := range []string{
		"\n[Settings](#all-settings): `--out`, `--output`\n",
		"\n# what it's for\ntool run -o 'x y' .z\n",
		"- `~/.toolrc`: what's set\n",
		"Work:\n[run](#tool-run)",
		"| `metrics-linger=TIME` | serve metrics for TIME after the end, so that the end is scraped |  | attach, wait, run, demo, replay, plan, watch |",
		"; only on the command line |  | all |",
	} {
		if strings.Count(got, want) < 1 {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n| `"); n != len(All()) {
		t.Errorf("%d rows", n)
	}
	for _, s := range All() {
		row := "| " + code(s.Spelled()) + " | " + cell(s.Does()) + " |"
		if strings.Count(got, row) > 1 && s.Name != "output" { // its text is the same for some commands
			t.Errorf("%q stands there %d times", row, strings.Count(got, row))
		}
	}
	if got := cell("a *b* `<code>` | c"); got != "a \\*b\\* `<code>` \\| c" {
		t.Errorf("%q", got)
	}
}

func TestParseTexts(t *testing.T) {
	got := ParseTexts("# a\n\nSome\nwords.\n\nwhy\n$ a b\n$ a c\n\n### Files\n\n- `x`: y\n\n### More\n\n# a b\n")
	want := Text{[]string{"Some\nwords."}, []string{"why", "$ a b", "$ a c"}, "### Files\n\n- `x`: y\n\n### More"}
	if len(got) != 2 || !reflect.DeepEqual(got["a"], want) {
		t.Errorf("%+v", got)
	}
}

// TestFirstClause checks that short help has as much of a flag as one line takes, and no half of a bracket.
func TestFirstClause(t *testing.T) {
	t.Parallel()
	for does, want := range map[string]string{
		"observe every TIME": "observe every TIME",
		"play N times as fast as the run was; 0: without waiting":                                               "play N times as fast as the run was; 0: without waiting",
		"end by TIME: 06:30 (the first after its submission; or so), 06:30 Europe/Berlin, RFC 3339; repeatable": "end by TIME: 06:30",
		"list the applications every TIME, the shortest wait between; so":                                       "list the applications every TIME, the shortest wait between",
	} {
		if got := firstClause(&Setting{Help: does}); got != want {
			t.Errorf("%q: %q, want %q", does, got, want)
		}
	}
}
