// Package versions copies the table of Hadoop versions in docs/versions.md from docs/e2e.md, which `make e2e-all`
// writes. So the page names only versions that were run live.
package versions

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// The table is between these lines.
const (
	begin = "<!-- versions: written by make versions from docs/e2e.md -->\n"
	end   = "<!-- /versions -->\n"
)

// Run writes docs/versions.md with its table. It reads both documents in the folder docs.
func Run(_ []string, out io.Writer) error {
	page, err := os.ReadFile("docs/versions.md")
	if err != nil {
		return err
	}
	runs, err := os.ReadFile("docs/e2e.md")
	if err != nil {
		return err
	}
	text, err := with(string(page), table(string(runs)))
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}

// with inserts a table into the page. It fails if the page has no place for one.
func with(page, table string) (string, error) {
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("docs/versions.md has no place for the table: the lines %q and %q",
			strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + table + end + after, nil
}

// table returns the rows of docs/e2e.md about Hadoop versions, with the runs and the errors of the estimates.
func table(runs string) string {
	var b strings.Builder
	for line := range strings.Lines(runs) {
		cell := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cell) != 8 {
			continue
		}
		for i := range cell {
			cell[i] = strings.TrimSpace(cell[i])
		}
		version, ran, ok := strings.Cut(strings.TrimPrefix(cell[0], "Hadoop "), ": ")
		if !ok || version == "" || version[0] < '0' || version[0] > '9' {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("| Hadoop | run | mean / max error without profile | with profile | checked | |\n|---|---|---:|---:|---|---|\n")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", version, ran, cell[2], cell[3], cell[6], cell[7])
	}
	if b.Len() == 0 {
		return "No run is recorded in [e2e.md](e2e.md) yet.\n"
	}
	return b.String()
}
