package rest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// engines matches the names of engines, of their services and of their file systems.
var engines = regexp.MustCompile(`(?i)yarn|\btez|spark|hadoop|map-?reduce|\bhive|\bpig\b|hdfs|flink|trino|impala|` +
	`resource ?manager|node ?manager|name ?node|application ?master|history ?server|executor|mapred|dfs\.`)

// TestNamesNoEngine: this package serves any engine, so that neither its code, nor its texts, comments or imports name
// one. A request brings what depends on the engine.
func TestNamesNoEngine(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		checked++
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if name := engines.FindString(line); name != "" {
				t.Errorf("%s:%d names %s: %s", file, i+1, name, strings.TrimSpace(line))
			}
		}
	}
	if checked == 0 {
		t.Error("no file was checked")
	}
}
