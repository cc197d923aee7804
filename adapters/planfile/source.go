package planfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"strconv"
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

var kindNames = [...]string{"null", "a boolean", "a number", "a string", "a list", "a mapping"}

func (k kind) String() string { return kindNames[k] }

// An item is a value of a file, at its position. The parts of a list or mapping are read as a visitor reaches them,
// once and in the order of the file, so that a file of 64 MB needs no tree.
type item struct {
	kind      kind
	line, col int // from 1; columns count characters
	num       float64
	text      string                // of a string: its value; else as messages quote it
	each      iter.Seq2[item, item] // keys and values of a mapping, values of a list; nil for a scalar
}

// shown returns a value as messages quote it.
func (it *item) shown() string {
	if it.kind == text {
		return quote(it.text)
	}
	return it.text
}

// Bounds of a file. The deepest plan has 7 levels.
const (
	maxDepth = 32
	maxNodes = 5_000_000
)

// A syntax is a syntax error of the file. Line 0 is the file as a whole.
type syntax struct {
	line, col int
	why       string
}

func (e *syntax) Error() string { return e.why }

// at returns the error with its position and an excerpt.
func (e *syntax) at(src []byte, name string) *Error {
	out := &Error{File: name, Line: e.line, Column: e.col, Message: e.why}
	if e.line > 0 {
		out.Excerpt = excerpt(src, e.line, e.col)
	}
	return out
}

// walk visits the root of a file, and reads what the visitor leaves. A file named .json or with JSON in it is read as
// JSON, because that takes a tenth of the memory; all others as YAML.
func walk(src []byte, name, noun string, visit func(root item)) *syntax {
	c := cursor{noun: noun}
	isObject := bytes.HasPrefix(bytes.TrimLeft(src, " \t\r\n"), []byte("{"))
	if filepath.Ext(name) == ".json" || isObject && json.Valid(src) {
		newJSON(&c, src).walk(visit)
		return c.bad
	}
	walkYAML(&c, src, visit)
	return c.bad
}

// A cursor keeps the walk through a file within its bounds.
type cursor struct {
	noun string // the kind of file
	made int
	bad  *syntax // the first error; it ends the walk
}

func (c *cursor) fail(line, col int, why string) {
	if c.bad == nil {
		c.bad = &syntax{line, col, why}
	}
}

// item counts an item. Aliases count in full, so that a few of them cannot stand for billions of values.
func (c *cursor) item(k kind, line, col int, s string) item {
	if c.made++; c.made > maxNodes {
		c.fail(line, col, fmt.Sprintf(
			"more than %d values up to here, aliases counted in full: that is no %s that can be handled", maxNodes,
			c.noun))
	}
	return item{kind: k, line: line, col: col, text: s}
}

// number returns a finite number as the file writes it.
func (c *cursor) number(line, col int, s string) item {
	it := c.item(number, line, col, s)
	var err error
	if it.num, err = strconv.ParseFloat(s, 64); err != nil || math.IsInf(it.num, 0) || math.IsNaN(it.num) {
		c.fail(line, col, quote(s)+" is not a number that can be handled")
	}
	return it
}

// composite returns a list or mapping whose parts visit yields.
func (c *cursor) composite(k kind, line, col, depth int, empty bool, visit func(yield func(key, value item))) item {
	shown := k.String()
	if empty && k == list {
		shown = "an empty list"
	}
	it := c.item(k, line, col, shown)
	if depth > maxDepth {
		c.fail(line, col, tooDeep)
	}
	visited := false
	it.each = func(yield func(key, value item) bool) {
		if visited || c.bad != nil {
			return
		}
		visited = true
		more := true
		visit(func(key, value item) {
			more = more && c.bad == nil && yield(key, value)
			value.drain()
		})
	}
	return it
}

var tooDeep = fmt.Sprintf("nested more than %d levels deep", maxDepth)

// drain reads the parts that were not visited.
func (it *item) drain() {
	if it.each != nil {
		for range it.each { // the walk itself checks the parts
		}
	}
}

// given reports a key that a mapping has already.
func (c *cursor) given(keys map[string]int, key item) {
	if first, ok := keys[key.text]; ok {
		c.fail(key.line, key.col, fmt.Sprintf("field %s is given twice, first on line %d: keep one", quote(key.text),
			first))
	}
	keys[key.text] = key.line
}
