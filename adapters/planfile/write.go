package planfile

import (
	"encoding"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/paratimer/paratimer/dag"
)

// maxYAML bounds the values that Write writes as YAML. Reading YAML takes ten times the memory of JSON.
const maxYAML = 50_000

// Write writes a plan in YAML or, if it has very many values, in JSON, which is also YAML. Read returns the same plan
// for it, except names that are not UTF-8. Write returns an error if dag.ValidateProfile or w does.
func Write(w io.Writer, p *dag.Plan) error {
	return write(w, p, false)
}

// WriteJSON is Write in JSON for any size, so that the plan can be part of another file.
func WriteJSON(w io.Writer, p *dag.Plan) error {
	return write(w, p, true)
}

func write(w io.Writer, p *dag.Plan, isJSON bool) error {
	if err := dag.ValidateProfile(p); err != nil {
		return err
	}
	root, _ := encode(reflect.ValueOf(*fileOf(p)), rootOf(reflect.TypeFor[file]()))
	out := printer{isJSON: isJSON || count(root) > maxYAML}
	if out.isJSON {
		out.flow(root, "\n  ")
	} else {
		out.block(root.(yaml.MapSlice), "\n")
	}
	_, err := io.WriteString(w, out.b.String()+"\n")
	return err
}

// encode converts a field to a value that can be printed: nil, a string, a json.Number, a list or a mapping. It
// returns false for a value that is left out.
func encode(v reflect.Value, f *field) (any, bool) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, false
		}
		value, _ := encode(v.Elem(), f)
		return value, true // {} is a pipeline with unknown values
	}
	if f.form.write != nil {
		value := f.form.write(v)
		always := f.is["required"] || f.is["optional"] || f.tag.Get("default") != ""
		return value, (value != nil || f.is["null"]) && (always || !v.IsZero())
	}
	if words, ok := v.Interface().(encoding.TextMarshaler); ok {
		if word, err := words.MarshalText(); err == nil && len(word) > 0 {
			return string(word), true
		}
	}
	if v.Kind() == reflect.Slice {
		list := make([]any, v.Len())
		for i := range list {
			list[i], _ = encode(v.Index(i), f.item)
		}
		return list, len(list) > 0
	}
	fields := yaml.MapSlice{}
	for _, part := range f.fields {
		if value, ok := encode(v.FieldByIndex(part.index), part); ok {
			fields = append(fields, yaml.MapItem{Key: part.name, Value: value})
		}
	}
	return fields, len(fields) > 0
}

// numberText prefers digits to powers of ten if both are exact: 2500000, not 2.5e+06.
func numberText(v float64) json.Number {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return json.Number(strconv.FormatInt(int64(v), 10))
	}
	return json.Number(strconv.FormatFloat(v, 'g', -1, 64))
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

// A printer prints values in lines of lineWidth characters, unless a single value is longer.
type printer struct {
	isJSON bool
	b      strings.Builder
	column int
}

const lineWidth = 110

func (p *printer) put(s string) {
	p.b.WriteString(s)
	p.column += len(s)
}

// begin begins a line. line is a line break and the indentation.
func (p *printer) begin(line string) {
	p.column = 0
	p.put(line)
}

// block prints a mapping in YAML's block style. Lists without mappings, and short mappings of scalars, are printed in
// flow style.
func (p *printer) block(fields yaml.MapSlice, line string) {
	deeper := line + "  "
	for i, field := range fields {
		if i > 0 {
			p.begin(line)
		}
		p.put(field.Key.(string) + ":")
		fields, isMapping := field.Value.(yaml.MapSlice)
		switch list, _ := field.Value.([]any); {
		case isFlat(field.Value):
			p.put(" ")
			p.flow(field.Value, deeper)
		case isMapping:
			p.begin(deeper)
			p.block(fields, deeper)
		default:
			for _, entry := range list {
				p.begin(line + "- ")
				if fields, ok := entry.(yaml.MapSlice); ok && !isFlat(entry) {
					p.block(fields, deeper)
				} else {
					p.flow(entry, deeper)
				}
			}
		}
	}
}

// isFlat reports whether a value is printed in flow style.
func isFlat(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool {
			_, isMapping := item.(yaml.MapSlice)
			return isMapping
		})
	case yaml.MapSlice:
		return len(v) <= 4 && !slices.ContainsFunc(v, func(f yaml.MapItem) bool { return count(f.Value) > 1 })
	}
	return true
}

// flow prints a value in JSON, or in YAML's flow style. line begins another line of it.
func (p *printer) flow(v any, line string) {
	next := func(i int) {
		switch {
		case i > 0 && p.column > lineWidth:
			p.put(",")
			p.begin(line)
		case i > 0:
			p.put(", ")
		}
	}
	switch v := v.(type) {
	case []any:
		p.put("[")
		for i, item := range v {
			next(i)
			p.flow(item, line)
		}
		p.put("]")
	case yaml.MapSlice:
		p.put("{")
		for i, f := range v {
			next(i)
			p.flow(f.Key, line)
			p.put(": ")
			p.flow(f.Value, line)
		}
		p.put("}")
	case string:
		p.put(p.text(v))
	case json.Number:
		p.put(string(v))
	default:
		p.put("null")
	}
}

var (
	plainText = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_./-]*|[0-9][0-9.]*(e[-+]?[0-9]+)?[a-zA-Zµ][0-9a-zA-Zµ.]*)$`)
	special   = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|y|n|null|0x.*|0b.*|0o.*|[0-9.]+e[0-9]*)$`)
)

// text quotes a text. YAML needs no quotes if it is unambiguous without them.
func (p *printer) text(s string) string {
	if !p.isJSON && plainText.MatchString(s) && !special.MatchString(s) && len(s) < 80 {
		return s
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string has no error
	return strings.TrimSuffix(b.String(), "\n")
}
