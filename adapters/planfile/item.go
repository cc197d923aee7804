package planfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path/filepath"
	"strconv"
	"unicode/utf8"
)

// A kind is the type of an item.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	mapping
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "a mapping"}[k]
}

// An item is a value of a file, at its position.
type item struct {
	kind      kind
	line, col int    // from 1; columns count characters
	text      string // of a string its value, of another scalar how it is written
	parts     []item // the values of a list; the keys and values of a mapping in turn
}

// size returns the number of values in an item, itself included.
func (it *item) size() int {
	n := 1
	for i := range it.parts {
		n += it.parts[i].size()
	}
	return n
}

// number returns the value of a number, NaN for other values and numbers that are not finite.
func (it *item) number() float64 {
	if n, err := strconv.ParseInt(it.text, 0, 64); it.kind == number && err == nil { // YAML has 0x1F and 1_000
		return float64(n)
	}
	n, err := strconv.ParseFloat(it.text, 64)
	if it.kind != number || err != nil || math.IsInf(n, 0) {
		return math.NaN()
	}
	return n
}

// shown returns a value as messages quote it.
func (it *item) shown() string {
	switch {
	case it.kind == text || len(it.text) > 60:
		return quote(it.text)
	case it.kind == list && len(it.parts) == 0:
		return "an empty list"
	case it.kind >= list:
		return it.kind.String()
	}
	return it.text
}

// fields returns the keys and values of a mapping.
func (it *item) fields() iter.Seq2[*item, *item] {
	return func(yield func(key, value *item) bool) {
		for i := 0; it.kind == mapping && i < len(it.parts); i += 2 {
			if !yield(&it.parts[i], &it.parts[i+1]) {
				return
			}
		}
	}
}

// part returns the value at a key of a mapping or at an index of a list, nil if there is none.
func (it *item) part(step string) *item {
	if i, err := strconv.Atoi(step); it.kind == list && err == nil && i >= 0 && i < len(it.parts) {
		return &it.parts[i]
	}
	for key, value := range it.fields() {
		if key.text == step {
			return value
		}
	}
	return nil
}

// Bounds of a file. The deepest plan has 7 levels.
const (
	maxDepth = 32
	maxItems = 2_000_000
)

// A parser reads a file into items. Its methods panic with an *Error if the file is not valid.
type parser struct {
	src        []byte
	name, noun string
	items      int
}

// parse returns the root of a file, null for an empty file. A file named .json or with JSON in it is read as JSON,
// because that takes a tenth of the time and memory; all others as YAML.
func parse(src []byte, name, noun string) (root item, err error) {
	p := parser{src: src, name: name, noun: noun}
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case *Error:
			root, err = item{}, fault
		default: // goccy/go-yaml may panic on hostile input
			root, err = item{}, &Error{File: name, Message: fmt.Sprintf(
				"the YAML parser failed on this file (%v): write it more plainly, or as JSON", fault)}
		}
	}()
	isObject := bytes.HasPrefix(bytes.TrimLeft(src, " \t\r\n"), []byte("{"))
	switch {
	case !utf8.Valid(src):
		p.fail(0, 0, "this is not text in UTF-8: a %s is YAML or JSON", noun)
	case filepath.Ext(name) == ".json" || isObject && json.Valid(src):
		j := jsonParser{parser: &p, dec: json.NewDecoder(bytes.NewReader(src)), line: 1}
		j.dec.UseNumber()
		return j.root(), nil
	}
	return p.yaml(), nil
}

func (p *parser) fail(line, col int, format string, args ...any) {
	e := &Error{File: p.name, Line: line, Column: col, Message: fmt.Sprintf(format, args...)}
	e.Excerpt = excerpt(p.src, e.Line, e.Column)
	panic(e)
}

// count adds a number of values to those of the file.
func (p *parser) count(n, line, col int) {
	if p.items += n; p.items > maxItems {
		p.fail(line, col, "more than %d values up to here, aliases counted in full: that is no %s that can be handled",
			maxItems, p.noun)
	}
}

