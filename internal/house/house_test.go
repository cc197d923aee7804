// Package house contains the tests of the architecture: which package may import which, and which may read a clock.
// DESIGN.md shows the same rules as arrows.
package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/paratimer/paratimer/"

// core are the packages that neither do I/O nor read a clock.
var core = []string{
	"dag", "schedule", "pathfrag", "estimators", "sketch",
	"units",
}

// views show what others have found, and compute nothing of it.
var views = []string{
	"cmd/paratimer/internal/metrics", "cmd/paratimer/internal/plugin",
	"cmd/paratimer/internal/page",
	"cmd/paratimer/internal/screen", "cmd/paratimer/internal/tty", "cmd/paratimer/internal/view",
}

// drawings are pure functions, as the core is: same values in, same bytes out.
var drawings = []string{
	"cmd/paratimer/internal/chart", "cmd/paratimer/internal/compare",
	"cmd/paratimer/internal/frame", "cmd/paratimer/internal/page",
	"cmd/paratimer/internal/runreport", "cmd/paratimer/internal/screen",
}

// pure reports whether a package does no I/O and reads no clock.
func pure(p pkg) bool {
	return slices.Contains(core, top(p.name())) || slices.Contains(drawings, p.name())
}

// A pkg is the output of `go list` about a package; imports of tests are not looked at.
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

// packages are those of the module, and those of the lab's.
func packages(t *testing.T) []pkg {
	t.Helper()
	all := append(list(t, "../.."), list(t, "../../lab")...)
	for _, part := range append([]string{"adapters", "cmd", "lab"}, core...) {
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

// list returns the packages of the module in a folder.
func list(t *testing.T, module string) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	cmd.Dir = module
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v\n%s", module, err, &stderr)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// may lists which parts of the house a part may import. Everything may import itself.
//
//	cmd ──► adapters ──► dag ◄── schedule ◄── pathfrag ◄── estimators ◄── cmd
//	        adapters/simulate ──► schedule
//	        adapters, estimators, cmd ──► sketch, units
var may = map[string][]string{
	"dag":        {},
	"schedule":   {"dag"},
	"pathfrag":   {"dag", "schedule"},
	"estimators": {"dag", "schedule", "pathfrag", "sketch", "units"},
	"adapters":   {"dag", "sketch", "units"},
	"cmd": {
		"adapters", "dag", "estimators", "examples", "pathfrag", "schedule", "sketch", "units",
	},
	"e2e":      {}, // tests alone
	"examples": {},
	"sketch":   {},
	"units":    {},
	"internal": { // what tests share
		"adapters", "dag", "schedule", "pathfrag", "estimators", "sketch", "units",
	},
	"lab": {"adapters", "dag", "schedule", "pathfrag", "estimators", "sketch", "units", "internal"},
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
			t.Errorf("%s: a new package: list in this test what it may import", p.name())
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

// rooms are the program and the packages of commands, and what each may import of these.
//
//	program ──► live, plan, past ──► follow ──► input ──► command
var rooms = map[string][]string{
	"program": {"command", "input", "live", "past", "plan"},
	"command": {},
	"input":   {"command"},
	"follow":  {"command", "input"},
	"live":    {"command", "follow", "input"},
	"plan":    {"command", "follow", "input"},
	"past":    {"command", "follow", "input"},
}

// TestRooms checks that commands of one package do not import those of another, that the program has little more than
// their tree and help, and that no part of it is made for tests.
func TestRooms(t *testing.T) {
	const commands, program = "cmd/paratimer/internal/command", "cmd/paratimer/internal/program"
	const tests = module + "cmd/paratimer/internal/tests"
	seen := 0
	for _, p := range packages(t) {
		room := p.name()
		if strings.HasPrefix(room, commands) || room == program {
			room = path.Base(room)
		}
		allowed, known := rooms[room]
		if known {
			seen++
		}
		if room == "program" && len(p.GoFiles) > 8 {
			t.Errorf("%d files of the program: commands have packages of their own", len(p.GoFiles))
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, tests) {
				t.Errorf("%s imports %s: that is for tests alone", p.name(), imp)
			}
			if strings.HasPrefix(imp, module+commands) && !slices.Contains(allowed, path.Base(imp)) {
				t.Errorf("%s imports %s: of commands it may import only %v", p.name(), imp, allowed)
			}
		}
	}
	if seen != len(rooms) {
		t.Errorf("%d packages of commands are there, want %d", seen, len(rooms))
	}
}

// TestNoInputOutput checks that the core and what draws is values and functions.
func TestNoInputOutput(t *testing.T) {
	banned := []string{
		"os", "os/exec", "os/signal", "net", "net/http", "context", "syscall", "log", "log/slog",
		"io/fs", "math/rand",
	}
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

// below are packages that engines share, and all that each may import of ours. None of it is an engine.
var below = map[string][]string{
	"adapters/internal/input": {"dag"},
	"adapters/infile":         {},
	"adapters/naming":         {"dag"},
	"adapters/rest":           {"adapters/infile", "adapters/internal/input", "dag", "units"},
	"adapters/yarn": {
		"adapters/internal/input", "adapters/naming", "adapters/recording", "adapters/rest", "dag",
		"units",
	},
}

// engines are the adapters of live engines.
var engines = []string{"adapters/mapreduce", "adapters/tez", "adapters/spark"}

// TestEnginesAreStrangers checks that an engine is an adapter by itself: it imports no other engine.
func TestEnginesAreStrangers(t *testing.T) {
	checked := 0
	for _, p := range packages(t) {
		if !slices.Contains(engines, p.name()) {
			continue
		}
		checked++
		for _, imp := range p.Imports {
			if slices.Contains(engines, strings.TrimPrefix(imp, module)) {
				t.Errorf("%s imports %s: engines share packages below them", p.name(), imp)
			}
		}
	}
	if checked != len(engines) {
		t.Fatalf("%d engines of %d found: not all are guarded", checked, len(engines))
	}
}

// TestBelowEngines checks that the HTTP client, the cluster's configuration and YARN import no engine.
func TestBelowEngines(t *testing.T) {
	checked := 0
	for _, p := range packages(t) {
		allowed, guarded := below[p.name()]
		if !guarded {
			continue
		}
		checked++
		for _, imp := range p.Imports {
			if name, ours := strings.CutPrefix(imp, module); ours && !slices.Contains(allowed, name) {
				t.Errorf("%s imports %s: it may import only %v", p.name(), name, allowed)
			}
		}
	}
	if checked != len(below) {
		t.Fatalf("%d packages of %d found: not all are guarded", checked, len(below))
	}
}

// TestNumericLeaves checks that leaves use floats, not jobs.
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

// TestViewsDoNotEstimate checks that whatever shows frames, stories or comparisons has only those to look at.
func TestViewsDoNotEstimate(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(views, p.name()) {
			continue
		}
		for _, imp := range p.Imports {
			for _, part := range []string{
				"schedule", "pathfrag", "estimators", "adapters",
				"cmd/paratimer/internal/watch",
			} {
				if strings.HasPrefix(imp, module+part) {
					t.Errorf("%s imports %s: views show what others have found and compute nothing", p.name(), imp)
				}
			}
		}
	}
}
