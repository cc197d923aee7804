package main

import (
	"os"
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
