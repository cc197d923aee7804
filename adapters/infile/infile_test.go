package infile

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestOpen holds what is opened and what is refused. A pipe that nobody writes to must be refused without opening it:
// that waits.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, pipe, socket := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for path, want := range map[string]string{
		file: "", dir: "", pipe: "it is a pipe", socket: "it is a pipe, a device or a socket",
		"/dev/zero":                "give a regular file",
		filepath.Join(dir, "none"): "no such file", os.DevNull: "",
	} {
		f, err := OpenRegular(path)
		if err == nil {
			f.Close()
		}
		if got := text(err); got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("OpenRegular(%s): %q, want %q", path, got, want)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for path, want := range map[string]string{
		file: "", "/dev/fd/" + strconv.Itoa(int(r.Fd())): "", os.DevNull: "",
		socket: "a pipe that ends", "/dev/zero": "a pipe that ends",
	} {
		f, err := Open(path)
		if err == nil {
			f.Close()
		}
		if got := text(err); got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("Open(%s): %q, want %q", path, got, want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
