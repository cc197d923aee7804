package jsonschema

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// IsPublished fails the test if a published schema is not the generated one. Descriptions and the names of parts are
// its own.
func IsPublished(t testing.TB, path string, generate func() ([]byte, error)) {
	t.Helper()
	published, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	generated, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(bare(t, published), bare(t, generated)); diff != "" {
		t.Errorf("%s is not what the types generate (-published +generated)\n%s", path, diff)
	}
}

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
