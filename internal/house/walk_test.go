package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWalk: the functions in the walk of DESIGN.md exist, and there are at most 12 steps.
func TestWalk(t *testing.T) {
	t.Parallel()
	const root = "../.."
	design, err := os.ReadFile(filepath.Join(root, "DESIGN.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, walk, found := strings.Cut(string(design), "## From an answer to a frame")
	walk, _, _ = strings.Cut(walk, "\n## ")
	steps := regexp.MustCompile(`(?m)^\d+\. `).FindAllString(walk, -1)
	if !found || len(steps) == 0 || len(steps) > 12 {
		t.Fatalf("%d steps", len(steps))
	}
	all := functions(t, root)
	names := regexp.MustCompile("`([a-z]+\\.[A-Za-z.]+)`").FindAllStringSubmatch(walk, -1)
	if len(names) < len(steps) {
		t.Fatalf("only %d functions are named", len(names))
	}
	for _, m := range names {
		if !all[m[1]] && m[1] != "dag.Snapshot" {
			t.Errorf("there is no function %s", m[1])
		}
	}
}

// functions returns the functions and methods of the program's packages: package.Function and package.Type.Method.
func functions(t *testing.T, root string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, folder := range []string{"adapters", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				name := file.Name.Name + "."
				if f.Recv != nil {
					of := f.Recv.List[0].Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					if id, ok := of.(*ast.Ident); ok {
						name += id.Name + "."
					}
				}
				all[name+f.Name.Name] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
