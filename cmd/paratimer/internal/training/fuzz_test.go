package training

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzRead checks that no file panics, and that a file can be written and read again.
func FuzzRead(f *testing.F) {
	names, err := filepath.Glob("../../../../examples/hadoop-online.yaml")
	if err != nil || len(names) == 0 {
		f.Fatalf("no seed: %v", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(full))
	f.Add([]byte(`{"cluster": {"nodes": 1, "cpus": 1, "map_slots": 1}, "jobs": [{"name": "j\u001b\"\\", "maps": 1, "map": {"cpu": 2e3}}]}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<14 {
			return
		}
		file, err := ReadJobs(src, "job.yaml")
		if err != nil {
			if file != nil {
				t.Error("a file beside an error")
			}
			return
		}
		var b bytes.Buffer
		if err := WriteJobs(&b, file); err != nil {
			t.Fatalf("writing it again: got %v", err)
		}
		again, err := ReadJobs(b.Bytes(), "job.yaml")
		if err != nil {
			t.Fatalf("reading again: %v\n%s", err, &b)
		}
		if diff := cmp.Diff(file, again); diff != "" {
			t.Fatalf("(-first +again)\n%s\n%s", diff, &b)
		}
	})
}
