package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPapers: each file and each test that docs/evidence/papers.md names is there.
func TestPapers(t *testing.T) {
	page, err := os.ReadFile("../../docs/evidence/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err = filepath.WalkDir("../..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			tests[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllSubmatch(page, -1) {
		switch name := string(m[1]); {
		case strings.HasPrefix(name, "Test"):
			named++
			if !tests[name] {
				t.Errorf("no test %s", name)
			}
		case strings.Contains(name, "/"):
			named++
			if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
				t.Error(err)
			}
		}
	}
	if named < 60 {
		t.Errorf("%d names in docs/evidence/papers.md: nothing is guarded", named)
	}
}
