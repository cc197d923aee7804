package compare

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// contract are the JSON fields of the first version: none of them may be renamed or removed.
const contract = `schema_version title workflow runs from script id state start_at total_seconds excluded circumstances failed_attempts repeated_attempts
restarted_masters lost_nodes others_ratio run base_run difference seconds ratio effects effect meaning says otherwise
regressed findings job phase slower before_seconds unit cost_ratio low_ratio high_ratio amount_ratio earlier_runs chance_ratio doubtful critical_path
before now came left jobs node name status on_path_seconds before_on_path_seconds length_seconds wait_seconds stages tasks median_seconds
input_records input_bytes seconds_per_record short killed_attempts`

// TestJSONIsDocumented checks that docs/reports.md describes each field and each effect, and that the fields of the
// contract exist.
func TestJSONIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	fields := make(map[string]bool)
	fieldsOf(reflect.TypeFor[Comparison](), fields)
	for _, name := range strings.Fields(contract) {
		if !fields[name] {
			t.Errorf("the field %s is gone", name)
		}
		delete(fields, name)
	}
	for name := range fields {
		t.Errorf("the field %s is not in the contract", name)
	}
	for _, name := range strings.Fields(contract) {
		if !strings.Contains(string(doc), "`"+name+"`") && !strings.Contains(string(doc), "`"+name+"[]`") {
			t.Errorf("docs/reports.md lacks the field %s", name)
		}
	}
	for _, e := range Effects {
		if text := string(e); !strings.Contains(string(doc), "`"+text+"`") &&
			!strings.Contains(string(doc), "\n    "+text+" ") {
			t.Errorf("docs/reports.md lacks the effect %s", e)
		}
		if meanings[e] == "" {
			t.Errorf("the effect %s has no words", e)
		}
	}
}

// fieldsOf collects the names of a type's fields in JSON, and those of their elements.
func fieldsOf(t reflect.Type, into map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		fieldsOf(t.Elem(), into)
	case reflect.Struct:
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			if name != "" {
				into[name] = true
			}
			if name != "" || f.Anonymous {
				fieldsOf(f.Type, into)
			}
		}
	}
}
