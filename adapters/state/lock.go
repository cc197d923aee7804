package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Patience with a lock: writers hold it for a write. One that is stopped in the middle must not stop the others for
// ever.
const (
	patience  = 30 * time.Second
	firstWait = time.Millisecond
	mostWait  = 50 * time.Millisecond
)

// take takes a workflow's lock, and sweeps away what a writer that was killed while it held it left behind.
func (s *Store) take(name string) (release func(), err error) {
	path := s.path(name, ".lock")
	waited := time.Duration(0)
	for wait := firstWait; ; wait = min(2*wait, mostWait) {
		release, err := lock(path)
		if !errors.Is(err, ErrLocked) {
			if err == nil {
				s.sweepOf(path)
			}
			return release, err
		}
		if waited >= patience {
			return nil, fmt.Errorf("state: %s: %w, and has for %v: is a `paratimer` process stopped?", path, err,
				patience)
		}
		time.Sleep(wait)
		waited += wait
	}
}

// Elect makes this process the one that acts under a name, until release is called or the process ends. It returns
// ErrLocked at once where another one is. The kernel frees the lock of a process that dies. Nothing of it stays.
func (s *Store) Elect(name string) (release func(), err error) {
	path := s.path(dag.Clean(name), leader)
	unlock, err := lock(path)
	if err != nil {
		return nil, err
	}
	return func() {
		_ = os.Remove(path) // while it is held; where it cannot be removed it stays, and is free
		unlock()
	}, nil
}

// lock takes a lock or returns ErrLocked. It is bound to the open file: of two in one process, one gets it. A lock's
// file may be removed by who holds it, so one that is held and no longer the file of that name is none.
func lock(path string) (release func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("state: %w", err)
		}
		if err := flock(f); err != nil {
			f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, ErrLocked
			}
			return nil, fmt.Errorf("state: %s: %w", path, err)
		}
		if current(f, path) {
			return func() { f.Close() }, nil
		}
		f.Close()
	}
}

// current says whether an open file is still the one at its path.
func current(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}

// Endings of files.
const (
	leftover = ".tmp"
	leader   = ".leader"
)

// sweep removes what killed processes left behind: files half written, of workflows whose lock is free, and locks of
// leaders. What cannot be removed stays: it is read by nobody.
func (s *Store) sweep() {
	leaders, _ := s.files(leader) // an error is the next one's as well
	for _, path := range leaders {
		if release, err := lock(path); err == nil {
			_ = os.Remove(path)
			release()
		}
	}
	files, err := s.files(leftover)
	if err != nil {
		return
	}
	for _, f := range files {
		hash, _, _ := strings.Cut(filepath.Base(f), ".")
		path := filepath.Join(s.dir, hash+".lock")
		if release, err := lock(path); err == nil {
			s.sweepOf(path)
			release()
		}
	}
}

// sweepOf removes the leftovers of the workflow of a lock, which must be held: whoever writes holds it.
func (s *Store) sweepOf(lock string) {
	files, err := s.files(leftover)
	if err != nil {
		return
	}
	hash := strings.TrimSuffix(filepath.Base(lock), ".lock")
	for _, f := range files {
		if strings.HasPrefix(filepath.Base(f), hash+".") {
			_ = os.Remove(f) // see sweep
		}
	}
}

// files are the store's files whose names end so. Folders' names may hold what a pattern would take for its own.
func (s *Store) files(suffix string) ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	var out []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			out = append(out, filepath.Join(s.dir, e.Name()))
		}
	}
	return out, nil
}
