package planfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzRead checks that no file panics, and that what is read can be written and read again.
func FuzzRead(f *testing.F) {
	seeds := 0
	for _, pattern := range []string{"../../examples/*.yaml", "testdata/bad/*[nl]"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("the seed corpus %s is empty: %v", pattern, err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
			seeds++
		}
	}
	f.Add([]byte(full))
	f.Logf("%d seeds", seeds+1)
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 {
			return
		}
		p, err := Read(bytes.NewReader(src), Options{Profile: true})
		if err != nil {
			if p != nil {
				t.Error("a plan beside an error")
			}
			return
		}
		file := written(t, p)
		back, err := Read(bytes.NewReader(file), Options{Profile: true})
		if err != nil {
			t.Fatalf("reading again: %v\n%s", err, file)
		}
		if diff := cmp.Diff(p, back, sameSeries, cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("(-first +again)\n%s\n%s", diff, file)
		}
	})
}
