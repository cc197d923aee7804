package planfile

import (
	"bytes"
	"fmt"

	"github.com/goccy/go-yaml/token"
)

// Additional bounds of a file in YAML. The library takes up to 500 bytes per byte of input, and its recursion has no
// limit. Its time is quadratic in nesting, in documents, in blank lines and lines of block scalars, and in tabs
// within quotes.
const (
	marks = iota
	blanks
	tabs
	blocks
	documents
)

var bounds = [...]struct {
	most int
	what string
}{
	marks:     {500_000, "values and separators"},
	blanks:    {5_000, "blank lines"},
	tabs:      {5_000, "tabs"},
	blocks:    {10_000, "signs of block scalars (| and >)"},
	documents: {10, "documents"},
}

// measure bounds the work of the lexer before it starts.
func measure(src []byte, noun string) *syntax {
	var have [len(bounds)]int
	empty := true
	for i, c := range src {
		switch c {
		case ' ':
			continue
		case '\t':
			have[tabs]++
			continue
		case '\r', '\n':
			if c == '\r' && i+1 < len(src) && src[i+1] == '\n' {
				continue
			}
			if empty {
				have[blanks]++
			}
			empty = true
			have[marks]++
			if next := src[i+1:]; bytes.HasPrefix(next, []byte("---")) || bytes.HasPrefix(next, []byte("...")) {
				have[documents]++
			}
			continue
		case '|', '>':
			have[blocks]++
		case ',', ':', '[', ']', '{', '}', '-', '?', '#', '&', '*', '!', '"', '\'', '%':
			have[marks]++
		}
		empty = false
	}
	for i, b := range bounds {
		if have[i] > b.most {
			return &syntax{0, 0, fmt.Sprintf("%d %s are too many for YAML (at most %d): write the %s as JSON", have[i],
				b.what, b.most, noun)}
		}
	}
	return nil
}

// shallow bounds the nesting before the parser recurses into it.
func shallow(tokens token.Tokens) *syntax {
	flow, line := 0, 0
	var columns []int // of the open blocks
	colons := 0       // on this line
	opened := true    // the next token begins a block
	entries := 0      // in a row
	for _, t := range tokens {
		pos := t.Position
		if pos.Line != line {
			line, opened, colons = pos.Line, true, 0
		}
		if opened && flow == 0 {
			for len(columns) > 0 && columns[len(columns)-1] >= pos.Column {
				columns = columns[:len(columns)-1]
			}
			columns = append(columns, pos.Column)
		}
		opened = false
		if t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType {
			entries++
		} else {
			entries = 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.SequenceEntryType, token.MappingKeyType:
			opened = true
		case token.MappingValueType:
			if flow == 0 {
				colons++
			}
		case token.TagType, token.AnchorType: // each wraps the next token
			opened = true
		}
		if flow > maxDepth || len(columns) > maxDepth || colons > maxDepth || entries > maxDepth {
			return &syntax{pos.Line, pos.Column, tooDeep}
		}
	}
	return nil
}
