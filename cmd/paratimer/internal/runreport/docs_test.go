package runreport

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
)

// TestContractNamesEveryField checks that docs/reports.md names every field of the JSON that is a run report's own, and
// says its bounds.
func TestContractNamesEveryField(t *testing.T) {
	b, err := os.ReadFile("../../../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	text, fields := string(b), 0
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ.PkgPath() != reflect.TypeFor[Report]().PkgPath() &&
			typ.PkgPath() != reflect.TypeFor[chart.Gantt]().PkgPath() {
			return // what frames have stands in docs/frames.md
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Anonymous || !f.IsExported() || f.Tag.Get("json") == "-" {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields++
			if !regexp.MustCompile("`([a-z]+\\.)*" + regexp.QuoteMeta(name) + `(\[\])?` + "`").MatchString(text) {
				t.Errorf("docs/reports.md does not name %s of %s", name, typ)
			}
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[Report]())
	if fields < 65 {
		t.Fatalf("only %d fields found: nothing is guarded", fields)
	}
	if MostPoints != 600 || MostMarks != 100 {
		t.Error("docs/reports.md has other bounds")
	}
}
