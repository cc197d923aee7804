package labtest

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"testing"
)

// project is the folder of the program and of the lab.
const project = "../.."

// TestLab runs the lab's tests, because what they measure is the program. One package at a time leaves the machine to
// the tests beside this one. The lab's tests read files outside their module, on which no cached result depends.
func TestLab(t *testing.T) {
	t.Parallel()
	dependOnAll(t)
	args := []string{"test", "-count=1", "-p=1"}
	if testing.Short() {
		args = append(args, "-short")
	}
	cmd := exec.Command("go", append(args, "./...")...)
	cmd.Dir = filepath.Join(project, "lab")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// dependOnAll lists the project's folders: go test keeps the result of this test until a file in one of them changes,
// and would otherwise keep it for good, as it does not see what the command reads.
func dependOnAll(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(project, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
