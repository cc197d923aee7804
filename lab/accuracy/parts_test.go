package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestParts: each part of the model can still be left out; its source may have changed since.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, p := range slices.Concat(parts, tezParts, sparkParts) {
		for _, e := range p.edits {
			text, err := os.ReadFile(filepath.Join("..", "..", e.File))
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), e.Old); n != 1 {
				t.Errorf("%s: %q stands %d times in %s, want once", p.name, e.Old, n, e.File)
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), e.File, strings.Replace(string(text), e.Old, e.New, 1),
				0); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
		}
	}
}
