//go:build foreign

package mapreduce

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// Real answers of Hadoop 2.4 to 3.0 and the documentation's: what is JSON is read without an error.
func TestOldBodies(t *testing.T) {
	files, _ := filepath.Glob(fixtures.Foreign("rest/*/*.json"))
	more, _ := filepath.Glob(fixtures.Foreign("rest/*/*/*.json"))
	files = append(files, more...)
	found := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var o map[string]json.RawMessage
		if json.Unmarshal(b, &o) != nil || strings.Contains(f, "-ats-") { // the timeline server is not asked
			continue
		}
		for key, into := range map[string]any{
			"job": &jobBody{}, "tasks": &tasksBody{}, "taskAttempts": &attemptsBody{}, "appAttempts": &appAttemptsBody{},
		} {
			if o[key] == nil {
				continue
			}
			found++
			if err := rest.Decode(f, b, into, rest.Lists(len(b))); err != nil {
				t.Error(err)
			}
			if reflect.ValueOf(into).Elem().IsZero() {
				t.Errorf("%s: nothing was read", f)
			}
		}
	}
	if t.Logf("%d bodies of %d files", found, len(files)); found == 0 {
		t.Error("nothing was read")
	}
}
