// Command versions prints docs/versions.md with its table of Hadoop versions copied from docs/e2e.md, which `make
// e2e-all` writes. So the page names only versions that were run live.
package main

import (
	"fmt"
	"os"
	"strings"
)

// The table is between these lines.
const (
	begin = "<!-- versions: written by make versions from docs/e2e.md -->\n"
	end   = "<!-- /versions -->\n"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "versions:", err)
		os.Exit(1)
	}
}

func write() error {
	page, err := os.ReadFile("docs/versions.md")
	if err != nil {
		return err
	}
	runs, err := os.ReadFile("docs/e2e.md")
	if err != nil {
		return err
	}
	out, err := with(string(page), table(string(runs)))
	if err != nil {
		return err
	}
	_, err = fmt.Print(out)
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
