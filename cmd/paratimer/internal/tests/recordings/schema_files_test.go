package recordings

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
	"github.com/paratimer/paratimer/dag"
)

// TestPublishedSchemas checks that the schemas of the files that users write are what the types generate. Descriptions
// and the names of parts are the schemas' own.
func TestPublishedSchemas(t *testing.T) {
	t.Parallel()
	for file, c := range map[string]struct {
		root  reflect.Type
		title string // as in messages
	}{
		"plan.schema.json":  {reflect.TypeFor[planfile.File](), "a plan: a mapping with cluster and jobs"},
		"job.schema.json":   {reflect.TypeFor[training.JobDocument](), "a job file: a mapping with cluster and jobs"},
		"rules.schema.json": {reflect.TypeFor[fleet.File](), "a rule file: a mapping with rules"},
	} {
		published, err := os.ReadFile(filepath.Join("../../docs", file))
		if err != nil {
			t.Fatal(err)
		}
		s := ofSpec(planfile.Describe(c.root))
		s["title"] = c.title
		generated, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(bare(t, published), bare(t, generated)); diff != "" {
			t.Errorf("%s is not what the types generate (-published +generated)\n%s", file, diff)
		}
	}
}

// ofSpec returns the schema of a field's values.
func ofSpec(f *planfile.Spec) schema {
	s := valueOf(f)
	s["title"] = f.Title
	if one, ok := s["type"].(string); ok {
		s["type"] = []string{one}
	}
	if f.Is("null") {
		s["type"] = append(s["type"].([]string), "null")
	}
	return s
}

func valueOf(f *planfile.Spec) schema {
	kind := f.Type.Kind()
	switch {
	case f.Type == reflect.TypeFor[dag.Series]():
		one := ofSpec(f.Item)
		s := maps.Clone(one)
		types := one["type"].([]string)
		s["type"], s["items"] = append(types[:len(types)-1:len(types)-1], "array"), one
		return s
	case f.Type == reflect.TypeFor[time.Duration](), kind == reflect.Float64 && f.Is("ms"):
		return aTime(f)
	case f.Type == reflect.TypeFor[dag.GroupSize]():
		return schema{
			"type": []string{"number", "array"}, "minimum": 0, "minItems": 2, "maxItems": 2, "items": aNumber(),
		}
	case f.Type == reflect.TypeFor[dag.GroupPoint]():
		return schema{"type": "array", "minItems": 2, "maxItems": 3, "items": aNumber()}
	case kind == reflect.Bool && f.Words[0] == "":
		return schema{"const": true}
	case len(f.Words) > 0 && (kind == reflect.String || kind == reflect.Bool || kind == reflect.Uint8):
		return schema{"enum": f.Words}
	case kind == reflect.Float64 && f.Is("time"):
		return schema{"type": []string{"string", "number"}, "pattern": f.Pattern.String(), "minimum": 0, "maximum": f.High}
	case kind == reflect.String:
		return aString(f)
	case f.Is("MB"):
		return schema{"type": "string", "pattern": f.Pattern.String()}
	case kind == reflect.Int || kind == reflect.Float64:
		return ofNumber(f)
	case kind == reflect.Slice:
		return array(f)
	case kind == reflect.Map:
		return schema{"type": "object", "additionalProperties": ofSpec(f.Item), "maxProperties": f.High}
	}
	return object(f)
}

func aNumber() schema {
	return schema{"title": "a number, 0 or more", "type": []string{"number"}, "minimum": 0}
}

// aTime is the schema of a time. 0 needs no unit.
func aTime(f *planfile.Spec) schema {
	return schema{"type": []string{"string", "number"}, "pattern": f.Pattern.String(), "minimum": 0, "maximum": 0}
}

func aString(f *planfile.Spec) schema {
	s := schema{"type": "string"}
	var least, most int
	if n, _ := fmt.Sscanf(f.Tag.Get("length"), "%d-%d", &least, &most); n == 2 {
		s["maxLength"] = most
	}
	if least > 0 {
		s["minLength"] = least
	}
	if f.Pattern != nil {
		s["pattern"] = f.Pattern.String()
	}
	return s
}

func ofNumber(f *planfile.Spec) schema {
	if f.Low == f.High {
		return schema{"const": f.Low}
	}
	s := schema{"type": "number", "minimum": f.Low}
	isInt := f.Type.Kind() == reflect.Int
	if isInt {
		s["type"] = "integer"
	}
	if f.Tag.Get("above") != "" {
		delete(s, "minimum")
		s["exclusiveMinimum"] = f.Low
	}
	if f.Tag.Get("max") != "" || isInt {
		s["maximum"] = f.High
	}
	return s
}

func array(f *planfile.Spec) schema {
	s := schema{"type": []string{"array"}, "items": ofSpec(f.Item)}
	if f.Low > 0 {
		s["minItems"] = f.Low
	}
	if f.Tag.Get("max") != "" {
		s["maxItems"] = f.High
	}
	if f.Is("single") { // one word, or a list of them
		s["type"] = []string{"array", "string"}
		if len(f.Words) > 0 {
			s["pattern"] = wordPattern(f)
		}
	}
	return s
}

func object(f *planfile.Spec) schema {
	properties, without := schema{}, schema{}
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	var required []string
	for _, part := range f.Fields {
		properties[part.Name] = ofSpec(part)
		if unless := part.Tag.Get("unless"); unless != "" {
			s["if"] = schema{"not": schema{"required": []string{unless}}}
			s["then"] = schema{"required": []string{part.Name}}
		} else if part.Is("required") {
			required = append(required, part.Name)
		}
		if part.Without != nil {
			never := schema{}
			for _, name := range part.Without {
				never[name] = false
			}
			without[part.Name] = schema{"title": "left out beside " + part.Name, "properties": never}
		}
	}
	if len(without) > 0 {
		s["dependentSchemas"] = without
	}
	if required != nil {
		s["required"] = required
	}
	if len(f.Words) > 0 { // a word stands for a mapping of its own
		s["type"], s["pattern"] = []string{"string", "object"}, wordPattern(f)
	}
	return s
}

func wordPattern(f *planfile.Spec) string { return fmt.Sprintf("^(%s)$", strings.Join(f.Words, "|")) }

// bare returns a schema as it validates: references to $defs are replaced by their content, types and lists of
// names are sorted lists, and what only people read is left out, except titles. Two schemas that are equal in this
// form allow the same documents.
func bare(t testing.TB, src []byte) any {
	t.Helper()
	var root schema
	if err := json.Unmarshal(src, &root); err != nil {
		t.Fatal(err)
	}
	defs, _ := root["$defs"].(schema)
	return resolve(root, defs)
}

func resolve(v any, defs schema) any {
	switch v := v.(type) {
	case schema:
		out := schema{}
		if ref, ok := v["$ref"].(string); ok {
			out, _ = resolve(defs[strings.TrimPrefix(ref, "#/$defs/")], defs).(schema)
		}
		for key, part := range v {
			switch _, isText := part.(string); {
			case key == "$ref", key == "$schema", key == "$id", key == "$defs", key == "description" && isText,
				key == "default":
			case key == "type" && isText:
				out[key] = []any{part}
			default:
				out[key] = resolve(part, defs)
			}
		}
		return out
	case []any:
		if slices.ContainsFunc(v, func(item any) bool { _, isText := item.(string); return !isText }) {
			return v
		}
		v = slices.Clone(v)
		slices.SortFunc(v, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		return v
	}
	return v
}
