package notify_test

import (
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A fullDisk is a store that cannot be written while it is full.
type fullDisk struct {
	*state.Store
	mu   sync.Mutex
	full bool
	n    int // writes that were tried
}

func (f *fullDisk) Update(name string, change func(*state.Workflow) error) error {
	f.mu.Lock()
	full := f.full
	f.n++
	f.mu.Unlock()
	if full {
		return &errNoSpace
	}
	return f.Store.Update(name, change)
}

var errNoSpace = net.OpError{Op: "write", Net: "file", Err: syscall.ENOSPC}

// TestDiskFull: a disk that is full loses no alert and ends no watch. It is logged once, and the alerts are
// written as soon as there is room.
func TestDiskFull(t *testing.T) {
	s := newServer(t, nil)
	disk := &fullDisk{Store: open(t, t.TempDir()), full: true}
	k := newDesk(t, disk, newWebhook(t, s.URL, ""))
	k.keep(frame.OnTrack, "")
	k.keep(frame.AtRisk, "")
	for range 100 {
		k.keep(frame.AtRisk, "")
	}
	if n := len(s.all()); n != 1 {
		t.Errorf("sent %d times, want once", n)
	}
	if n := strings.Count(k.log.String(), "cannot store which alerts"); n != 1 {
		t.Errorf("%d lines: %s", n, k.log.String())
	}
	if disk.n > 4 {
		t.Errorf("%d writes were tried at once", disk.n)
	}
	disk.full = false
	k.pass(time.Minute)
	w, err := disk.Read("nightly.pig")
	if err != nil || !strings.Contains(string(w.Watched["wf_1"]), `"state":"at_risk"`) {
		t.Errorf("stored: %s, %v", w.Watched["wf_1"], err)
	}
}

// TestDiskFullAtTheEnd: the disk is full when the query ends. Its alerts are written once there is room,
// though no watcher runs any more.
func TestDiskFullAtTheEnd(t *testing.T) {
	disk := &fullDisk{Store: open(t, t.TempDir())}
	k := newDesk(t, disk, newWebhook(t, newServer(t, nil).URL, ""))
	k.keep(frame.AtRisk, "")
	disk.full = true
	k.keep(frame.Ended, frame.Met)
	k.w.Close()
	disk.full = false
	k.pass(time.Minute)
	w, err := disk.Read("nightly.pig")
	if err != nil || !strings.Contains(string(w.Watched["wf_1"]), `"ended":true`) {
		t.Errorf("stored: %s, %v", w.Watched["wf_1"], err)
	}
}

// TestWritesOnChange: a tick that changes nothing writes nothing.
func TestWritesOnChange(t *testing.T) {
	disk := &fullDisk{Store: open(t, t.TempDir())}
	k := newDesk(t, disk, newWebhook(t, newServer(t, nil).URL, ""))
	for _, s := range []frame.AlertState{frame.OnTrack, frame.AtRisk} {
		k.keep(s, "")
		n := disk.n
		for range 1000 {
			k.keep(s, "")
		}
		if disk.n != n {
			t.Errorf("%d writes in a thousand ticks that are %s", disk.n-n, s)
		}
	}
}
