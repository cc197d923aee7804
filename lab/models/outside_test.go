package models

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"bell-a.csv": "Nodes,Runtime\n4,2000\n8,1000\n4,2200\n",
		"c3o-b.tsv":  "instance_count\tmachine_type\tslots\tdata_size_MB\tk\tgross_runtime\n2\tm4\t8\t10\t3\t60\n4\tm4\t16\t10\t5\t40\n2\tm4\t8\t20\t3\t90\n",
		"other.csv":  "x\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	jobs, err := readOutside(dir)
	if err != nil || len(jobs) != 3 || jobs[0].rows[0].Seconds != 2 || jobs[0].rows[0].Scale != 1 ||
		jobs[1].name != "m4 3" || len(jobs[1].rows) != 2 || jobs[2].rows[0].Machines != 4 {
		t.Errorf("%+v, %v", jobs, err)
	}
	if by := byConfiguration(jobs[0].rows); len(by) != 2 || len(by[0]) != 2 {
		t.Errorf("%v", by)
	}
	if err := os.WriteFile(filepath.Join(dir, "bell-bad.csv"), []byte("Nodes,Runtime\nmany,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readOutside(dir); err == nil || !strings.Contains(err.Error(), "bell-bad.csv:2") {
		t.Error(err)
	}
}

// Where the runtimes are missing the document stays as it is; where it has no place for them that is an error.
func TestWithOutside(t *testing.T) {
	t.Parallel()
	file, missing := filepath.Join(t.TempDir(), "ernest.md"), filepath.Join(t.TempDir(), "none")
	for _, text := range []string{"a\n" + begin + "as it was\n" + end + "b\n", "a\nb\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := withOutside(file, missing)
		if has := strings.Contains(text, begin); has && (err != nil || got != text) || !has && err == nil {
			t.Errorf("%q, %v", got, err)
		}
	}
}
