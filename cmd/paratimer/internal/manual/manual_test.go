package manual

import (
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// small is a tree with everything in it that is hard to write down.
func small() *Command {
	return &Command{
		Path: "tool", Does: "does things",
		Text:  Text{Notes: []Note{{Heading: "Files", Paragraphs: []string{"~/.toolrc: what's set", "More *words*."}}}},
		Flags: []*settings.Setting{{Name: "version", Short: "V", Default: false, Help: "print it"}},
		Commands: []*Command{
			{
				Path: "tool run", Does: "run it", Args: "FILE...", Heading: "Work", Flags: []*settings.Setting{
					{Name: "out", Short: "o", Default: "", Help: "write to `FILE`"},
					{
						Name: "output", Default: "a", Help: "write `FORMAT`", Env: "TOOL_OUTPUT",
						Choices: []string{"a|x", "b"},
					},
				},
				Text: Text{
					Paragraphs: []string{".hidden 'files' \\ too"},
					Examples:   []Example{{"what it's for", "tool run -o 'x y' .z"}},
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
  -o, --out FILE   write to FILE
  --output FORMAT  write FORMAT: a|x, b (default: a)
`
	if got := Help(small().Find("run")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMan(t *testing.T) {
	root := small()
	got := Man(root, root.Find("run"), Release{Version: "v1", Date: "2026-11-22"})
	for _, want := range []string{
		`.TH "TOOL\-RUN" 1 "2026-11-22" "paratimer v1" "ParaTimer Manual"`,
		"tool\\-run \\- run it\n",
		"\\&.hidden \\(aqfiles\\(aq \\e too\n",
		`\fB\-o\fR, \fB\-\-out\fR \fIFILE\fR`,
		"tool run \\-o \\(aqx y\\(aq .z\n",
		".BR \"tool\" (1)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestReference(t *testing.T) {
	got := Reference(small())
	for _, want := range []string{
		"| `--output FORMAT` | write FORMAT: a\\|x, b; in the environment `TOOL_OUTPUT` | a |",
		"- `~/.toolrc`: what's set\n",
		`More \*words\*.`,
		"Work: [run](#tool-run)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestSharedFlags holds that flags of the same meaning are described once, and others where they belong.
func TestSharedFlags(t *testing.T) {
	every := &settings.Setting{Name: "often", Default: time.Second, Help: "observe every `TIME`", Commands: []string{"b", "c"}}
	other := &settings.Setting{Name: "often", Default: time.Second, Help: "print every `TIME`", Commands: []string{"a"}}
	alone := &settings.Setting{Name: "alone", Default: false, Help: "be alone", Commands: []string{"b"}}
	got := Reference(&Command{Path: "tool", Does: "do", Commands: []*Command{
		{Path: "tool a", Does: "do a", Flags: []*settings.Setting{other}},
		{Path: "tool b", Does: "do b", Flags: []*settings.Setting{every, alone}},
		{Path: "tool c", Does: "do c", Flags: []*settings.Setting{every}},
	}})
	of := []string{"a", "b"}
	group := []*settings.Setting{
		{Name: "x", Default: false, Help: "x", Subject: "Letters", Commands: of},
		{Name: "y", Default: false, Help: "y", Subject: "Letters", Commands: of},
	}
	grouped := Reference(&Command{Path: "tool", Does: "do", Commands: []*Command{
		{Path: "tool a", Does: "do a", Flags: group},
		{Path: "tool b", Does: "do b", Flags: group},
	}})
	for want, n := range map[string]int{
		"[Shared settings](#shared-settings): *Letters*\n": 2,
		"\n*Letters*:\n\n| setting":                        1,
	} {
		if strings.Count(grouped, want) != n {
			t.Errorf("%q stands there %d times, not %d, in\n%s", want, strings.Count(grouped, want), n, grouped)
		}
	}
	for want, n := range map[string]int{
		"| `--often TIME` | observe every TIME | 1s |":     1,
		"| `--often TIME` | print every TIME | 1s |":       1,
		"| `--alone` | be alone |":                         1,
		"[Shared settings](#shared-settings): `--often`\n": 2,
		"\n## Shared settings\n":                           1,
	} {
		if strings.Count(got, want) != n {
			t.Errorf("%q stands there %d times, not %d, in\n%s", want, strings.Count(got, want), n, got)
		}
	}
}

func TestParseTexts(t *testing.T) {
	got, err := ParseTexts("# a\n\nSome\nwords.\n\nwhy\n$ a b\n$ a c\n\n## Files\n\nx: y\n\n# a b\n")
	if err != nil {
		t.Fatal(err)
	}
	a := got["a"]
	if len(got) != 2 || a.Paragraphs[0] != "Some words." || a.Examples[0] != (Example{"why", "a b"}) ||
		a.Examples[1] != (Example{"", "a c"}) || a.Notes[0].Paragraphs[0] != "x: y" {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{"words", "# a\n\n# a", "# a\nb"} {
		if _, err := ParseTexts(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestFirstClause holds that short help has as much of a flag as one line takes, and no half of a bracket.
func TestFirstClause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ does, value, want string }{
		{"observe every TIME", "3s", "observe every TIME"},
		{"play N times as fast as the run was; 0: without waiting", "60", "play N times as fast as the run was"},
		{
			"end by TIME: 06:30 (the first after its submission), 06:30 Europe/Berlin, RFC 3339; repeatable", "",
			"end by TIME: 06:30",
		},
		{
			"with --recording: the state at TIME of the run, a length or a share, such as 90s or 50%", "",
			"with --recording: the state at TIME of the run, a length or a share, such as 90s or 50%",
		},
		{
			"print plain text for screen readers: no screen, colors or symbols", "",
			"print plain text for screen readers",
		},
	} {
		if got := firstClause(&settings.Setting{Help: c.does, Default: c.value}); got != c.want {
			t.Errorf("%q: %q, want %q", c.does, got, c.want)
		}
	}
}
