package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// label is that of a section of docs/evidence/facts. Only the single letters that are labels today count, or articles
// would be taken for labels.
const label = `\b(?:[A-Z]\d{1,2}|[a-z]\.\d|[BDFbd]|\d)\b`

var (
	labels       = regexp.MustCompile(label)
	citations    = regexp.MustCompile(`(?:(?:^|[^(/\w])|(?:^|[^\]])\()facts/([a-z]+)\.md((?:(?:,| and| to)? ` + label + `)*)`)
	pageless     = regexp.MustCompile(`(?:^|[^/\w])[Ff]acts,? (?:numerics |live )?(?:[A-Z]\d{1,2}|[a-z]\.\d|\d)\b`)
	factsHeading = regexp.MustCompile(`(?m)^(?:#{2,3}|\|) (` + label + `)\. `)
)

// TestFacts checks that every citation of docs/evidence/facts names a heading of the cited page, that a page has no
// label twice, and that every page is cited outside itself.
func TestFacts(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/evidence/facts/*.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string][]string{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		headings[name] = []string{}
		for _, m := range factsHeading.FindAllSubmatch(text, -1) {
			if slices.Contains(headings[name], string(m[1])) {
				t.Errorf("docs/evidence/facts/%s.md has two headings %s", name, m[1])
			}
			headings[name] = append(headings[name], string(m[1]))
		}
	}
	cited, count := map[string]bool{}, 0
	kinds := []string{".go", ".md", ".txt", ".txtar", ".yml", ".sh", ".py", ".java"}
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir() || !slices.Contains(kinds, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if old := "docs/" + "facts/"; strings.Contains(string(text), old) {
			t.Errorf("%s: cite facts/PAGE.md and a label, without %s", path, old)
		}
		if m := pageless.Find(text); m != nil {
			t.Errorf("%s: %q names no page of docs/evidence/facts", path, m)
		}
		for _, m := range citations.FindAllSubmatch(text, -1) {
			count++
			page, named := string(m[1]), labels.FindAllString(string(m[2]), -1)
			if len(named) == 0 {
				t.Errorf("%s: no label follows %s on its line", path, m[0])
			}
			for _, l := range named {
				if !slices.Contains(headings[page], l) {
					t.Errorf("%s: docs/evidence/facts/%s.md has no heading %s", path, page, l)
				}
			}
			if filepath.Base(filepath.Dir(path)) != "facts" || filepath.Base(path) != page+".md" {
				cited[page] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if !cited[strings.TrimSuffix(filepath.Base(page), ".md")] {
			t.Errorf("nothing cites %s", page)
		}
	}
	if count < 150 {
		t.Errorf("%d citations of docs/evidence/facts: nothing is guarded", count)
	}
}
