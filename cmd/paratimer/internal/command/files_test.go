package command

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// checkFiles fails unless a folder has these files and no others.
func checkFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("the folder has %v, want %d files", entries, len(want))
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != text {
			t.Errorf("%s: %q, %v; want %q", name, got, err, text)
		}
	}
}

// TestWrite makes a file, and puts another in its place, which stays as closed to others as it was.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.html")
	for _, text := range []string{"a longer first", "second"} {
		if err := WriteFile(path, writes(text)); err != nil {
			t.Fatal(err)
		}
		checkFiles(t, dir, map[string]string{"run.html": text})
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteFile(path, writes("third")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, %v; they were 0600", info.Mode(), err)
	}
}

// TestWriteLeaves checks that a write that fails half-way leaves the earlier file, and no other.
func TestWriteLeaves(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.html")
	if err := WriteFile(path, writes("before")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("cannot be drawn")
	err := WriteFile(path, func(w io.Writer) error {
		return errors.Join(writes(string(make([]byte, 1<<20)))(w), broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	checkFiles(t, dir, map[string]string{"run.html": "before"})
	missing := &fs.PathError{Op: "open", Path: "input", Err: fs.ErrNotExist}
	if err := WriteFile(path, func(io.Writer) error { return missing }); !errors.Is(err, missing) ||
		errors.As(err, new(UsageError)) {
		t.Errorf("got %v, want the error of another file", err)
	}
	checkFiles(t, dir, map[string]string{"run.html": "before"})
}

// TestWriteElsewhere: a link leads where it led, a pipe is written into, a folder is not.
func TestWriteElsewhere(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(real, nil, 0o600), os.Symlink("real", link)); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, writes("through")); err != nil {
		t.Fatal(err)
	}
	checkFiles(t, dir, map[string]string{"real": "through", "link": "through"})
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if err := WriteFile(os.DevNull, writes("gone")); err != nil {
		t.Errorf("%s: %v", os.DevNull, err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", os.DevNull, info.Mode(), err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "nosuch", "run.html")} {
		if err := WriteFile(path, writes("")); !errors.As(err, new(UsageError)) || !strings.Contains(err.Error(), path) ||
			strings.Contains(err.Error(), "/.") {
			t.Errorf("%s: %v, want an error that names it", path, err)
		}
	}
	checkFiles(t, dir, map[string]string{"real": "through", "link": "through"})
}
