package tty

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestAside(t *testing.T) {
	var under bytes.Buffer
	a := NewAside(&under)
	write := func(text string) {
		t.Helper()
		if n, err := a.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("%d bytes, %v", n, err)
		}
	}
	write("before\n")
	var shown []string
	a.divert(func(line string) { shown = append(shown, line) })
	write("\x1b[31mWRN\x1b[0m one\n")
	write("two\nthree\n")
	write("\n")
	if under.String() != "before\n" {
		t.Errorf("while the screen was up, %q was written", &under)
	}
	if got := fmt.Sprintf("%q", shown); got != `["WRN one" "three"]` {
		t.Errorf("shown: %s", got)
	}
	if err := a.restore(); err != nil {
		t.Fatal(err)
	}
	write("after\n")
	if want := "before\n\x1b[31mWRN\x1b[0m one\ntwo\nthree\n\nafter\n"; under.String() != want {
		t.Errorf("in the end %q, want %q", &under, want)
	}
}

// TestAsideIsBounded: of a flood the first and the newest lines are printed, and that others are not.
func TestAsideIsBounded(t *testing.T) {
	var under bytes.Buffer
	a := NewAside(&under)
	a.divert(func(string) {})
	for i := range 20_000 {
		fmt.Fprintf(a, "line %d\n", i)
	}
	if err := a.restore(); err != nil {
		t.Fatal(err)
	}
	got := under.String()
	if strings.Count(got, "\n") != mostAside+2 || !strings.HasSuffix(got, "line 19999\n") ||
		!strings.HasPrefix(got, "line 0\n     ...\nline ") {
		t.Errorf("%d bytes: %.80q … %q", len(got), got, got[len(got)-20:])
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestAsideSaysWhatCannotBeWritten(t *testing.T) {
	a := NewAside(full{})
	a.divert(func(string) {})
	fmt.Fprintln(a, "line")
	if err := a.restore(); err == nil {
		t.Error("no error")
	}
}

func TestTail(t *testing.T) {
	tail := NewTail(2)
	for _, part := range []string{"title\n1\n", "2\n"} {
		fmt.Fprint(tail, part)
	}
	if got := tail.String(); got != "title\n1\n2\n" {
		t.Errorf("%q", got)
	}
	fmt.Fprint(tail, "3\n")
	if got := tail.String(); got != "title\n     ...\n2\n3\n" || tail.First() != "title\n" ||
		tail.Newest() != "2\n3\n" {
		t.Errorf("%q", got)
	}
}

func TestCapable(t *testing.T) {
	env := func(settings ...string) func(string) string {
		return func(name string) string {
			for _, s := range settings {
				if n, v, _ := strings.Cut(s, "="); n == name {
					return v
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		term          string
		width, height int
		want          bool
	}{
		{"xterm", 80, 24, true},
		{"vt100", 40, 10, true},
		{"dumb", 80, 24, false},
		{"", 80, 24, false},
		{"xterm", 0, 0, false},
	} {
		if got := Capable(env("TERM="+c.term), c.width, c.height); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for settings, want := range map[string]bool{
		"LANG=C.UTF-8": true, "LANG=de_DE.utf8": true, "LANG=C": false, "": false,
		"LANG=en_GB.UTF-8 LC_ALL=C": false, "LANG=C LC_CTYPE=C.UTF-8": true,
		"LC_ALL=en_GB.ISO-8859-1 LC_CTYPE=C.UTF-8": false,
	} {
		if got := UTF8(env(strings.Fields(settings)...)); got != want {
			t.Errorf("%s: %v", settings, got)
		}
	}
}
