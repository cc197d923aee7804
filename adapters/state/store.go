package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A Store is a folder of workflows.
type Store struct{ dir string }

// Open returns the store in a folder, which is made with mode 0700 where it is missing.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	return &Store{dir}, nil
}

// path is the file of a workflow. Names are scripts' paths, and anything else: a hash makes a file name of them.
func (s *Store) path(name, suffix string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:12])+suffix)
}

// Read returns a workflow; one that nothing is remembered of is empty but for its name.
func (s *Store) Read(name string) (*Workflow, error) {
	w, err := read(s.path(name, ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return &Workflow{Version: Version, Name: name}, nil
	}
	return w, err
}

func read(path string) (*Workflow, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	var w Workflow
	if err := json.Unmarshal(b, &w); err != nil {
		return nil, fmt.Errorf("state: %s: %w; remove the file to forget the workflow", path, err)
	}
	if w.Version != Version {
		return nil, fmt.Errorf("state: %s has version %d, this program knows %d", path, w.Version, Version)
	}
	return &w, nil
}

// Update changes a workflow under its lock. An error of change leaves the file as it was.
func (s *Store) Update(name string, change func(*Workflow) error) error {
	release, err := lock(s.path(name, ".lock"), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer release()
	w, err := s.Read(name)
	if err != nil {
		return err
	}
	if err := change(w); err != nil {
		return err
	}
	b, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("state: %s: %w", name, err)
	}
	return replace(s.path(name, ".json"), b)
}

// replace writes a file beside path, syncs it, and renames it to path; the folder is synced as well.
func replace(path string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error is the one to tell
		}
	}()
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// List returns the names of all workflows, sorted. Files that cannot be read are in the error; the others are listed.
func (s *Store) List() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(s.dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	var names []string
	var bad []error
	for _, f := range files {
		w, err := read(f)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		names = append(names, w.Name)
	}
	slices.Sort(names)
	return names, errors.Join(bad...)
}

// Forget removes a workflow.
func (s *Store) Forget(name string) error {
	release, err := lock(s.path(name, ".lock"), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer release()
	if err := os.Remove(s.path(name, ".json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// Elect makes this process the one that acts under a name, until release is called or the process ends. It returns
// ErrLocked at once where another one is. The kernel frees the lock of a process that dies.
func (s *Store) Elect(name string) (release func(), err error) {
	return lock(s.path(name, ".leader"), syscall.LOCK_EX|syscall.LOCK_NB)
}

func lock(path string, how int) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, fmt.Errorf("state: %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// Dir is the folder of the state by the XDG Base Directory Specification: XDG_STATE_HOME/paratimer, else
// ~/.local/state/paratimer.
func Dir(getenv func(string) string) (string, error) {
	dir := getenv("XDG_STATE_HOME")
	if !strings.HasPrefix(dir, "/") { // the specification has relative ones ignored
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("state: where to remember? Set XDG_STATE_HOME: %w", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "paratimer"), nil
}
