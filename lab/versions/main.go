// Command versions prints the README with its table of Hadoop versions taken anew from docs/e2e.md, which `make e2e-all` writes:
// what the README says was run live is what was run.
package main

import (
	"fmt"
	"os"
	"strings"
)

// The table stands between these lines.
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
	readme, err := os.ReadFile("README.md")
	if err != nil {
		return err
	}
	runs, err := os.ReadFile("docs/e2e.md")
	if err != nil {
		return err
	}
	out, err := with(string(readme), table(string(runs)))
	if err != nil {
		return err
	}
	_, err = fmt.Print(out)
	return err
}

// with puts a table into the README.
func with(readme, table string) (string, error) {
	before, rest, found := strings.Cut(readme, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("README.md has no place for the table: the lines %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + table + end + after, nil
}

// table is the rows of docs/e2e.md about Hadoop versions, as far as they tell what was run and how right the estimate was.
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
		return "No run is recorded in [docs/e2e.md](docs/e2e.md) yet.\n"
	}
	return b.String()
}
