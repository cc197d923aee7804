package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	// readmeLines is how long the README may be.
	readmeLines = 135
	// guides is how many pages docs may have, guideWords how many words these may have without the reference, and
	// evidenceWords how many those in docs/evidence. Tables do not count, as programs write most of them.
	guides, guideWords, evidenceWords = 16, 26000, 20000
)

// docsPages reads the README and the pages of docs, by their paths below the root.
func docsPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/evidence/*.md", "docs/evidence/facts/*.md"} {
		paths, err := filepath.Glob("../../" + pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v, %d pages", pattern, err, len(paths))
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			pages[strings.TrimPrefix(filepath.ToSlash(path), "../../")] = string(text)
		}
	}
	return pages
}

// words counts a page's words outside its tables.
func words(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			n += len(strings.Fields(line))
		}
	}
	return n
}

// TestPagesAreShort checks the length of the README, and the number and the words of the pages of docs.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	pages := docsPages(t)
	if n := strings.Count(pages["README.md"], "\n"); n > readmeLines {
		t.Errorf("README.md has %d lines, more than %d", n, readmeLines)
	}
	count, sums := 0, map[string]int{}
	for page, text := range pages {
		folder := filepath.ToSlash(filepath.Dir(page))
		switch {
		case folder == ".":
			continue
		case folder == "docs":
			count++
		default:
			folder = "docs/evidence"
		}
		if page != "docs/reference.md" {
			sums[folder] += words(text)
			t.Logf("%6d %s", words(text), page)
		}
	}
	for folder, limit := range map[string]int{"docs": guideWords, "docs/evidence": evidenceWords} {
		if n := sums[folder]; n == 0 || n > limit {
			t.Errorf("%s has %d words, more than %d: `go test -v -run TestPagesAreShort` shows each page", folder, n, limit)
		}
	}
	if count == 0 || count > guides {
		t.Errorf("docs has %d pages, the limit is %d", count, guides)
	}
}

// TestIndexNamesEveryPage checks that docs/README.md links to each page and schema of docs and docs/evidence.
func TestIndexNamesEveryPage(t *testing.T) {
	t.Parallel()
	index := docsPages(t)["docs/README.md"]
	for _, pattern := range []string{"*.md", "*.json", "evidence/*.md", "evidence/facts/*.md"} {
		paths, err := filepath.Glob(filepath.Join("../../docs", pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v, %d pages", pattern, err, len(paths))
		}
		for _, path := range paths {
			name, err := filepath.Rel("../../docs", path)
			if err != nil {
				t.Fatal(err)
			}
			if name = filepath.ToSlash(name); name != "README.md" && !strings.Contains(index, "]("+name+")") {
				t.Errorf("docs/README.md does not link to %s", name)
			}
		}
	}
}

var (
	pageLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pageHeading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	pageFence   = regexp.MustCompile("(?ms)^```.*?^```")
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestLinksResolve checks that each relative link of a page leads to a file, and to a heading if it names one.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	pages, links := docsPages(t), 0
	for page, text := range pages {
		for _, m := range pageLink.FindAllStringSubmatch(pageFence.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			path, anchor, named := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(page), path))
			}
			if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
				continue
			}
			if other, isPage := pages[target]; named && isPage && !hasHeading(other, anchor) {
				t.Errorf("%s links to %s, and that page has no such heading", page, m[1])
			}
		}
	}
	if links < 200 {
		t.Errorf("%d links: nothing is guarded", links)
	}
}

// hasHeading reports whether a page has a heading that hosts of Markdown give this anchor.
func hasHeading(text, anchor string) bool {
	for _, m := range pageHeading.FindAllStringSubmatch(pageFence.ReplaceAllString(text, ""), -1) {
		title := pageLink.ReplaceAllString(strings.ReplaceAll(m[1], "[", ""), "")
		if strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(title), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// TestVersions: each version of Hadoop that docs/hadoop.md names has a run in docs/evidence/e2e.md that passed.
func TestVersions(t *testing.T) {
	page, err := os.ReadFile("../../docs/hadoop.md")
	if err != nil {
		t.Fatal(err)
	}
	runs, err := os.ReadFile("../../docs/evidence/e2e.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| Hadoop | what ran |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	named := regexp.MustCompile(`\d+\.\d+\.\d+`).FindAllString(table, -1)
	if len(named) < 4 {
		t.Errorf("docs/hadoop.md names %v", named)
	}
	for _, version := range named {
		if !regexp.MustCompile(`(?m)^\| Hadoop ` + regexp.QuoteMeta(version) + `: .* \| passed \|$`).Match(runs) {
			t.Errorf("docs/evidence/e2e.md has no run of Hadoop %s that passed", version)
		}
	}
}
