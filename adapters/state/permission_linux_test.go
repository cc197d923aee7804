package state

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// TestAFolderThatCannotBeWritten checks that it is read all the same.
func TestAFolderThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	add(t, open(t, dir), "a.pig", "w1")
	for _, path := range []string{filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir)} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, mode := range map[string]os.FileMode{
		filepath.Join(dir, names(t, dir, ".json")[0]): 0o444,
		filepath.Join(dir, names(t, dir, ".lock")[0]): 0o444, dir: 0o555,
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	asNobody(t, func() {
		s, err := Open(dir)
		if err != nil {
			t.Errorf("Open: %v", err)
			return
		}
		if w, err := s.Read("a.pig"); err != nil || len(w.Runs) != 1 {
			t.Errorf("Read: %v, %v", w, err)
		}
		for _, name := range []string{"a.pig", "b.pig"} {
			if err := s.Update(name, func(*Workflow) error { return nil }); !errors.Is(err, os.ErrPermission) {
				t.Errorf("Update(%s): %v, want that it is not permitted", name, err)
			}
		}
	})
	if got := ids(t, open(t, dir), "a.pig"); len(got) != 1 {
		t.Errorf("runs %v", got)
	}
}

// asNobody runs f without root's rights, by which files are accessed whatever their mode.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine, and its identity with it
		if err := syscall.Setfsuid(65534); err != nil {
			t.Errorf("setfsuid: %v", err)
			return
		}
		f()
	}()
	<-done
}
