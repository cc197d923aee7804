package house

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// columns is the width of a line; a tab counts four.
const columns = 120

// spaces are how gofmt aligns the values of keys.
var spaces = regexp.MustCompile(` +`)

// wideLines are the numbers of the lines that are wider than columns, their strings and alignment left out: a string is
// not broken, as people search for what a program printed.
func wideLines(src []byte) (wide []int) {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(src))
	lines := strings.Split(string(src), "\n")
	strung := make([]int, len(lines)) // columns of strings
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, t, text := s.Scan()
		if t == token.EOF {
			break
		}
		if t == token.STRING {
			for i, part := range strings.Split(text, "\n") {
				strung[file.Line(pos)-1+i] += len([]rune(part))
			}
		}
	}
	output := false // of an example, which go test compares
	for i, line := range lines {
		text := strings.TrimLeft(line, "\t")
		if output = strings.HasPrefix(text, "// Output:") || output && strings.HasPrefix(text, "//"); output {
			continue
		}
		indent := strings.Count(line, "\t") * 4
		if indent+len([]rune(spaces.ReplaceAllString(text, " ")))-strung[i] > columns {
			wide = append(wide, i+1)
		}
	}
	return wide
}

// TestColumns checks that lines of Go fit a screen.
func TestColumns(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		files++
		src, err := os.ReadFile(path)
		for _, line := range wideLines(src) {
			t.Errorf("%s:%d is wider than %d columns", path, line, columns)
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
	long := strings.Repeat("x", columns)
	if got := wideLines([]byte("package p\n\nvar " + long + " int\n\nvar s = \"" + long + "\"\n")); len(got) != 1 {
		t.Errorf("wide lines: %v", got)
	}
}
