package recordings

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

// schemaOf returns the schema (draft 2020-12) of encoding/json's output for a type. Objects may have additional
// fields, because fields are added within a version. A pointer, a slice and a map may be null. schemaOf panics on a
// type without JSON.
func schemaOf(t reflect.Type, title string) ([]byte, error) {
	w := schemaWriter{defs: map[string]any{}}
	root := w.object(t)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = title
	root["$defs"] = w.defs
	b, err := json.MarshalIndent(root, "", "  ")
	return append(b, '\n'), err
}

type schemaWriter struct{ defs map[string]any }

type schema = map[string]any

// of returns the schema of a value of type t.
func (w *schemaWriter) of(t reflect.Type) schema {
	switch {
	case t.Kind() == reflect.Pointer: // first, because a pointer has the methods of its element
		return nullable(w.of(t.Elem()))
	case t == reflect.TypeFor[time.Duration]():
		return schema{"type": "integer"}
	case t.Implements(textMarshaler) || reflect.PointerTo(t).Implements(textMarshaler):
		return schema{"type": "string"}
	case t.Implements(jsonMarshaler):
		return schema{}
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return nullable(schema{"type": "array", "items": w.of(t.Elem())})
	case reflect.Map:
		return nullable(schema{"type": "object", "additionalProperties": w.of(t.Elem())})
	case reflect.Struct:
		name := t.String()
		if _, seen := w.defs[name]; !seen {
			w.defs[name] = nil // a recursive type is described once
			w.defs[name] = w.object(t)
		}
		return schema{"$ref": "#/$defs/" + name}
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return schema{"type": "number"}
	case reflect.Interface:
		return schema{}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return schema{"type": "integer"}
	default:
		panic("no JSON for " + t.String())
	}
}

// nullable returns a schema that also allows null.
func nullable(s schema) schema {
	if one, is := s["type"].(string); is {
		s["type"] = []string{one, "null"}
		return s
	}
	if len(s) == 0 {
		return s
	}
	return schema{"anyOf": []schema{s, {"type": "null"}}}
}

// object returns the schema of a struct, including the fields of embedded structs.
func (w *schemaWriter) object(t reflect.Type) schema {
	properties, required := schema{}, []string{}
	w.fields(t, properties, &required)
	return schema{"type": "object", "properties": properties, "required": required}
}

func (w *schemaWriter) fields(t reflect.Type, properties schema, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _ := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "":
			w.fields(f.Type, properties, required)
			continue
		case name == "":
			name = f.Name
		}
		properties[name] = w.of(f.Type)
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			*required = append(*required, name)
		}
	}
}
