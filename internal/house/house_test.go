package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/paratimer/paratimer/"

// core is what neither does I/O nor reads a clock.
var core = []string{"dag", "schedule", "pathfrag", "estimators", "sketch"}

// views show what others have found, and compute nothing of it.
var views = []string{
	"cmd/paratimer/internal/compareview", "cmd/paratimer/internal/metrics", "cmd/paratimer/internal/plugin", "cmd/paratimer/internal/report",
	"cmd/paratimer/internal/screen", "cmd/paratimer/internal/tty", "cmd/paratimer/internal/view",
}

// drawings are functions of what they are given, as the core is: same values in, same bytes out.
var drawings = []string{
	"cmd/paratimer/internal/compare", "cmd/paratimer/internal/compareview", "cmd/paratimer/internal/frame", "cmd/paratimer/internal/gantt",
	"cmd/paratimer/internal/report", "cmd/paratimer/internal/screen", "cmd/paratimer/internal/svg",
}

// pure says whether a package does no I/O and reads no clock.
func pure(p pkg) bool {
	return slices.Contains(core, top(p.name())) || slices.Contains(drawings, p.name())
}

// A pkg is what `go list` says of a package. Dir is relative to the module; imports of tests are not looked at.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

// name is the path inside the module.
func (p pkg) name() string { return strings.TrimPrefix(p.ImportPath, module) }

// top is the part of the house that a path inside the module belongs to.
func top(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	cmd.Dir = "../.."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	for _, part := range append([]string{"adapters", "cmd"}, core...) {
		if !slices.ContainsFunc(all, func(p pkg) bool { return top(p.name()) == part }) {
			t.Fatalf("no package of %s found: nothing is guarded", part)
		}
	}
	for _, name := range slices.Concat(views, drawings) {
		if !slices.ContainsFunc(all, func(p pkg) bool { return p.name() == name }) {
			t.Fatalf("there is no package %s: not all are guarded", name)
		}
	}
	return all
}

// may says which parts of the house a part may import. Everything may import itself.
//
//	cmd ──► adapters ──► dag ◄── schedule ◄── pathfrag ◄── estimators ◄── cmd
//	        adapters/simulate ──► schedule
//	        adapters, estimators, cmd ──► sketch
var may = map[string][]string{
	"dag":        {},
	"schedule":   {"dag"},
	"pathfrag":   {"dag", "schedule"},
	"estimators": {"dag", "schedule", "pathfrag", "sketch"},
	"adapters":   {"dag", "sketch"},
	"cmd":        {"adapters", "dag", "estimators", "examples", "pathfrag", "schedule", "sketch"},
	"examples":   {},
	"sketch":     {},
	"internal":   {"adapters", "dag", "schedule", "pathfrag", "estimators", "sketch"}, // the project's own tools and test helpers
}

// exceptions are packages that may import more than their part.
var exceptions = map[string][]string{
	"adapters/simulate": {"schedule"}, // a simulated run is a replay with noise
}

func TestHouse(t *testing.T) {
	checked := 0
	for _, p := range packages(t) {
		allowed, known := may[top(p.name())]
		if !known {
			t.Errorf("%s: a new part of the house: say in this test what it may import", p.name())
		}
		for _, imp := range p.Imports {
			name, ours := strings.CutPrefix(imp, module)
			if !ours || top(name) == top(p.name()) {
				continue
			}
			checked++
			if !slices.Contains(allowed, top(name)) && !slices.Contains(exceptions[p.name()], top(name)) {
				t.Errorf("%s imports %s: %s may import only %v", p.name(), name, top(p.name()), allowed)
			}
		}
	}
	if checked == 0 {
		t.Fatal("no import of ours found: nothing is guarded")
	}
}

// TestNoInputOutput holds that the core and what draws is values and functions.
func TestNoInputOutput(t *testing.T) {
	banned := []string{"os", "os/exec", "os/signal", "net", "net/http", "context", "syscall", "log", "log/slog", "io/fs", "math/rand"}
	checked := 0
	for _, p := range packages(t) {
		if !pure(p) {
			continue
		}
		for _, imp := range p.Imports {
			checked++
			if slices.Contains(banned, imp) {
				t.Errorf("%s imports %s: it does no I/O", p.name(), imp)
			}
		}
	}
	if checked == 0 {
		t.Fatal("no import found: nothing is guarded")
	}
}

// TestNumericLeaves holds that leaves know floats, not jobs.
func TestNumericLeaves(t *testing.T) {
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.name(), "estimators/internal/") {
			continue
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, module) {
				t.Errorf("%s imports %s: numeric leaves import nothing of ours", p.name(), imp)
			}
		}
	}
}

// TestViewsDoNotEstimate holds that whatever shows frames, stories or comparisons has only those to look at.
func TestViewsDoNotEstimate(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(views, p.name()) {
			continue
		}
		for _, imp := range p.Imports {
			for _, part := range []string{"schedule", "pathfrag", "estimators", "adapters", "cmd/paratimer/internal/watch"} {
				if strings.HasPrefix(imp, module+part) {
					t.Errorf("%s imports %s: views show what others have found and compute nothing", p.name(), imp)
				}
			}
		}
	}
}
