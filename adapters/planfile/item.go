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

// A place is a position in a file, from 1. Columns count characters.
type place struct{ line, col int }

// An item is a value of a file, at its position.
type item struct {
	kind kind
	place
	text  string // of a string its value, of another scalar how it is written
	parts []item // the values of a list; the keys and values of a mapping in turn
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

// parse returns the root of the file, null for an empty file. A file named .json or with JSON in it is read as JSON,
// because that takes a tenth of the time and memory; all others as YAML. It and what it calls panic with an *Error if
// the file is not valid.
func (d *Document) parse() item {
	isObject := bytes.HasPrefix(bytes.TrimLeft(d.src, " \t\r\n"), []byte("{"))
	switch {
	case !utf8.Valid(d.src):
		d.fail(place{}, "this is not text in UTF-8: a %s is YAML or JSON", d.noun)
	case filepath.Ext(d.name) == ".json" || isObject && json.Valid(d.src):
		return d.json()
	}
	return d.yaml()
}

func (d *Document) fail(at place, format string, args ...any) {
	panic(&Error{
		File: d.name, Line: at.line, Column: at.col, Message: fmt.Sprintf(format, args...),
		Excerpt: excerpt(d.src, at),
	})
}

// count adds a number of values to those of the file.
func (d *Document) count(n int, at place) {
	if d.values += n; d.values > maxItems {
		d.fail(at, "more than %d values up to here, aliases counted in full: that is no %s that can be handled",
			maxItems, d.noun)
	}
}

func (d *Document) item(k kind, at place, s string) item {
	d.count(1, at)
	return item{kind: k, place: at, text: s}
}

// composite returns an empty list or mapping.
func (d *Document) composite(k kind, at place, depth int) item {
	if depth > maxDepth {
		d.fail(at, tooDeep, maxDepth)
	}
	return d.item(k, at, "")
}

const tooDeep = "nested more than %d levels deep"

// once reports a key that a mapping has twice.
func (d *Document) once(lines map[string]int, key item) {
	if first, ok := lines[key.text]; ok {
		d.fail(key.place, "field %s is given twice, first on line %d: keep one", quote(key.text), first)
	}
	lines[key.text] = key.line
}

// json reads a file in JSON by the tokens of encoding/json.
func (d *Document) json() item {
	j := jsonParser{Document: d, dec: json.NewDecoder(bytes.NewReader(d.src)), place: place{1, 1}}
	j.dec.UseNumber()
	root := j.value(1)
	if rest := bytes.TrimLeft(d.src[j.dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		d.fail(j.at(len(d.src)-len(rest)), "there is more after the end of the %s", d.noun)
	}
	return root
}

type jsonParser struct {
	*Document
	dec    *json.Decoder
	offset int // of the place
	place
}

// at returns the place of an offset. Offsets must not decrease, so that a file is only scanned once.
func (p *jsonParser) at(offset int) place {
	for ; p.offset < offset; p.offset++ {
		switch c := p.src[p.offset]; {
		case c == '\n':
			p.place = place{p.line + 1, 1}
		case utf8.RuneStart(c):
			p.col++
		}
	}
	return p.place
}

func (p *jsonParser) token() (json.Token, place) {
	begin := int(p.dec.InputOffset())
	for begin < len(p.src) && bytes.IndexByte([]byte(" \t\r\n,:"), p.src[begin]) >= 0 {
		begin++
	}
	at := p.at(begin)
	tok, err := p.dec.Token()
	var s *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		p.fail(p.at(len(p.src)), "the file ends in the middle of a value")
	case errors.As(err, &s):
		p.fail(p.at(max(begin, int(s.Offset)-1)), "%v", err)
	case err != nil:
		p.fail(at, "%v", err)
	}
	return tok, at
}

func (p *jsonParser) value(depth int) item {
	tok, at := p.token()
	switch v := tok.(type) {
	case bool:
		return p.item(boolean, at, strconv.FormatBool(v))
	case string:
		return p.item(text, at, v)
	case json.Number:
		return p.item(number, at, string(v))
	case json.Delim:
		it := p.composite(list, at, depth)
		if v == '{' {
			it.kind = mapping
		}
		// Reserve the items of a list of scalars, which may have a million of them.
		rest := p.src[p.dec.InputOffset():]
		if end := bytes.IndexAny(rest, "[]{}"); end >= 0 && v == '[' && rest[end] == ']' {
			it.parts = make([]item, 0, min(maxItems, 1+bytes.Count(rest[:end], []byte(","))))
		}
		lines := map[string]int{}
		for ; p.dec.More(); it.parts = append(it.parts, p.value(depth+1)) {
			if it.kind == mapping {
				tok, at := p.token()
				name, _ := tok.(string) // the decoder accepts no other keys
				key := p.item(text, at, name)
				p.once(lines, key)
				it.parts = append(it.parts, key)
			}
		}
		p.token()
		return it
	}
	return p.item(null, at, "null")
}
