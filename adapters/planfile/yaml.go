package planfile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parseYAML parses a file in YAML, which includes JSON.
func parseYAML(src []byte, noun string) (n *node, bad *syntax) {
	if bad := measure(src, noun); bad != nil {
		return nil, bad
	}
	defer func() {
		if r := recover(); r != nil { // the library may panic on hostile input
			n, bad = nil, &syntax{
				1, 1,
				fmt.Sprintf("the YAML parser failed on this file (%v): write it more plainly, or as JSON", r),
			}
		}
	}()
	tokens := lexer.Tokenize(string(src))
	if bad := shallow(tokens); bad != nil {
		return nil, bad
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, yamlFault(err)
	}
	var docs []*ast.DocumentNode
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.DirectiveType {
			docs = append(docs, d)
		}
	}
	if len(docs) == 0 {
		return nil, &syntax{1, 1, "the file holds no " + noun + ": it is empty"}
	}
	if len(docs) > 1 {
		pos := docs[1].Body.GetToken().Position
		return nil, &syntax{pos.Line, pos.Column, "a second document begins here: a file holds one " + noun}
	}
	return (&yamlTree{builder: builder{noun: noun}, anchors: make(map[string]*node)}).node(docs[0].Body)
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

// A yamlTree converts the library's tree to nodes.
type yamlTree struct {
	builder
	anchors map[string]*node
	depth   int
}

func (y *yamlTree) node(n ast.Node) (*node, *syntax) {
	if y.depth++; y.depth > 4*maxDepth { // wrappers (anchors, tags) count too
		pos := n.GetToken().Position
		return nil, tooDeep(pos.Line, pos.Column)
	}
	defer func() { y.depth-- }()
	tok := n.GetToken()
	line, col := tok.Position.Line, tok.Position.Column
	switch n := n.(type) {
	case *ast.NullNode:
		return y.scalar(null, line, col, "null")
	case *ast.BoolNode:
		return y.scalar(boolean, line, col, tok.Value)
	case *ast.StringNode:
		if tok.Type == token.StringType && decimal.MatchString(n.Value) { // the library reads 1e3 as a string
			s, err := y.scalar(number, line, col, n.Value)
			if err == nil {
				s.num, err = finite(n.Value, line, col)
			}
			return s, err
		}
		return y.scalar(text, line, col, n.Value)
	case *ast.LiteralNode:
		return y.scalar(text, line, col, n.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		s, err := y.scalar(number, line, col, tok.Value)
		if err == nil {
			s.num, err = yamlNumber(n, line, col)
		}
		return s, err
	case *ast.InfinityNode, *ast.NanNode:
		return nil, &syntax{line, col, quote(tok.Value) +
			" is not a number that can be handled; leave a field out, or write null, where it is unknown"}
	case *ast.SequenceNode:
		items, err := y.all(n.Values)
		if err != nil {
			return nil, err
		}
		return y.composite(list, line, col, nil, items)
	case *ast.MappingNode:
		return y.mapping(n.Values, line, col)
	case *ast.MappingValueNode:
		return y.mapping([]*ast.MappingValueNode{n}, line, col)
	case *ast.AnchorNode:
		v, err := y.node(n.Value)
		if err == nil {
			y.anchors[n.Name.GetToken().Value] = v
		}
		return v, err
	case *ast.AliasNode:
		v, ok := y.anchors[n.Value.GetToken().Value]
		if !ok {
			return nil, &syntax{line, col, fmt.Sprintf("alias %s has no anchor before it",
				quote(n.Value.GetToken().Value))}
		}
		return v, nil
	case *ast.TagNode:
		return nil, &syntax{line, col, fmt.Sprintf("tags such as %s have no meaning in a %s: leave it out",
			quote(tok.Value), y.noun)}
	}
	return nil, &syntax{line, col, fmt.Sprintf("%s has no meaning in a %s", quote(tok.Value), y.noun)}
}

func yamlNumber(n ast.Node, line, col int) (float64, *syntax) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case int64:
			return float64(v), nil
		case uint64:
			return float64(v), nil
		}
	case *ast.FloatNode:
		if !math.IsInf(n.Value, 0) && !math.IsNaN(n.Value) {
			return n.Value, nil
		}
	}
	return finite(n.GetToken().Value, line, col)
}

func (y *yamlTree) all(values []ast.Node) ([]*node, *syntax) {
	items := make([]*node, 0, len(values))
	for _, v := range values {
		item, err := y.node(v)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// mapping also merges: "<<" adds the fields of another mapping that are not set here.
func (y *yamlTree) mapping(values []*ast.MappingValueNode, line, col int) (*node, *syntax) {
	var keys, items []*node
	var merged []*node
	for _, v := range values {
		tok := v.Key.GetToken()
		item, err := y.node(v.Value)
		if err != nil {
			return nil, err
		}
		if v.Key.IsMergeKey() {
			if item.kind == list {
				merged = append(merged, item.items...)
			} else {
				merged = append(merged, item)
			}
			continue
		}
		name, err := y.key(v.Key)
		if err != nil {
			return nil, err
		}
		if len(keys) == 0 {
			line, col = tok.Position.Line, tok.Position.Column
		}
		keys, items = append(keys, name), append(items, item)
	}
	own := make(map[string]bool, len(keys))
	for _, k := range keys {
		own[k.text] = true
	}
	for _, m := range merged {
		if m.kind != mapping {
			return nil, &syntax{line, col, "<< merges mappings, not " + m.kind.String()}
		}
		for i, k := range m.keys {
			if !own[k.text] {
				own[k.text] = true
				keys, items = append(keys, k), append(items, m.items[i])
			}
		}
	}
	return y.composite(mapping, line, col, keys, items)
}

func (y *yamlTree) key(k ast.MapKeyNode) (*node, *syntax) {
	pos := k.GetToken().Position
	switch k := k.(type) {
	case *ast.StringNode:
		return y.scalar(text, pos.Line, pos.Column, k.Value)
	case *ast.BoolNode, *ast.NullNode, *ast.IntegerNode, *ast.FloatNode:
		return y.scalar(text, pos.Line, pos.Column, k.GetToken().Value)
	}
	return nil, &syntax{pos.Line, pos.Column, "a field's name must be a plain word"}
}

// looksLikeJSON reports whether the first character of a file opens an object.
func looksLikeJSON(src []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(src, " \t\r\n"), []byte("{"))
}
