//go:build e2e

package e2e

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The programs under test, built once.
var (
	binary    string
	tapBinary string
)

// A row is a scenario in the summary.
type row struct {
	scenario      string
	total         float64
	bare, profile *score // of standard; nil where there is none
	after         string // the same from the strike on, where something was broken
	checked       string
	load          string
	failed        func() bool
}

var (
	rows        []row
	summaryFile = flag.String("summary", "",
		"write the table of the scenarios to this `file`; those in it that are not run now stay")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(all(m))
}

func all(m *testing.M) int {
	dir, err := os.MkdirTemp("", "paratimer-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer os.RemoveAll(dir)
	binary, tapBinary = filepath.Join(dir, "paratimer"), filepath.Join(dir, "paratimer-tap")
	for _, file := range []string{binary, tapBinary} {
		name := filepath.Base(file)
		// As `make tap` builds it: tasks run it on machines of any kind.
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, "../cmd/"+name)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s does not build: %v\n%s", name, err, out)
			return 2
		}
	}
	code := m.Run()
	if err := errors.Join(document(*liveFile, len(live), liveTable), document(*table3File, len(table3),
		table3Table)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return code
}

// document writes a file anew where something was measured for it.
func document(file string, measured int, text func(old []byte) []byte) error {
	if file == "" || measured == 0 {
		return nil
	}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(file, text(old), 0o644)
}

// add puts a row into the summary once its test has ended: a run of hours that is cut short keeps what it has shown.
func (l *lab) add(r row) {
	r.load, r.failed = load(), l.t.Failed
	rows = append(rows, r)
	l.t.Cleanup(func() {
		if err := document(*summaryFile, len(rows), summary); err != nil {
			l.t.Error(err)
		}
	})
}

// addRow adds a scenario to the summary. Checks that fail later still mark it.
func (l *lab) addRow(scenario string, bare graded, profile *graded, after, checked string) {
	r := row{scenario: scenario, total: bare.Total, after: after, checked: checked}
	s := bare.of("standard")
	r.bare = &s
	if profile != nil {
		p := profile.of("standard")
		r.profile = &p
	}
	l.add(r)
}

// note adds a scenario that scores nothing.
func (l *lab) note(scenario string, total float64, checked string) {
	l.add(row{scenario: scenario, total: total, checked: checked})
}

// load is the machine's, over the last minute: others' work makes runs longer and errors larger.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	one, _, _ := strings.Cut(string(b), " ")
	return one
}

// summary is the table with this run's rows in the place of their scenarios' old ones, new scenarios after them.
func summary(old []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Real runs

Written by `+"`make e2e-all`"+`: what was tried against a real Hadoop (3.4.2 unless noted) with Pig 0.17, and a
real Spark (3.5.6 unless noted), on one machine with %d cores.

Errors are those of `+"`standard`"+`, mean / max in percentage points, over the ticks that give a point. In brackets stands the share of
ticks that give none ("at least" or nothing). The profile is that of an earlier run of the same script, in other sizes. After: if something
was broken, the same from the first tick that shows it, without and with profile. For runs
through the tap the column without profile is the same run as if there were no tap. Load is the machine's average over the last minute
of the scenario. These runs wait rather than compute, so load above the number of cores comes from others.

| scenario | total s | without profile | with profile | after | load | checked | |
|---|---:|---:|---:|---:|---|---|---|
`, runtime.NumCPU())
	type line struct{ scenario, text string }
	var lines []line
	for text := range strings.Lines(string(old)) {
		if cell, _, ok := strings.Cut(strings.TrimPrefix(text, "| "), " | "); ok && strings.HasPrefix(text, "| ") &&
			cell != "scenario" {
			lines = append(lines, line{cell, text})
		}
	}
	for _, r := range rows {
		result := "passed"
		if r.failed() {
			result = "**failed**"
		}
		text := fmt.Sprintf("| %s | %.1f | %s | %s | %s | %s | %s | %s |\n", r.scenario, r.total, r.bare, r.profile,
			r.after, r.load, r.checked, result)
		at := slices.IndexFunc(lines, func(l line) bool { return l.scenario == r.scenario })
		if at < 0 {
			lines = append(lines, line{r.scenario, text})
		} else {
			lines[at].text = text
		}
	}
	for _, l := range lines {
		b.WriteString(l.text)
	}
	return b.Bytes()
}

func (s *score) String() string {
	switch {
	case s == nil:
		return "–"
	case s.Mean == nil:
		return "at least"
	case s.None == nil || *s.None == 0:
		return fmt.Sprintf("%.1f / %.1f", *s.Mean, *s.Max)
	}
	return fmt.Sprintf("%.1f / %.1f (%.0f%%)", *s.Mean, *s.Max, *s.None*100)
}

// number prints a value, or the one that a pointer points to; nil is "unknown".
func number(v any) string {
	switch v := v.(type) {
	case *float64:
		if v == nil {
			return "unknown"
		}
		return fmt.Sprintf("%.3f", *v)
	case *int:
		if v == nil {
			return "unknown"
		}
		return fmt.Sprint(*v)
	}
	return fmt.Sprint(v)
}
