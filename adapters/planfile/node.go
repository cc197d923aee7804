package planfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A kind is the type of a node.
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

// A node is a value of a file, YAML or JSON, with its position. Aliased nodes are shared, so nodes must not be changed.
type node struct {
	kind      kind
	line, col int32 // from 1; columns count runes
	num       float64
	text      string // of a scalar: as in the file, of a string: its value
	*children        // of a list or mapping
}

// children is a separate struct, so that the numbers of long lists stay small.
type children struct {
	items  []*node // list: its items, mapping: its values
	keys   []*node // mapping: parallel to items
	size   int     // nodes here and below; each alias counts in full
	height int     // levels here and below
}

func (n *node) weight() int {
	if n.children == nil {
		return 1
	}
	return n.size
}

// get returns the value of a key, or nil if there is none.
func (n *node) get(key string) *node {
	if i := n.place(key); i >= 0 {
		return n.items[i]
	}
	return nil
}

// place returns the index of a key, or -1 if there is none.
func (n *node) place(key string) int {
	if n.kind != mapping {
		return -1
	}
	return slices.IndexFunc(n.keys, func(k *node) bool { return k.text == key })
}

// find follows a path of keys and indices as far as it exists.
func (n *node) find(path []string) (at *node, rest []string) {
	for i, step := range path {
		var next *node
		switch {
		case n.kind == mapping:
			next = n.get(step)
		case n.kind == list:
			if at, err := strconv.Atoi(step); err == nil && at >= 0 && at < len(n.items) {
				next = n.items[at]
			}
		}
		if next == nil {
			return n, path[i:]
		}
		n = next
	}
	return n, nil
}

// shown returns a value as messages quote it.
func (n *node) shown() string {
	switch n.kind {
	case text:
		return quote(n.text)
	case boolean, number:
		return n.text
	case list:
		if len(n.items) == 0 {
			return "an empty list"
		}
	}
	return n.kind.String()
}

// pathString formats a path as jobs[0].map.cost[3].
func pathString(path []string) string {
	var b strings.Builder
	for _, step := range path {
		if _, err := strconv.Atoi(step); err == nil {
			b.WriteString("[" + step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}

// quote quotes and shortens a text of a file, so that it cannot send commands to a terminal.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		cut := most
		for cut > 0 && s[cut]&0xC0 == 0x80 { // inside a rune
			cut--
		}
		return strconv.Quote(s[:cut]+"…") + fmt.Sprintf(" (%d bytes)", len(s))
	}
	return strconv.Quote(s)
}

// Bounds of a file's tree. The deepest plan has 7 levels.
const (
	maxDepth = 32
	maxNodes = 5_000_000
)

// A builder makes composite nodes and keeps the tree within its bounds.
type builder struct {
	noun string // the kind of file
	made int
}

func (b *builder) scalar(k kind, line, col int, s string) (*node, *syntax) {
	if b.made++; b.made > maxNodes {
		return nil, b.tooManyValues(line, col)
	}
	return &node{kind: k, line: int32(line), col: int32(col), text: s}, nil
}

func (b *builder) tooManyValues(line, col int) *syntax {
	return &syntax{line, col, fmt.Sprintf(
		"more than %d values up to here, aliases counted in full: that is no %s that can be handled", maxNodes, b.noun)}
}

// composite makes a list (no keys) or a mapping. It counts all values below, with aliases in full, so that a few
// aliases cannot expand to billions of values.
func (b *builder) composite(k kind, line, col int, keys, items []*node) (*node, *syntax) {
	n, err := b.scalar(k, line, col, "")
	if err != nil {
		return nil, err
	}
	n.children = &children{items: items, keys: keys, size: 1, height: 1}
	for _, item := range items {
		if n.size += item.weight(); n.size > maxNodes {
			return nil, b.tooManyValues(line, col)
		}
		if item.children != nil {
			n.height = max(n.height, item.height+1)
		}
	}
	if n.height > maxDepth {
		return nil, tooDeep(line, col)
	}
	if k == mapping {
		if err := duplicate(keys); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func tooDeep(line, col int) *syntax {
	return &syntax{line, col, fmt.Sprintf("nested more than %d levels deep", maxDepth)}
}

func duplicate(keys []*node) *syntax {
	first := make(map[string]*node, len(keys))
	for _, k := range keys {
		if f, ok := first[k.text]; ok {
			return &syntax{int(k.line), int(k.col), fmt.Sprintf("field %s is given twice, first on line %d: keep one",
				quote(k.text), f.line)}
		}
		first[k.text] = k
	}
	return nil
}

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
