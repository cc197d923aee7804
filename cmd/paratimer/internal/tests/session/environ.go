// Package session runs the program as its users do, for the test packages beside it: with an environment, streams,
// and simulated clusters.
package session

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
)

// environments are those of tests, by name. Tests run in parallel, so none may change the process's own.
var environments sync.Map

// Setenv sets a variable of a test's environment, and of its subtests'.
func Setenv(t testing.TB, name, value string) {
	t.Helper()
	old, _ := environments.Load(t.Name())
	list, _ := old.([]string)
	environments.Store(t.Name(), append(list[:len(list):len(list)], name+"="+value))
	if old == nil {
		t.Cleanup(func() { environments.Delete(t.Name()) })
	}
}

// Environ returns the environment of the commands that a test runs.
func Environ(t testing.TB) []string {
	t.Helper()
	env := os.Environ()
	parts := strings.Split(t.Name(), "/")
	for i := range parts {
		if list, ok := environments.Load(strings.Join(parts[:i+1], "/")); ok {
			env = append(env, list.([]string)...)
		}
	}
	return env
}

// Process returns a process of the command in a folder. Main has put the command on the path.
func Process(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "paratimer", args...)
	cmd.Dir, cmd.Env = dir, Environ(t)
	return cmd
}

// Run runs the command in this process.
func Run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = program.Run(t.Context(), append([]string{"paratimer"}, args...), Environ(t), strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// Main runs the tests of a package in the folder of the program, so that they can name the project's files, and puts
// the program on the path.
func Main(m *testing.M) {
	time.Local = time.UTC // output must not depend on the machine
	if filepath.Base(os.Args[0]) == "paratimer" {
		os.Exit(program.Main())
	}
	debug.SetGCPercent(400) // the short runs with small heaps would collect garbage for a quarter of their time
	// Tests wait for servers, terminals and processes more than they compute: run four of them for a processor.
	if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// A worker of go test -fuzz starts in the folder of the fuzzing process, which is the program's folder already.
	if !slices.Contains(os.Args, "-test.fuzzworker") {
		if err := os.Chdir("../../.."); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(withProgram(m))
}

// withProgram runs the tests with a link to this binary on the path. Run by that name, it is the program.
func withProgram(m *testing.M) int {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	folder, err := os.MkdirTemp("", "paratimer-tests")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	err = errors.Join(os.Symlink(self, filepath.Join(folder, "paratimer")),
		os.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// JoinPlan is the plan of a script with joins.
const JoinPlan = "../../examples/pig-join.yaml"

// Bounds has one bound of each kind; a time of day depends on when the query was submitted.
var Bounds = []alert.Bound{
	{Name: "deadline", Daily: &alert.Daily{Hour: 1, Zone: time.UTC}},
	{Name: "within", Kind: alert.Within, For: 100 * time.Second},
	{Name: "longer-than-usual", Kind: alert.LongerThanUsual, Times: 1.5, Usual: time.Minute},
	{Name: "no-progress", Kind: alert.NoProgress, For: 2 * time.Second},
	{Name: "outside-bounds", Kind: alert.OutsideBounds},
}
