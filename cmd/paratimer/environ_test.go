package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// environments are those of tests, by name. The process's own is nobody's to change: tests run at the same time.
var environments sync.Map

// setenv sets a variable of a test's environment, and of its subtests'.
func setenv(t testing.TB, name, value string) {
	t.Helper()
	old, _ := environments.Load(t.Name())
	list, _ := old.([]string)
	environments.Store(t.Name(), append(list[:len(list):len(list)], name+"="+value))
	if old == nil {
		t.Cleanup(func() { environments.Delete(t.Name()) })
	}
}

// environ is the environment of the commands that a test runs.
func environ(t testing.TB) []string {
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

// paratimerIn runs the command as a process in a folder: tests that run at the same time share the one of this process.
func paratimerIn(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	cmd := process(t, dir, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), said.String()
}

// process is a process of the command in a folder, which TestMain has put on the path.
func process(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "paratimer", args...)
	cmd.Dir, cmd.Env = dir, environ(t)
	return cmd
}
