package planfile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

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
	root := valuesOf(p)
	if count(root) > maxYAML {
		return printJSON(w, root)
	}
	out := printer{bufio.NewWriter(w)}
	out.mapping(root, 0)
	return out.Flush()
}

// WriteJSON is Write in JSON for any size, so that the plan can be part of another file.
func WriteJSON(w io.Writer, p *dag.Plan) error {
	if err := dag.ValidateProfile(p); err != nil {
		return err
	}
	return printJSON(w, valuesOf(p))
}

func valuesOf(p *dag.Plan) yaml.MapSlice {
	root, _ := encode(reflect.ValueOf(*fileOf(p)), &field{})
	return root.(yaml.MapSlice)
}

func printJSON(w io.Writer, root yaml.MapSlice) error {
	out := printer{bufio.NewWriter(w)}
	out.json(root, 0)
	out.put("\n")
	return out.Flush()
}

func count(v any) int {
	sum := 1
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			sum += count(item)
		}
	case yaml.MapSlice:
		for _, item := range v {
			sum += count(item.Value)
		}
	}
	return sum
}

// A printer prints values. bufio keeps the writer's errors until Flush.
type printer struct{ *bufio.Writer }

func (p *printer) put(s string) { _, _ = p.WriteString(s) }

func (p *printer) indent(depth int) { p.put(strings.Repeat("  ", depth)) }

// mapping prints a mapping in block style. Lists of scalars and tuples, and short mappings of scalars, are printed in
// flow style.
func (p *printer) mapping(fields yaml.MapSlice, depth int) {
	for i, field := range fields {
		if i > 0 || depth == 0 {
			p.indent(depth)
		}
		p.put(field.Key.(string) + ":")
		switch v := field.Value.(type) {
		case yaml.MapSlice:
			if !flat(v) {
				p.put("\n")
				p.indent(depth + 1)
				p.mapping(v, depth+1)
				continue
			}
		case []any:
			if !flat(v) {
				p.put("\n")
				p.entries(v, depth)
				continue
			}
		}
		p.put(" ")
		p.flow(field.Value, depth+1)
		p.put("\n")
	}
}

func (p *printer) entries(list []any, depth int) {
	for _, entry := range list {
		p.indent(depth)
		p.put("- ")
		if m, ok := entry.(yaml.MapSlice); ok && !flat(m) {
			p.mapping(m, depth+1)
			continue
		}
		p.flow(entry, depth+1)
		p.put("\n")
	}
}

// flat reports whether a list or mapping is printed in flow style.
func flat(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return isComposite(item) && !tuple(item) })
	case yaml.MapSlice:
		return len(v) <= 4 && !slices.ContainsFunc(v, func(f yaml.MapItem) bool { return isComposite(f.Value) })
	}
	return true
}

func isComposite(v any) bool {
	switch v.(type) {
	case []any, yaml.MapSlice:
		return true
	}
	return false
}

// tuple reports whether a value is a short list of numbers, such as the size and count of key groups.
func tuple(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) <= 4 && !slices.ContainsFunc(list, func(item any) bool {
		_, isNumber := item.(json.Number)
		return !isNumber
	})
}

const lineWidth = 110

// width returns the approximate number of characters of a scalar or tuple.
func width(v any) int {
	list, ok := v.([]any)
	if !ok {
		return len(scalar(v))
	}
	sum := 0
	for _, item := range list {
		sum += len(scalar(item)) + 2
	}
	return sum
}

// scalar returns a scalar without quotes.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	}
	return "null"
}

func (p *printer) flow(v any, depth int) {
	switch v := v.(type) {
	case string:
		p.put(yamlString(v))
	case []any:
		p.put("[")
		column := 2*depth + 20
		for i, item := range v {
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
	case yaml.MapSlice:
		p.put("{")
		for i, f := range v {
			if i > 0 {
				p.put(", ")
			}
			p.put(f.Key.(string) + ": ")
			p.flow(f.Value, depth)
		}
		p.put("}")
	default:
		p.put(scalar(v))
	}
}

func (p *printer) json(v any, depth int) {
	next := func(i int, isShort bool) {
		if i > 0 {
			p.put(",")
		}
		if !isShort || i%16 == 0 {
			p.put("\n")
			p.indent(depth + 1)
		}
	}
	end := func(n int, bracket string) {
		if n > 0 {
			p.put("\n")
			p.indent(depth)
		}
		p.put(bracket)
	}
	switch v := v.(type) {
	case string:
		p.put(quoted(v))
	case []any:
		p.put("[")
		for i, item := range v {
			next(i, !isComposite(item) || tuple(item))
			if tuple(item) {
				p.flow(item, depth)
			} else {
				p.json(item, depth+1)
			}
		}
		end(len(v), "]")
	case yaml.MapSlice:
		p.put("{")
		for i, f := range v {
			next(i, false)
			p.put(quoted(f.Key.(string)) + ": ")
			p.json(f.Value, depth+1)
		}
		end(len(v), "}")
	default:
		p.put(scalar(v))
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
