package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, l *Log, line string) {
	t.Helper()
	if _, err := l.Write([]byte(line)); err != nil {
		t.Fatal(err)
	}
}

// TestMoved: lines after a move, a removal or a cut go to where the file was, and none is lost.
func TestMoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, l, "1\n")
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	write(t, l, "2\n")
	if old, is := read(t, path+".old"), read(t, path); old != "before\n1\n" || is != "2\n" {
		t.Errorf("moved: %q, %q", old, is)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	write(t, l, "3\n")
	if is := read(t, path); is != "3\n" {
		t.Errorf("removed: %q", is)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil { // logrotate's create
		t.Fatal(err)
	}
	write(t, l, "new\n")
	if old, is := read(t, path+".old"), read(t, path); old != "3\n" || is != "new\n" {
		t.Errorf("moved, another in its place: %q, %q", old, is)
	}
	if err := os.Truncate(path, 0); err != nil { // copytruncate
		t.Fatal(err)
	}
	write(t, l, "4\n")
	if is := read(t, path); is != "4\n" {
		t.Errorf("cut: %q", is)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestNowhereToBeginAnew: without the folder a line is an error, and lines come back with the folder.
func TestNowhereToBeginAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	path := filepath.Join(dir, "a.log")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Write([]byte("1\n")); err == nil {
		t.Error("a line went nowhere, and there is no error")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, l, "2\n")
	if got := read(t, path); got != "2\n" {
		t.Errorf("%q", got)
	}
}

// TestMost: a log and the one before it never take more than twice the most, whole lines each, the newest ones.
func TestMost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	l := &Log{path: path, most: 1000}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 500 {
				if _, err := fmt.Fprintf(l, "line %d of %d\n", i, g); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	write(t, l, "last\n")
	is, old := read(t, path), read(t, path+".1")
	if len(is) > 1000 || len(old) > 1000 || len(old) < 900 || !strings.HasSuffix(is, "last\n") ||
		!strings.HasPrefix(is, "line ") && is != "last\n" || !strings.HasSuffix(old, "\n") {
		t.Errorf("%d and %d bytes: %q", len(is), len(old), is)
	}
	if files, _ := filepath.Glob(path + "*"); len(files) != 2 {
		t.Errorf("%v", files)
	}
}

// TestDevice: a log that is a device is none that grows.
func TestDevice(t *testing.T) {
	l := &Log{path: os.DevNull, most: 10}
	for range 10 {
		write(t, l, "a line of more than ten bytes\n")
	}
}

// TestSecretsAreConcealed checks that `config` shows the value of no secret.
func TestSecretsAreConcealed(t *testing.T) {
	t.Parallel()
	for _, name := range Secrets {
		if v := (settings.Value{Name: name, Values: []string{"x"}}).Concealed(); !v.Secret || v.Values != nil {
			t.Errorf("%s is shown: %+v", name, v)
		}
	}
}
