package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// clocks are the functions of package time that look at a clock or wait for it.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// TestNoClock checks that time is an argument in the core and in what draws: only adapters stamp instants, only the
// loop waits.
func TestNoClock(t *testing.T) {
	files := 0
	for _, p := range packages(t) {
		if !pure(p) {
			continue
		}
		for _, name := range p.GoFiles {
			files++
			readsClock(t, filepath.Join(p.Dir, name))
		}
	}
	if files == 0 {
		t.Fatal("no file found: nothing is guarded")
	}
}

func readsClock(t *testing.T, path string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	local := ""
	for _, imp := range f.Imports {
		if p, _ := strconv.Unquote(imp.Path.Value); p == "time" {
			local = "time"
			if imp.Name != nil {
				local = imp.Name.Name
			}
		}
	}
	if local == "." {
		t.Errorf("%s: a dot import of time hides clocks", path)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == local && slices.Contains(clocks, sel.Sel.Name) {
			t.Errorf("%s: time.%s: this package reads no clock", fset.Position(sel.Pos()), sel.Sel.Name)
		}
		return true
	})
}
