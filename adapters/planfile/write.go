package planfile

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/paratimer/paratimer/dag"
)

// maxYAML bounds the values that Write writes as YAML. Reading YAML takes ten times the memory of JSON.
const maxYAML = 50_000

// Write writes a plan in YAML or, if it has very many values, in JSON, which is also YAML. Read returns the same plan
// for it, except names that are not UTF-8. Write returns an error if dag.ValidateProfile or w does.
func Write(w io.Writer, p *dag.Plan) error {
	if err := dag.ValidateProfile(p); err != nil {
		return err
	}
	root := treeOf(p)
	if count(root) > maxYAML {
		return printJSON(w, root)
	}
	out := printer{bufio.NewWriter(w)}
	out.mapping(root, 0)
	return out.Flush()
}

func treeOf(p *dag.Plan) *node { return encode(reflect.ValueOf(*fileOf(p))) }

func printJSON(w io.Writer, root *node) error {
	out := printer{bufio.NewWriter(w)}
	out.json(root, 0)
	out.put("\n")
	return out.Flush()
}

func count(n *node) int {
	sum := 1
	if n.children != nil {
		for _, item := range n.items {
			sum += count(item)
		}
	}
	return sum
}

// A printer prints trees. bufio keeps the writer's errors until Flush.
type printer struct{ *bufio.Writer }

func (p *printer) put(s string) { _, _ = p.WriteString(s) }

func (p *printer) indent(depth int) { p.put(strings.Repeat("  ", depth)) }

// mapping prints a mapping in block style. Lists of scalars and tuples, and short mappings of scalars, are printed in
// flow style.
func (p *printer) mapping(n *node, depth int) {
	for i, k := range n.keys {
		if i > 0 || depth == 0 {
			p.indent(depth)
		}
		item := n.items[i]
		p.put(k.text + ":")
		switch {
		case item.children == nil || flat(item):
			p.put(" ")
			p.flow(item, depth+1)
			p.put("\n")
		case item.kind == mapping:
			p.put("\n")
			p.indent(depth + 1)
			p.mapping(item, depth+1)
		default:
			p.put("\n")
			for _, entry := range item.items {
				p.indent(depth)
				p.put("- ")
				if entry.kind == mapping && !flat(entry) {
					p.mapping(entry, depth+1)
					continue
				}
				p.flow(entry, depth+1)
				p.put("\n")
			}
		}
	}
}

// flat reports whether a composite is printed in flow style.
func flat(n *node) bool {
	for _, item := range n.items {
		if item.children != nil && (n.kind == mapping || !tuple(item)) {
			return false
		}
	}
	return n.kind == list || len(n.items) <= 4
}

// tuple reports whether a node is a short list of numbers, such as the size and count of key groups.
func tuple(n *node) bool {
	return n.kind == list && len(n.items) <= 4 &&
		!slices.ContainsFunc(n.items, func(item *node) bool { return item.kind != number })
}

const lineWidth = 110

// width returns the approximate number of characters of a scalar or tuple.
func width(n *node) int {
	if n.children == nil {
		return len(n.text)
	}
	sum := 0
	for _, item := range n.items {
		sum += len(item.text) + 2
	}
	return sum
}

func (p *printer) flow(n *node, depth int) {
	switch n.kind {
	case text:
		p.put(yamlString(n.text))
	case list:
		p.put("[")
		column := 2*depth + 20
		for i, item := range n.items {
			if i > 0 {
				p.put(",")
				if column > lineWidth {
					p.put("\n")
					p.indent(depth + 1)
					column = 2 * depth
				} else {
					p.put(" ")
				}
			}
			column += width(item) + 2
			p.flow(item, depth)
		}
		p.put("]")
	case mapping:
		p.put("{")
		for i, k := range n.keys {
			if i > 0 {
				p.put(", ")
			}
			p.put(k.text + ": ")
			p.flow(n.items[i], depth)
		}
		p.put("}")
	default:
		p.put(n.text)
	}
}

func (p *printer) json(n *node, depth int) {
	switch n.kind {
	case text:
		p.put(quoted(n.text))
	case list, mapping:
		open, shut := "[", "]"
		if n.kind == mapping {
			open, shut = "{", "}"
		}
		p.put(open)
		for i, item := range n.items {
			if i > 0 {
				p.put(",")
			}
			if item.children != nil && !tuple(item) || n.kind == mapping || i%16 == 0 {
				p.put("\n")
				p.indent(depth + 1)
			}
			if n.kind == list && tuple(item) {
				p.flow(item, depth)
				continue
			}
			if n.kind == mapping {
				p.put(quoted(n.keys[i].text) + ": ")
			}
			p.json(item, depth+1)
		}
		if len(n.items) > 0 {
			p.put("\n")
			p.indent(depth)
		}
		p.put(shut)
	default:
		p.put(n.text)
	}
}

var (
	plainWord = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)
	plainTime = regexp.MustCompile(`^[0-9][0-9.]*(e[-+]?[0-9]+)?[a-zA-Zµ][0-9a-zA-Zµ.]*$`)
	special   = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|y|n|null|0x.*|0b.*|0o.*|[0-9.]+e[0-9]*)$`)
)

// yamlString omits quotes if the string is unambiguous without them.
func yamlString(s string) string {
	if (plainWord.MatchString(s) || plainTime.MatchString(s)) && !special.MatchString(s) && len(s) < 80 {
		return s
	}
	return quoted(s)
}

// quoted quotes a string in a form that is valid in JSON and YAML.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x10000 && (!unicode.IsPrint(r) || r == 0xFEFF):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
