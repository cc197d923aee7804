package planfile

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

var update = flag.Bool("update", false, "write what the bad files in testdata give into their .err files")

// Every broken file in testdata/bad gives the error beside it.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*[nl]")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			_, err := ReadFile(f, Options{Name: filepath.Base(f)})
			if err == nil {
				t.Fatal("it is read")
			}
			got, golden := err.Error()+"\n", f+".err"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func read(t *testing.T, src string) (*dag.Plan, error) {
	t.Helper()
	return Read(strings.NewReader(src), Options{})
}

func TestErrorsKeepTheirEvidence(t *testing.T) {
	_, err := ReadFile("testdata/bad/cycle.yaml", Options{})
	var where *Error
	var cycle *dag.CycleError
	if !errors.As(err, &where) || where.Line != 3 || where.Column != 22 || where.Field != "jobs[0].after" ||
		!errors.As(err, &cycle) || len(cycle.Jobs) != 3 {
		t.Errorf("got %#v, %#v", where, cycle)
	}
}

// TestOlderOrigin checks that groups that an older version derived from counters are unknown.
func TestOlderOrigin(t *testing.T) {
	t.Parallel()
	p, err := read(t, "cluster: {map_slots: 1, reduce_slots: 1}\njobs: [{name: a, map: {tasks: 1}, "+
		"reduce: {tasks: 1, groups: {origin: counters, tasks: [{bytes: 9}]}}}]")
	if err != nil || p.Jobs[0].Stages[dag.Reduce].Groups != nil {
		t.Errorf("%v", err)
	}
}
