package state

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// ErrLocked means that another process has the lock.
var ErrLocked = errors.New("another process holds the lock")

// Writers keep a lock only while they write. take waits for a lock for patience at most, so that a stopped process
// does not block the others for ever.
const (
	patience = 30 * time.Second
	pause    = 10 * time.Millisecond
)

// take locks a workflow.
func (s *Store) take(name string) (release func(), err error) {
	path := s.path(name, ".lock")
	for waited := time.Duration(0); ; waited += pause {
		release, err := lock(path)
		if !errors.Is(err, ErrLocked) {
			return release, err
		}
		if waited >= patience {
			return nil, fmt.Errorf("state: %s: %w, and has for %v: is a `paratimer` process stopped?", path, err,
				patience)
		}
		time.Sleep(pause)
	}
}

// leader is the suffix of locks of leaders.
const leader = ".leader"

// Elect makes this process the only one that acts under a name, until release is called or the process ends. If
// another process has been elected it returns ErrLocked at once. The kernel frees the lock of a process that dies.
func (s *Store) Elect(name string) (release func(), err error) {
	path := s.path(dag.Clean(name), leader)
	unlock, err := lock(path)
	if err != nil {
		return nil, err
	}
	return func() {
		_ = os.Remove(path) // under the lock; a file that cannot be removed stays, and is unlocked
		unlock()
	}, nil
}

// lock locks a file or returns ErrLocked. The lock belongs to the open file: if one process opens the file twice,
// only one gets the lock. Its owner may remove the file, so a locked file that is no longer the one at path does
// not count.
func lock(path string) (release func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("state: %w", err)
		}
		err = flock(f)
		if err == nil && current(f, path) {
			return func() { f.Close() }, nil
		}
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		if err != nil {
			return nil, fmt.Errorf("state: %s: %w", path, err)
		}
	}
}

// current reports whether an open file is still the one at its path.
func current(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// sweep removes the locks of leaders that were killed. A file that cannot be removed stays.
func (s *Store) sweep() {
	leaders, _ := s.files(leader) // the next call of files returns the same error
	for _, f := range leaders {
		if release, err := lock(f.path); err == nil {
			_ = os.Remove(f.path)
			release()
		}
	}
}
