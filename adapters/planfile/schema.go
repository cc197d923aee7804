package planfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
)

// Schema returns the JSON Schema (2020-12) of plan files, without descriptions.
func Schema() ([]byte, error) { return SchemaOf(file{}, "a plan: a mapping with cluster and jobs") }

// SchemaOf returns the JSON Schema (2020-12) of files that Decode reads into a type. Its titles are what messages say.
func SchemaOf(root any, title string) ([]byte, error) {
	s := rootOf(reflect.TypeOf(root)).schema()
	s["title"] = title
	b, err := json.MarshalIndent(s, "", "  ")
	return append(b, '\n'), err
}

// schema returns the schema of a field's values.
func (f *field) schema() schema {
	s := maps.Clone(f.form.schema)
	switch {
	case s != nil:
	case f.typ.Kind() == reflect.Slice:
		s = f.array()
	case f.typ.Kind() == reflect.Map:
		s = schema{"type": "object", "additionalProperties": f.item.schema(), "maxProperties": f.high}
	default:
		s = f.object()
	}
	s["title"] = f.title
	if one, ok := s["type"].(string); ok {
		s["type"] = []string{one}
	}
	if f.is["null"] {
		s["type"] = append(s["type"].([]string), "null")
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
	if f.is["single"] { // one word, or a list of them
		s["type"] = []string{"array", "string"}
		if len(f.words) > 0 {
			s["pattern"] = f.wordPattern()
		}
	}
	return s
}

func (f *field) object() schema {
	properties, without := schema{}, schema{}
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	var required []string
	for _, part := range f.fields {
		properties[part.name] = part.schema()
		if unless := part.tag.Get("unless"); unless != "" {
			s["if"] = schema{"not": schema{"required": []string{unless}}}
			s["then"] = schema{"required": []string{part.name}}
		} else if part.is["required"] {
			required = append(required, part.name)
		}
		if part.without != nil {
			never := schema{}
			for _, name := range part.without {
				never[name] = false
			}
			without[part.name] = schema{"title": "left out beside " + part.name, "properties": never}
		}
	}
	if len(without) > 0 {
		s["dependentSchemas"] = without
	}
	if required != nil {
		s["required"] = required
	}
	if len(f.words) > 0 { // a word stands for a mapping of its own
		s["type"], s["pattern"] = []string{"string", "object"}, f.wordPattern()
	}
	return s
}

func (f *field) wordPattern() string { return fmt.Sprintf("^(%s)$", strings.Join(f.words, "|")) }
