package notify_test

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// fullDiskChild marks the process of TestFullDisk in which no file may grow.
const fullDiskChild = "TEST_FULL_DISK"

// TestFullDisk: a file system that takes no more while a query becomes late. Alertmanager is notified all the same, the
// state stays whole as it was, and is as it should be once there is room.
func TestFullDisk(t *testing.T) {
	if os.Getenv(fullDiskChild) != "" {
		notifyWithoutRoom(t)
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), fullDiskChild+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestFullDisk")) {
		t.Errorf("%v\n%s", err, out)
	}
}

const noLimit = ^uint64(0)

func notifyWithoutRoom(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ) // so that a write fails instead
	dir := t.TempDir()
	var k *desk
	s := newServer(t, dated(func() time.Time { return k.now() }))
	k = newDesk(t, open(t, dir), newAlertmanager(t, &k, s.URL, notify.NewClient(nil)))
	k.keep(frame.OnTrack, "")
	before := files(t, dir)
	if len(before) != 1 {
		t.Fatalf("the folder has %d files of state", len(before))
	}

	limit(t, 64) // some bytes of a file are written, and then no more
	k.keep(frame.AtRisk, "")
	k.pass(5 * time.Minute)
	k.keep(frame.Late, "")
	if all := posts(t, s); len(all) != 6 || all[5].Annotations["state"] != "late" {
		t.Errorf("posted %d times: at risk, four times again, and late are six", len(all))
	}
	if n := strings.Count(k.log.String(), syscall.EFBIG.Error()); n != 1 {
		t.Errorf("%d lines about the full disk: %s", n, k.log.String())
	}
	after := files(t, dir)
	for path, b := range after {
		if !bytes.Equal(b, before[path]) {
			t.Errorf("%s was %q and is %q", path, before[path], b)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files instead of %d", len(after), len(before))
	}

	limit(t, noLimit)
	k.pass(time.Minute)
	w, err := open(t, dir).Read("nightly.pig")
	if err != nil {
		t.Fatal(err)
	}
	if is := string(w.Watched["wf_1"]); !strings.Contains(is, `"state":"late"`) {
		t.Errorf("stored: %s", is)
	}
	if n := len(files(t, dir)); n != 1 {
		t.Errorf("%d files, want the one", n)
	}
}

// limit is how many bytes files of this process may have from now on.
func limit(t *testing.T, bytes uint64) {
	t.Helper()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: noLimit}); err != nil {
		t.Fatal(err)
	}
}

// files are the files of a folder, but for locks, by path.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range all {
		if ext := filepath.Ext(f.Name()); ext == ".lock" || ext == ".leader" {
			continue
		}
		if out[f.Name()], err = os.ReadFile(filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
