package planfile

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// walkYAML walks through a file in YAML, which includes JSON.
func walkYAML(c *cursor, src []byte, visit func(root item)) {
	if c.bad = measure(src, c.noun); c.bad != nil {
		return
	}
	defer func() {
		if r := recover(); r != nil { // the library may panic on hostile input
			c.fail(1, 1, fmt.Sprintf("the YAML parser failed on this file (%v): write it more plainly, or as JSON", r))
		}
	}()
	tokens := lexer.Tokenize(string(src))
	if c.bad = shallow(tokens); c.bad != nil {
		return
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		c.bad = yamlFault(err)
		return
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.DirectiveType {
			docs = append(docs, d.Body)
		}
	}
	switch {
	case len(docs) == 0:
		c.fail(1, 1, "the file holds no "+c.noun+": it is empty")
		return
	case len(docs) > 1:
		pos := docs[1].GetToken().Position
		c.fail(pos.Line, pos.Column, "a second document begins here: a file holds one "+c.noun)
		return
	}
	w := yamlWalk{cursor: c, anchors: make(map[string]ast.Node)}
	if root := w.node(docs[0], 1); c.bad == nil {
		visit(root)
		root.drain()
	}
}

func yamlFault(err error) *syntax {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil && e.GetToken().Position != nil {
		pos := e.GetToken().Position
		why := printable(e.GetMessage())
		if why == "value is not allowed in this context" {
			why += ": is the indentation right?"
		}
		return &syntax{pos.Line, pos.Column, why}
	}
	why, _, _ := strings.Cut(err.Error(), "\n")
	return &syntax{1, 1, printable(why)}
}

// decimal matches a number of YAML's core schema (1.2.2, section 10.3.2).
var decimal = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// A yamlWalk walks through the library's tree.
type yamlWalk struct {
	*cursor
	anchors map[string]ast.Node // of the values that have been visited
}

func (w *yamlWalk) node(n ast.Node, depth int) item {
	tok := n.GetToken()
	line, col := tok.Position.Line, tok.Position.Column
	switch n := n.(type) {
	case *ast.NullNode:
		return w.item(null, line, col, "null")
	case *ast.BoolNode:
		return w.item(boolean, line, col, tok.Value)
	case *ast.StringNode:
		if tok.Type == token.StringType && decimal.MatchString(n.Value) { // the library reads 1e3 as a string
			return w.number(line, col, n.Value)
		}
		return w.item(text, line, col, n.Value)
	case *ast.LiteralNode:
		return w.item(text, line, col, n.Value.Value)
	case *ast.IntegerNode: // with underscores, or in another base
		it := w.item(number, line, col, tok.Value)
		it.num, _ = strconv.ParseFloat(fmt.Sprint(n.Value), 64)
		return it
	case *ast.FloatNode:
		it := w.number(line, col, strconv.FormatFloat(n.Value, 'g', -1, 64))
		it.text = tok.Value
		return it
	case *ast.InfinityNode, *ast.NanNode:
		w.fail(line, col, quote(tok.Value)+
			" is not a number that can be handled; leave a field out, or write null, where it is unknown")
	case *ast.SequenceNode:
		return w.composite(list, line, col, depth, len(n.Values) == 0, func(yield func(key, value item)) {
			for _, v := range n.Values {
				yield(item{}, w.node(v, depth+1))
			}
		})
	case *ast.MappingNode:
		return w.mapping(n.Values, line, col, depth)
	case *ast.MappingValueNode:
		return w.mapping([]*ast.MappingValueNode{n}, line, col, depth)
	case *ast.AnchorNode:
		return w.anchor(n.Name.GetToken().Value, n.Value, depth)
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		if v, ok := w.anchors[name]; ok {
			return w.node(v, depth)
		}
		w.fail(line, col, fmt.Sprintf("alias %s has no anchor before it", quote(name)))
	case *ast.TagNode:
		w.fail(line, col, fmt.Sprintf("tags such as %s have no meaning in a %s: leave it out", quote(tok.Value),
			w.noun))
	default:
		w.fail(line, col, fmt.Sprintf("%s has no meaning in a %s", quote(tok.Value), w.noun))
	}
	return item{kind: null, text: "null"}
}

// anchor returns a value that aliases may refer to after it.
func (w *yamlWalk) anchor(name string, n ast.Node, depth int) item {
	it := w.node(n, depth)
	if alias, ok := n.(*ast.AliasNode); ok {
		n = w.anchors[alias.Value.GetToken().Value] // so that an anchor never stands for itself
	}
	parts := it.each
	if parts == nil {
		w.anchors[name] = n
		return it
	}
	it.each = func(yield func(key, value item) bool) {
		parts(yield)
		w.anchors[name] = n
	}
	return it
}

// mapping also merges: "<<" adds the fields of another mapping that are not set here.
func (w *yamlWalk) mapping(values []*ast.MappingValueNode, line, col, depth int) item {
	if len(values) > 0 { // a mapping is where its first key is
		pos := values[0].Key.GetToken().Position
		line, col = pos.Line, pos.Column
	}
	return w.composite(mapping, line, col, depth, false, func(yield func(key, value item)) {
		own := make(map[string]int, len(values))
		var merged []item
		for _, v := range values {
			if w.bad != nil {
				return
			}
			if v.Key.IsMergeKey() {
				merged = append(merged, w.node(v.Value, depth))
				continue
			}
			key := w.key(v.Key)
			w.given(own, key)
			yield(key, w.node(v.Value, depth+1))
		}
		for _, m := range merged {
			w.merge(m, own, yield)
		}
	})
}

func (w *yamlWalk) merge(m item, own map[string]int, yield func(key, value item)) {
	switch m.kind {
	case list:
		for _, one := range m.each {
			w.merge(one, own, yield)
		}
	case mapping:
		for key, value := range m.each {
			if _, ok := own[key.text]; !ok {
				own[key.text] = key.line
				yield(key, value)
			}
		}
	default:
		w.fail(m.line, m.col, "<< merges mappings, not "+m.kind.String())
	}
}

func (w *yamlWalk) key(k ast.MapKeyNode) item {
	pos := k.GetToken().Position
	switch k := k.(type) {
	case *ast.StringNode:
		return w.item(text, pos.Line, pos.Column, k.Value)
	case *ast.BoolNode, *ast.NullNode, *ast.IntegerNode, *ast.FloatNode:
		return w.item(text, pos.Line, pos.Column, k.GetToken().Value)
	}
	w.fail(pos.Line, pos.Column, "a field's name must be a plain word")
	return item{}
}
