package usage

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linkPattern    = regexp.MustCompile(`!?\[[^\]]*\]\(([^)\s]+)\)`)
	headingPattern = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
)

// TestLinks checks that every link of a page to another file or heading of the project leads somewhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	err = filepath.WalkDir(root, func(page string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return filepath.SkipDir
		case filepath.Ext(page) != ".md":
			return nil
		}
		for _, m := range linkPattern.FindAllStringSubmatch(prose(t, page), -1) {
			path, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			links++
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if heading != "" && !anchors(t, target)[heading] {
				t.Errorf("%s links to %s: no such heading", page, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 40 {
		t.Fatalf("only %d links found: nothing is guarded", links)
	}
}

// prose is a page without its code.
func prose(t *testing.T, page string) string {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile("(?s)```.*?```|`[^`\n]*`").ReplaceAllString(string(b), "")
}

// anchors are the names under which a page's headings are linked to.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range headingPattern.FindAllStringSubmatch(string(b), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
				return r
			}
			return -1
		}, strings.ToLower(m[1]))
		names[name] = true
	}
	return names
}
