package planfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// timePattern matches a time. 0 needs no unit.
const timePattern = `^(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?(ns|us|µs|μs|ms|s|m|h))+$`

// Schema returns the JSON Schema (2020-12) of plan files, without descriptions.
func Schema() ([]byte, error) { return SchemaOf(file{}, "a plan: a mapping with cluster and jobs") }

// SchemaOf returns the JSON Schema (2020-12) of files that Decode reads into a type. Its titles are what messages say.
func SchemaOf(root any, title string) ([]byte, error) {
	b, err := json.MarshalIndent((&field{typ: reflect.TypeOf(root), title: title}).schema(), "", "  ")
	return append(b, '\n'), err
}

type schema = map[string]any

// schema returns the schema of a field's values.
func (f *field) schema() schema {
	s := f.valueSchema(f.typ)
	s["title"] = f.title
	if f.null {
		if one, ok := s["type"].(string); ok {
			s["type"] = []string{one}
		}
		s["type"] = append(s["type"].([]string), "null")
	}
	return s
}

func (f *field) valueSchema(t reflect.Type) schema {
	aTime := schema{"type": []string{"string", "number"}, "pattern": timePattern, "minimum": 0, "maximum": 0}
	aNumber := schema{"title": "a number, 0 or more", "type": []string{"number"}, "minimum": 0}
	switch t {
	case reflect.TypeFor[time.Duration]():
		return aTime
	case reflect.TypeFor[dag.Series]():
		one, want := aNumber, "a number, 0 or more"
		if f.ms {
			one, want = aTime, wantTime
		}
		item := maps.Clone(one)
		all := maps.Clone(one)
		all["items"], item["title"] = item, want+", or null where it is unknown"
		item["type"] = append(item["type"].([]string), "null")
		all["type"] = append(one["type"].([]string), "array", "null")
		return all
	case reflect.TypeFor[dag.GroupSize]():
		return schema{"type": []string{"number", "array"}, "minimum": 0, "minItems": 2, "maxItems": 2, "items": aNumber}
	case reflect.TypeFor[dag.GroupPoint]():
		return schema{"type": "array", "minItems": 2, "maxItems": 3, "items": aNumber}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return f.valueSchema(t.Elem())
	case reflect.Struct:
		return f.object(t)
	case reflect.Map:
		text := f.text()
		text["title"] = "a string (put it in quotes)"
		return schema{"type": "object", "additionalProperties": text, "maxProperties": f.high}
	case reflect.Slice:
		return f.array()
	case reflect.Int:
		if f.mb {
			return schema{"type": "string", "pattern": memoryText.String()}
		}
		if f.low == f.high {
			return schema{"const": f.low}
		}
		return schema{"type": "integer", "minimum": f.low, "maximum": f.high}
	case reflect.Float64:
		if f.ms {
			return aTime
		}
		s := aNumber
		s["type"] = "number"
		if f.tag.Get("above") != "" {
			delete(s, "minimum")
			s["exclusiveMinimum"] = f.bound("above", 0)
		} else {
			s["minimum"] = f.low
		}
		if f.tag.Get("max") != "" {
			s["maximum"] = f.high
		}
		return s
	case reflect.Bool:
		if f.words[0] == "" {
			return schema{"const": true}
		}
	}
	return f.text()
}

// text returns the schema of a text.
func (f *field) text() schema {
	if len(f.words) > 0 {
		return schema{"enum": f.words}
	}
	s := schema{"type": "string"}
	if f.time {
		s["type"], s["pattern"], s["minimum"] = []string{"string", "number"}, timePattern, 0
	}
	if least, most, ok := f.length(); ok {
		s["maxLength"] = most
		if least > 0 {
			s["minLength"] = least
		}
	}
	if f.pattern != nil {
		s["pattern"] = f.pattern.String()
	}
	return s
}

func (f *field) array() schema {
	s := schema{"type": []string{"array"}, "items": f.item.schema()}
	if f.low > 0 {
		s["minItems"] = f.low
	}
	if f.tag.Get("max") != "" {
		s["maxItems"] = f.high
	}
	if f.single { // one word, or a list of them
		s["type"] = []string{"array", "string"}
		if len(f.words) > 0 {
			s["pattern"] = fmt.Sprintf("^(%s)$", strings.Join(f.words, "|"))
		}
	}
	return s
}

func (f *field) object(t reflect.Type) schema {
	properties, needs, without := schema{}, schema{}, schema{}
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	var required []string
	for _, part := range fieldsOf(t) {
		properties[part.name] = part.schema()
		if unless := part.tag.Get("unless"); unless != "" {
			s["if"] = schema{"not": schema{"required": []string{unless}}}
			s["then"] = schema{"required": []string{part.name}}
		} else if part.required {
			required = append(required, part.name)
		}
		if part.needs != nil {
			needs[part.name] = part.needs
		}
		if part.without != nil {
			never := schema{}
			for _, name := range part.without {
				never[name] = false
			}
			without[part.name] = schema{"title": "left out beside " + part.beside, "properties": never}
		}
	}
	for key, of := range map[string]schema{"dependentRequired": needs, "dependentSchemas": without} {
		if len(of) > 0 {
			s[key] = of
		}
	}
	if required != nil {
		s["required"] = required
	}
	if len(f.words) > 0 { // a word stands for a mapping of its own
		s["type"], s["pattern"] = []string{"string", "object"}, fmt.Sprintf("^(%s)$", strings.Join(f.words, "|"))
	}
	return s
}
