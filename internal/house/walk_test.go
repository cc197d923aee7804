package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// design returns DESIGN.md.
func design(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../DESIGN.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWalks: the functions in the walks of DESIGN.md exist, and a walk has at most 12 steps.
func TestWalks(t *testing.T) {
	t.Parallel()
	walks := strings.Split(design(t), "\n## Walk: ")[1:]
	if len(walks) != 3 {
		t.Fatalf("%d walks", len(walks))
	}
	all := functions(t, "../..")
	for _, walk := range walks {
		walk, _, _ = strings.Cut(walk, "\n## ")
		title, _, _ := strings.Cut(walk, "\n")
		steps := regexp.MustCompile(`(?m)^\d+\. `).FindAllString(walk, -1)
		names := regexp.MustCompile("`([a-z]+\\.[A-Za-z.]+)`").FindAllStringSubmatch(walk, -1)
		if len(steps) == 0 || len(steps) > 12 || len(names) < len(steps) {
			t.Errorf("%s: %d steps, which name %d functions", title, len(steps), len(names))
		}
		for _, m := range names {
			if !all[m[1]] && !slices.Contains([]string{"dag.Snapshot", "recording.Player"}, m[1]) {
				t.Errorf("%s: there is no function %s", title, m[1])
			}
		}
	}
}

// functions returns the functions and methods of the program's packages: package.Function and package.Type.Method.
func functions(t *testing.T, root string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, folder := range []string{"adapters", "cmd", "estimators", "pathfrag", "schedule"} {
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
