package house

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stable and young are the packages that others may embed; CONTRIBUTING.md lists what stays of them. Those of examples
// have some.
var (
	stable = []string{"dag", "schedule", "pathfrag", "estimators", "adapters/planfile", "adapters/recording"}
	young  = []string{
		"estimators/cost", "estimators/explain", "estimators/nearestfit", "estimators/ernest", "estimators/paper",
		"estimators/queueing", "estimators/whatif", "adapters/simulate", "sketch",
	}
	examples = append(slices.Clone(stable), "estimators/nearestfit", "estimators/ernest", "estimators/queueing",
		"estimators/whatif", "adapters/simulate")
)

// TestDocs checks that every package has a comment, and that the public ones state their stability, name by name.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, p := range packages(t) {
		d := docOf(t, p)
		if d.Doc == "" {
			t.Errorf("%s: the package has no comment", p.name())
		}
		var grade string
		switch {
		case slices.Contains(stable, p.name()):
			grade = "within a major version"
		case slices.Contains(young, p.name()):
			grade = "Young: "
		default:
			continue
		}
		seen++
		if _, stability, found := strings.Cut(d.Doc, "# Stability\n"); !found || !strings.Contains(stability, grade) {
			t.Errorf("%s: its comment does not say under Stability %q", p.name(), grade)
		}
		if !strings.Contains(string(page), "`"+p.name()+"`") {
			t.Errorf("CONTRIBUTING.md does not name %s", p.name())
		}
		if slices.Contains(examples, p.name()) && countExamples(d) == 0 {
			t.Errorf("%s has no example", p.name())
		}
		for _, name := range undocumented(d) {
			t.Errorf("%s.%s has no comment", p.name(), name)
		}
	}
	if seen != len(stable)+len(young) {
		t.Errorf("%d packages of %d looked at", seen, len(stable)+len(young))
	}
}

// docOf is a package's documentation, with the examples of its tests.
func docOf(t *testing.T, p pkg) *doc.Package {
	t.Helper()
	tests, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		tests = append(tests, filepath.Join(p.Dir, name))
	}
	for _, name := range tests {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, p.ImportPath)
	if err != nil {
		t.Fatalf("%s: %v", p.name(), err)
	}
	for _, f := range files {
		if len(p.GoFiles) == 0 && f.Doc != nil { // of a package of tests, which doc.NewFromFiles leaves out
			d.Doc = f.Doc.Text()
		}
	}
	return d
}

func countExamples(d *doc.Package) int {
	n := len(d.Examples)
	for _, f := range d.Funcs {
		n += len(f.Examples)
	}
	for _, typ := range d.Types {
		n += len(typ.Examples)
		for _, f := range append(slices.Clone(typ.Funcs), typ.Methods...) {
			n += len(f.Examples)
		}
	}
	return n
}

// spokenFor are methods that need no comment: those of errors, of fmt, and of encodings.
var spokenFor = []string{
	"Error", "Unwrap", "Is", "String", "MarshalText", "UnmarshalText", "MarshalJSON",
	"UnmarshalJSON",
}

// undocumented are the names without a comment of their own or of their group.
func undocumented(d *doc.Package) []string {
	var out []string
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, s := range v.Decl.Specs {
				if s := s.(*ast.ValueSpec); v.Doc == "" && s.Doc == nil && s.Comment == nil {
					out = append(out, s.Names[0].Name)
				}
			}
		}
	}
	funcs := func(of string, list []*doc.Func) {
		for _, f := range list {
			if f.Doc == "" && (of == "" || !slices.Contains(spokenFor, f.Name)) {
				out = append(out, of+f.Name)
			}
		}
	}
	values(d.Consts)
	values(d.Vars)
	funcs("", d.Funcs)
	for _, typ := range d.Types {
		if typ.Doc == "" {
			out = append(out, typ.Name)
		}
		values(typ.Consts)
		values(typ.Vars)
		funcs("", typ.Funcs)
		funcs(typ.Name+".", typ.Methods)
	}
	return out
}
