package frame

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestEveryReasonHasWords checks that the words cover the closed set of docs/frames.md.
func TestEveryReasonHasWords(t *testing.T) {
	contract, err := os.ReadFile("../../../../docs/frames.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(contract), "\n*reason*")
	rest, _, _ = strings.Cut(rest, "\n*move reason*")
	names := regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(rest, -1)
	_, rest, _ = strings.Cut(string(contract), "\n*move reason*")
	rest, _, _ = strings.Cut(rest, "\n\n")
	names = append(names, regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(rest, -1)...)
	for _, m := range names {
		if reasons[m[1]] == "" {
			t.Errorf("no words for %s", m[1])
		}
	}
	if len(names) != len(reasons) {
		t.Errorf("%d reasons in the contract, words for %d", len(names), len(reasons))
	}
}
