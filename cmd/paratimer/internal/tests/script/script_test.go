package script

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestScript runs testdata/script: each is a session of a user, with its stdout, stderr and exit codes. The command
// `paratimer` runs the program in this process, `exec paratimer` as a process of its own, which costs 40 ms more.
func TestScript(t *testing.T) {
	dir, err := filepath.Abs("testdata/script") // a run of the program changes the folder of the process
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	set, err := variables(dir)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("TZ", "UTC")
			e.Setenv("EXAMPLES", examples)
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/config")
			for _, name := range []string{"HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_HOME", "NO_COLOR"} {
				e.Setenv(name, "")
			}
			e.Values[processKey{}] = process{slices.Clone(e.Vars), set}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": exitCode, "paratimer": command, "unpack": unpack,
		},
	})
}

// unpack prints a compressed file.
func unpack(ts *testscript.TestScript, _ bool, args []string) {
	text, err := fixtures.Unpacked(ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = ts.Stdout().Write(text)
	ts.Check(err)
}

// A process has the state that the runs of one script share.
type process struct {
	variables []string // NAME=VALUE, as the script began
	set       []string // names that scripts set
}

type processKey struct{}

// variables are the names of environment variables that scripts of a folder set: testscript lists none.
func variables(dir string) (names []string, err error) {
	scripts, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	for _, file := range scripts {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, line := range regexp.MustCompile(`(?m)^env (.*)$`).FindAllSubmatch(text, -1) {
			for _, m := range regexp.MustCompile(`(\w+)=`).FindAllSubmatch(line[1], -1) {
				names = append(names, string(m[1]))
			}
		}
	}
	return names, err
}

// folder is the lock of the folder of this process, from which a run reads and writes files.
var folder sync.Mutex

// run runs the program in the folder and the environment of a script, and returns its exit code.
func run(ts *testscript.TestScript, args []string) int {
	p := ts.Value(processKey{}).(process)
	env := slices.Clone(p.variables)
	for _, name := range p.set {
		env = append(env, name+"="+ts.Getenv(name))
	}
	folder.Lock()
	defer folder.Unlock()
	ts.Check(os.Chdir(ts.MkAbs(".")))
	args = append([]string{"paratimer"}, args...)
	return program.Run(context.Background(), args, env, strings.NewReader(""), ts.Stdout(), ts.Stderr())
}

// command is the script command `paratimer ARG...`, which wants exit code 0, or another one after `!`.
func command(ts *testscript.TestScript, neg bool, args []string) {
	if code := run(ts, args); neg != (code != 0) {
		ts.Fatalf("exit code %d", code)
	}
}

// exitCode is the script command `code N CMD ARG...`: it runs CMD and wants exit code N.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "paratimer" {
		ts.Fatalf("usage: code N paratimer ARG...")
	}
	if got := strconv.Itoa(run(ts, args[2:])); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}
