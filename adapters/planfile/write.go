package planfile

import (
	"encoding/json"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// maxYAML bounds the values that Write writes as YAML. Reading YAML takes ten times the memory of JSON.
const maxYAML = 50_000

// Write writes a plan in YAML or, if it has very many values, in JSON, which is also YAML. Read returns the same plan
// for it, except names that are not UTF-8. Write returns an error if dag.ValidateProfile or w does.
func Write(w io.Writer, p *dag.Plan) error {
	return write(w, p, maxYAML)
}

// WriteJSON is Write in JSON for any size, so that the plan can be part of another file.
func WriteJSON(w io.Writer, p *dag.Plan) error {
	return write(w, p, 0)
}

func write(w io.Writer, p *dag.Plan, maxYAML int) error {
	if err := dag.ValidateProfile(p); err != nil {
		return err
	}
	return Encode(w, *fileOf(p), maxYAML)
}

// Encode writes a value that Decode reads in YAML, or in JSON if it has more than maxYAML values.
func Encode(w io.Writer, v any, maxYAML int) error {
	root, _ := encode(reflect.ValueOf(v), Describe(reflect.TypeOf(v)))
	out := printer{isJSON: root.size() > maxYAML}
	if out.isJSON {
		out.flow(&root, "\n  ")
	} else {
		out.block(&root, "\n")
	}
	_, err := io.WriteString(w, out.b.String()+"\n")
	return err
}

// encode converts a field to an item. It returns false for a value that is left out.
func encode(v reflect.Value, f *Spec) (it item, isGiven bool) {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return item{}, false
	case v.Kind() == reflect.Pointer:
		it, _ = encode(v.Elem(), f)
		return it, true // {} is a pipeline with unknown values
	case f.form.write != nil:
		it = f.form.write(v)
		always := f.Is("required") || f.Is("optional") || f.Tag.Get("default") != ""
		return it, (it.kind != null || f.Is("null")) && (always || !v.IsZero())
	case v.Kind() == reflect.Struct && f.Words != nil && v.Field(0).String() != "":
		return textItem(v.Field(0).String()), true
	case v.Kind() == reflect.Slice:
		it.kind = list
		for i := range v.Len() {
			part, _ := encode(v.Index(i), f.Item)
			it.parts = append(it.parts, part)
		}
	default:
		it.kind = mapping
		for _, part := range f.Fields {
			if value, ok := encode(v.FieldByIndex(part.index), part); ok {
				it.parts = append(it.parts, textItem(part.Name), value)
			}
		}
	}
	return it, len(it.parts) > 0
}

func textItem(s string) item { return item{kind: text, text: s} }

// numberItem prefers digits to powers of ten if both are exact: 2500000, not 2.5e+06.
func numberItem(v float64) item {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return item{kind: number, text: strconv.FormatInt(int64(v), 10)}
	}
	return item{kind: number, text: strconv.FormatFloat(v, 'g', -1, 64)}
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
func (p *printer) block(it *item, line string) {
	deeper := line + "  "
	for i := 0; i < len(it.parts); i += 2 {
		if i > 0 {
			p.begin(line)
		}
		p.put(it.parts[i].text + ":")
		switch value := &it.parts[i+1]; {
		case value.isFlat():
			p.put(" ")
			p.flow(value, deeper)
		case value.kind == mapping:
			p.begin(deeper)
			p.block(value, deeper)
		default:
			for k := range value.parts {
				p.begin(line + "- ")
				if entry := &value.parts[k]; entry.isFlat() {
					p.flow(entry, deeper)
				} else {
					p.block(entry, deeper)
				}
			}
		}
	}
}

// isFlat reports whether a value is printed in flow style.
func (it *item) isFlat() bool {
	if it.kind == mapping {
		return len(it.parts) <= 8 && !slices.ContainsFunc(it.parts, func(part item) bool { return part.parts != nil })
	}
	return !slices.ContainsFunc(it.parts, func(part item) bool { return part.kind == mapping })
}

// flow prints a value in JSON, or in YAML's flow style. line begins another line of it.
func (p *printer) flow(it *item, line string) {
	switch it.kind {
	case null:
		p.put("null")
		return
	case boolean, number:
		p.put(it.text)
		return
	case text:
		p.put(p.text(it.text))
		return
	}
	open, end := "[", "]"
	if it.kind == mapping {
		open, end = "{", "}"
	}
	p.put(open)
	for i := range it.parts {
		switch isValue := it.kind == mapping && i%2 == 1; {
		case isValue:
			p.put(": ")
		case i > 0 && p.column > lineWidth:
			p.put(",")
			p.begin(line)
		case i > 0:
			p.put(", ")
		}
		p.flow(&it.parts[i], line)
	}
	p.put(end)
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
