package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestFloorPlan checks that the floor plan of DESIGN.md names every package, or one above it, and no other, and that a
// package imports only those on its own line or an earlier one.
func TestFloorPlan(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(design(t), "\n## The floor plan\n")
	text, _, _ = strings.Cut(text, "\n## ")
	lines, found := map[string]int{}, map[string]bool{}
	for line := range strings.Lines(text) {
		names, indented := strings.CutPrefix(line, "    ")
		names, _, _ = strings.Cut(names, "  ")
		if !indented || !regexp.MustCompile(`^[a-z]`).MatchString(names) || strings.HasPrefix(names, "type ") {
			continue
		}
		parent, several, braces := strings.Cut(strings.TrimSpace(names), "{")
		if !braces {
			parent, several = "", names
		}
		number := len(lines)
		for name := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(several), "}"), ",") {
			lines[parent+strings.TrimSpace(name)] = number
		}
	}
	for _, p := range packages(t) {
		own := longest(lines, p.name())
		if own == "" {
			t.Errorf("the floor plan does not name %s", p.name())
		}
		found[own] = true
		for _, imp := range p.Imports {
			name, ours := strings.CutPrefix(imp, module)
			if above := longest(lines, name); ours && lines[above] > lines[own] {
				t.Errorf("%s imports %s, which is below it in the floor plan", p.name(), name)
			}
		}
	}
	for name := range lines {
		if !found[name] {
			t.Errorf("the floor plan names %q, and there is no such package", name)
		}
	}
}

// longest returns the longest key that is a package or is above it, else nothing.
func longest[T any](keys map[string]T, name string) (found string) {
	for key := range keys {
		if (key == name || strings.HasPrefix(name, key+"/")) && len(key) > len(found) {
			found = key
		}
	}
	return found
}

// A budget is a row of the table of budgets.
type budget struct {
	floor       string
	limit, used int
}

// TestBudgets checks that no floor has more code lines than DESIGN.md allows.
func TestBudgets(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(design(t), "\n## Budgets\n")
	rows := regexp.MustCompile(`(?m)^\| (.+) \| (.*) \| ([\d,]+) \| [\d,]+ \|$`).FindAllStringSubmatch(table, -1)
	floors, all := map[string]*budget{}, &budget{floor: "all"}
	for _, row := range rows {
		limit, err := strconv.Atoi(strings.ReplaceAll(row[3], ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		b := &budget{floor: row[1], limit: limit}
		if b.floor == all.floor {
			all = b
		}
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			floors[strings.Replace(name[1], "…/", "cmd/paratimer/internal/", 1)] = b
		}
	}
	if len(rows) < 20 || all.limit == 0 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, p := range packages(t) {
		lines := 0
		for _, name := range p.GoFiles {
			lines += codeLines(t, filepath.Join(p.Dir, name))
		}
		all.used += lines
		if b := floors[longest(floors, p.name())]; b != nil {
			b.used += lines
		} else {
			t.Errorf("no floor has the package %s", p.name())
		}
	}
	floors[all.floor] = all
	seen := map[*budget]bool{}
	for _, b := range floors {
		if seen[b] {
			continue
		}
		seen[b] = true
		t.Logf("%-20s %6d of %d", b.floor, b.used, b.limit)
		if b.used > b.limit || b.used == 0 {
			t.Errorf("%s has %d code lines, the budget in DESIGN.md is %d", b.floor, b.used, b.limit)
		}
	}
}

// codeLines counts the lines of a file that are not blank, comments, imports or the package clause. Generated files
// have none.
func codeLines(t *testing.T, path string) (n int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(string(text), "// Code generated ") {
		return 0
	}
	imports, comment := false, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case comment || strings.HasPrefix(line, "/*"):
			comment = !strings.Contains(line, "*/")
		case imports:
			imports = line != ")"
		case strings.HasPrefix(line, "import ("):
			imports = true
		case line != "" && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "package ") &&
			!strings.HasPrefix(line, "import "):
			n++
		}
	}
	return n
}
