package screen

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestForeign checks how names are written: no control characters, and no letters on whose width terminals do not
// agree, and ASCII where only that is shown.
func TestForeign(t *testing.T) {
	for _, c := range []struct{ name, want, ascii string }{
		{"join.pig", "join.pig", "join.pig"},
		{`a\b "c"`, `a\b "c"`, `a\b "c"`},
		{"日本", "日本", `\u65e5\u672c`},
		{"e\u0301t", "e\u0301t", `e\u0301t`},
		{"x – y…", "x – y…", "x - y~"},
		{"\x1b[2J\r\n", `\x1b[2J\r\n`, `\x1b[2J\r\n`},
		{"\u202eevil\u200b", `\u202eevil\u200b`, `\u202eevil\u200b`},
		{"\xff", `\xff`, `\xff`},
		{"a ❤\ufe0f b", `a \u2764\ufe0f b`, `a \u2764\ufe0f b`},
	} {
		got := Style{}.foreign(c.name)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
		if a, b := ansi.StringWidth(got), ansi.StringWidthWc(got); a != b {
			t.Errorf("%q is %d or %d cells wide", got, a, b)
		}
		if got := (Style{ASCII: true}).foreign(c.name); got != c.ascii {
			t.Errorf("%q in ASCII: %q, want %q", c.name, got, c.ascii)
		}
	}
}

// TestShortened checks which part of a name is left.
func TestShortened(t *testing.T) {
	for name, want := range map[string]string{
		"attempt_1795222440184_0007_m_000016_0 of job a": "m_000016_0 of job a",
		"task_1795222440184_0007_r_000001":               "r_000001",
		"job_1795222440184_0007":                         "job_1795222440184_0007",
		"my_attempt_1_2_m_3_4":                           "my_attempt_1_2_m_3_4",
	} {
		if got := shortened(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