func (p *parser) item(k kind, line, col int, s string) item {
	p.count(1, line, col)
	return item{kind: k, line: line, col: col, text: s}
}

// composite returns an empty list or mapping.
func (p *parser) composite(k kind, line, col, depth int) item {
	if depth > maxDepth {
		p.fail(line, col, tooDeep, maxDepth)
	}
	return p.item(k, line, col, "")
}

const tooDeep = "nested more than %d levels deep"

// once reports a key that a mapping has twice.
func (p *parser) once(lines map[string]int, key item) {
	if first, ok := lines[key.text]; ok {
		p.fail(key.line, key.col, "field %s is given twice, first on line %d: keep one", quote(key.text), first)
	}
	lines[key.text] = key.line
}

// A jsonParser reads JSON by the tokens of encoding/json.
type jsonParser struct {
	*parser
	dec  *json.Decoder
	done int // bytes read
	// place counts lines from its last position, so that a file is only scanned once.
	at, start, line int
}

func (p *jsonParser) root() item {
	root := p.value(1)
	p.skip()
	if p.done < len(p.src) {
		line, col := p.place(p.done)
		p.fail(line, col, "there is more after the end of the %s", p.noun)
	}
	return root
}

// place returns the line and column of an offset. Offsets must not decrease.
func (p *jsonParser) place(offset int) (line, col int) {
	for ; p.at < offset && p.at < len(p.src); p.at++ {
		if p.src[p.at] == '\n' {
			p.line, p.start = p.line+1, p.at+1
		}
	}
	if offset-p.start > 4096 { // for a very long line, columns count bytes
		return p.line, offset - p.start + 1
	}
	return p.line, utf8.RuneCount(p.src[p.start:offset]) + 1
}

// skip moves past white space and separators to the next token.
func (p *jsonParser) skip() {
	for p.done < len(p.src) && bytes.IndexByte([]byte(" \t\r\n,:"), p.src[p.done]) >= 0 {
		p.done++
	}
}

func (p *jsonParser) token() (tok json.Token, line, col int) {
	p.skip()
	line, col = p.place(p.done)
	tok, err := p.dec.Token()
	var s *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		line, col = p.place(len(p.src))
		p.fail(line, col, "the file ends in the middle of a value")
	case errors.As(err, &s):
		line, col = p.place(max(p.done, int(s.Offset)-1))
		p.fail(line, col, "%v", err)
	case err != nil:
		p.fail(line, col, "%v", err)
	}
	p.done = int(p.dec.InputOffset())
	return tok, line, col
}

func (p *jsonParser) value(depth int) item {
	tok, line, col := p.token()
	switch v := tok.(type) {
	case bool:
		return p.item(boolean, line, col, strconv.FormatBool(v))
	case string:
		return p.item(text, line, col, v)
	case json.Number:
		return p.item(number, line, col, string(v))
	case json.Delim:
		it := p.composite(list, line, col, depth)
		if v == '{' {
			it.kind = mapping
		}
		// Reserve the items of a list of scalars, which may have a million of them.
		rest := p.src[p.done:]
		if end := bytes.IndexAny(rest, "[]{}"); end >= 0 && v == '[' && rest[end] == ']' {
			it.parts = make([]item, 0, min(maxItems, 1+bytes.Count(rest[:end], []byte(","))))
		}
		lines := map[string]int{}
		for ; p.dec.More(); it.parts = append(it.parts, p.value(depth+1)) {
			if it.kind == mapping {
				tok, line, col := p.token()
				name, _ := tok.(string) // the decoder accepts no other keys
				key := p.item(text, line, col, name)
				p.once(lines, key)
				it.parts = append(it.parts, key)
			}
		}
		p.token()
		return it
	}
	return p.item(null, line, col, "null")
}
