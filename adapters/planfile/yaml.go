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
)

// measure bounds the work of the library. It takes up to 500 bytes of memory per byte of input. Its time is quadratic
// in documents, in blank lines and lines of block scalars, and in tabs within quotes.
func (p *parser) measure() {
	count := func(signs ...string) (n int) {
		for _, sign := range signs {
			n += bytes.Count(p.src, []byte(sign))
		}
		return n
	}
	blanks := count("\r\r")
	for line := range bytes.Lines(p.src) {
		if len(bytes.TrimSpace(line)) == 0 {
			blanks++
		}
	}
	marks := count("\n", ",", ":", "[", "]", "{", "}", "-", "?", "#", "&", "*", "!", `"`, "'", "%")
	for _, bound := range []struct {
		have, most int
		what       string
	}{
		{marks, 500_000, "values and separators"},
		{blanks, 5_000, "blank lines"},
		{count("\t"), 5_000, "tabs"},
		{count("|", ">"), 10_000, "signs of block scalars (| and >)"},
		{count("\n---", "\n...", "\r---", "\r..."), 10, "documents"},
	} {
		if bound.have > bound.most {
			p.fail(0, 0, "%d %s are too many for YAML (at most %d): write the %s as JSON", bound.have, bound.what,
				bound.most, p.noun)
		}
	}
}

// yaml reads a file in YAML, which includes JSON. An empty file is null.
func (p *parser) yaml() item {
	p.measure()
	tokens := lexer.Tokenize(string(p.src))
	p.bound(tokens)
	file, err := yamlparser.Parse(tokens, 0, yamlparser.AllowDuplicateMapKey())
	if err != nil {
		p.yamlFault(err)
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.DirectiveType {
			docs = append(docs, d.Body)
		}
	}
	if len(docs) > 1 {
		line, col := position(docs[1])
		p.fail(line, col, "a second document begins here: a file holds one %s", p.noun)
	}
	if len(docs) == 0 {
		return item{line: 1, col: 1}
	}
	y := yamlParser{parser: p, anchors: map[string]item{}}
	return y.node(docs[0], 1)
}

// bound bounds the nesting before the parser recurses into it.
func (p *parser) bound(tokens token.Tokens) {
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
			p.fail(pos.Line, pos.Column, tooDeep, maxDepth)
		}
	}
}

func (p *parser) yamlFault(err error) {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil && e.GetToken().Position != nil {
		pos := e.GetToken().Position
		why := printable(e.GetMessage())
		if why == "value is not allowed in this context" {
			why += ": is the indentation right?"
		}
		p.fail(pos.Line, pos.Column, "%s", why)
	}
	why, _, _ := strings.Cut(err.Error(), "\n")
	p.fail(1, 1, "%s", printable(why))
}

func position(n ast.Node) (line, col int) {
	pos := n.GetToken().Position
	return pos.Line, pos.Column
}

// decimal matches a number of YAML's core schema (1.2.2, section 10.3.2).
var decimal = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// A yamlParser converts the library's tree.
type yamlParser struct {
	*parser
	anchors map[string]item // of the values that end before
}

func (y *yamlParser) node(n ast.Node, depth int) item {
	tok := n.GetToken()
	line, col := position(n)
	switch n := n.(type) {
	case *ast.NullNode:
		return y.item(null, line, col, "null")
	case *ast.BoolNode:
		return y.item(boolean, line, col, tok.Value)
	case *ast.StringNode:
		if tok.Type == token.StringType && decimal.MatchString(n.Value) { // the library reads 1e3 as a string
			return y.item(number, line, col, n.Value)
		}
		return y.item(text, line, col, n.Value)
	case *ast.LiteralNode:
		return y.item(text, line, col, n.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return y.item(number, line, col, tok.Value)
	case *ast.SequenceNode:
		it := y.composite(list, line, col, depth)
		for _, v := range n.Values {
			it.parts = append(it.parts, y.node(v, depth+1))
		}
		return it
	case *ast.MappingNode:
		return y.mapping(n.Values, line, col, depth)
	case *ast.MappingValueNode:
		return y.mapping([]*ast.MappingValueNode{n}, line, col, depth)
	case *ast.AnchorNode:
		it := y.node(n.Value, depth)
		y.anchors[n.Name.GetToken().Value] = it
		return it
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		it, ok := y.anchors[name]
		if !ok {
			y.fail(line, col, "alias %s has no anchor before it", quote(name))
		}
		y.count(it.size(), line, col) // so that a few aliases cannot stand for billions of values
		return it
	case *ast.TagNode:
		y.fail(line, col, "tags such as %s have no meaning in a %s: leave it out", quote(tok.Value), y.noun)
	}
	y.fail(line, col, "%s has no meaning in a %s", quote(tok.Value), y.noun)
	return item{}
}

// mapping also merges: "<<" adds the fields of another mapping that are not set here.
func (y *yamlParser) mapping(values []*ast.MappingValueNode, line, col int, depth int) item {
	if len(values) > 0 { // a mapping is where its first key is
		line, col = position(values[0].Key)
	}
	it := y.composite(mapping, line, col, depth)
	lines := map[string]int{}
	var merged []item
	for _, v := range values {
		if v.Key.IsMergeKey() {
			merged = append(merged, y.node(v.Value, depth))
			continue
		}
		key := y.node(v.Key, depth)
		if key.kind >= list {
			y.fail(key.line, key.col, "a field's name must be a plain word")
		}
		key.kind = text
		y.once(lines, key)
		it.parts = append(it.parts, key, y.node(v.Value, depth+1))
	}
	for _, from := range merged {
		y.merge(&it, from, lines)
	}
	return it
}

func (y *yamlParser) merge(it *item, from item, lines map[string]int) {
	switch from.kind {
	case list:
		for _, one := range from.parts {
			y.merge(it, one, lines)
		}
	case mapping:
		for key, value := range from.fields() {
			if _, ok := lines[key.text]; !ok {
				lines[key.text] = key.line
				it.parts = append(it.parts, *key, *value)
			}
		}
	default:
		y.fail(from.line, from.col, "<< merges mappings, not %s", from.kind)
	}
}
