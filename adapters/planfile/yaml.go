package planfile

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/units"
)

// measure bounds the work of the library. It takes up to 500 bytes of memory per byte of input. Its time is quadratic
// in documents, in blank lines and lines of block scalars, and in tabs within quotes.
func (d *Document) measure() {
	count := func(signs ...string) (n int) {
		for _, sign := range signs {
			n += bytes.Count(d.src, []byte(sign))
		}
		return n
	}
	blanks := count("\r\r")
	for line := range bytes.Lines(d.src) {
		if len(bytes.TrimSpace(line)) == 0 {
			blanks++
		}
	}
	marks := count("\n", ",", ":", "[", "]", "{", "}", "-", "?", "#", "&", "*", "!", `"`, "'", "%")
	d.atMost(500_000, marks, "values and separators")
	d.atMost(5_000, blanks, "blank lines")
	d.atMost(5_000, count("\t"), "tabs")
	d.atMost(10_000, count("|", ">"), "signs of block scalars (| and >)")
	d.atMost(10, count("\n---", "\n...", "\r---", "\r..."), "documents")
}

func (d *Document) atMost(most, have int, what string) {
	if have > most {
		d.fail(place{}, "%d %s are too many for YAML (at most %d): write the %s as JSON", have, what, most, d.noun)
	}
}

// yaml reads a file in YAML, which includes JSON. An empty file is null.
func (d *Document) yaml() item {
	d.measure()
	tokens := lexer.Tokenize(string(d.src))
	d.bound(tokens)
	file, err := yamlparser.Parse(tokens, 0, yamlparser.AllowDuplicateMapKey())
	if err != nil {
		d.yamlFault(err)
	}
	docs := input.Only(file.Docs, func(doc *ast.DocumentNode) bool {
		return doc.Body != nil && doc.Body.Type() != ast.DirectiveType
	})
	switch len(docs) {
	case 0:
		return item{place: place{1, 1}}
	case 1:
		y := yamlParser{Document: d, anchors: map[string]item{}}
		return y.node(docs[0].Body, 1)
	}
	d.fail(placeOf(docs[1].Body), "a second document begins here: a file has one %s", d.noun)
	return item{}
}

// bound bounds the nesting before the parser recurses into it.
func (d *Document) bound(tokens token.Tokens) {
	flow, line := 0, 0
	var columns []int    // of the open blocks
	opened, last := 0, 0 // signs on this line that open a value, and whether the last token was one
	for _, t := range tokens {
		pos := t.Position
		if pos.Line != line && flow == 0 {
			for len(columns) > 0 && columns[len(columns)-1] >= pos.Column {
				columns = columns[:len(columns)-1]
			}
			columns = append(columns, pos.Column)
		}
		if pos.Line != line && (flow == 0 || last == 0) {
			opened = 0
		}
		line, last = pos.Line, 0
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType:
			last = 1
		case token.MappingValueType:
			if flow == 0 {
				last = 1
			}
		}
		if opened += last; flow > maxDepth || len(columns) > maxDepth || opened > maxDepth {
			d.fail(place{pos.Line, pos.Column}, tooDeep, maxDepth)
		}
	}
}

func (d *Document) yamlFault(err error) {
	at := place{1, 1}
	why, _, _ := strings.Cut(err.Error(), "\n")
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil && e.GetToken().Position != nil {
		at, why = place{e.GetToken().Position.Line, e.GetToken().Position.Column}, e.GetMessage()
	}
	if why == "value is not allowed in this context" {
		why += ": is the indentation right?"
	}
	d.fail(at, "%s", printable(why))
}

func placeOf(n ast.Node) place {
	pos := n.GetToken().Position
	return place{pos.Line, pos.Column}
}

// decimal matches a number of YAML's core schema (1.2.2, section 10.3.2).
var decimal = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// A yamlParser converts the library's tree.
type yamlParser struct {
	*Document
	anchors map[string]item // of the values that end before
}

func (y *yamlParser) node(n ast.Node, depth int) item {
	tok, at := n.GetToken(), placeOf(n)
	switch n := n.(type) {
	case *ast.NullNode:
		return y.item(null, at, "null")
	case *ast.BoolNode:
		return y.item(boolean, at, tok.Value)
	case *ast.StringNode:
		if tok.Type == token.StringType && decimal.MatchString(n.Value) { // the library reads 1e3 as a string
			return y.item(number, at, n.Value)
		}
		return y.item(text, at, n.Value)
	case *ast.LiteralNode:
		return y.item(text, at, n.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return y.item(number, at, tok.Value)
	case *ast.SequenceNode:
		it := y.composite(list, at, depth)
		it.parts = units.Each(n.Values, func(v ast.Node) item { return y.node(v, depth+1) })
		return it
	case *ast.MappingNode:
		return y.mapping(n.Values, at, depth)
	case *ast.MappingValueNode:
		return y.mapping([]*ast.MappingValueNode{n}, at, depth)
	case *ast.AnchorNode:
		it := y.node(n.Value, depth)
		y.anchors[n.Name.GetToken().Value] = it
		return it
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		it, ok := y.anchors[name]
		if !ok {
			y.fail(at, "alias %s has no anchor before it", quote(name))
		}
		y.count(it.size(), at) // so that a few aliases cannot stand for billions of values
		return it
	}
	y.fail(at, "%s has no meaning in a %s: write it without", quote(tok.Value), y.noun)
	return item{}
}

func (y *yamlParser) mapping(values []*ast.MappingValueNode, at place, depth int) item {
	if len(values) > 0 { // a mapping is where its first key is
		at = placeOf(values[0].Key)
	}
	it := y.composite(mapping, at, depth)
	lines := map[string]int{}
	for _, v := range values {
		key := y.node(v.Key, depth)
		if key.kind >= list {
			y.fail(key.place, "a field's name must be a plain word")
		}
		key.kind = text
		y.once(lines, key)
		it.parts = append(it.parts, key, y.node(v.Value, depth+1))
	}
	return it
}
