// Package state stores what is kept between runs: one JSON file per workflow, in a folder that watchers may
// share.
//
// A file is replaced as a whole: written beside the old one, synced, renamed. A reader never sees half of a file
// and needs no lock; writers take turns with a lock file. Files of a newer version are not touched.
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
	"time"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/dag"
)

// Version is the version of the files.
const Version = 1

// A Workflow is the stored history of one workflow. All its runs share its name, e.g. the script's path.
type Workflow struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	Runs    []Run  `json:"runs"` // oldest first
	// Watched has the state of runs that watchers watch or still have to report, by workflow id. Only the
	// watchers interpret the values.
	Watched map[string]json.RawMessage `json:"watched,omitempty"`
}

// A Run is a finished run.
type Run struct {
	ID           string    `json:"id"` // the engine's workflow id
	StartedAt    time.Time `json:"started_at"`
	EndedAt      time.Time `json:"ended_at"`
	State        string    `json:"state"` // dag.State
	User         string    `json:"user,omitempty"`
	Script       string    `json:"script,omitempty"` // the workflow's name as the engine reported it
	TotalSeconds float64   `json:"total_seconds"`
	// WatchedSeconds is how much of that was watched. If two watchers saw a run, the one who saw more takes
	// precedence.
	WatchedSeconds float64 `json:"watched_seconds"`
	// Inferred means that nothing reported the run's end: it was inferred from earlier observations.
	Inferred bool `json:"inferred,omitempty"`
	// Excluded is why the run is not learned from; "" if it is.
	Excluded string `json:"excluded,omitempty"`
	// Profile has the costs that the run showed, as a plan file in JSON, its residuals included; null if it
	// showed none.
	Profile json.RawMessage `json:"profile,omitempty"`
	// Means is true if the profile has means in place of the sizes of each task.
	Means bool `json:"means,omitempty"`
}

// Dir returns the folder of the state by the XDG Base Directory Specification: XDG_STATE_HOME/paratimer, else
// ~/.local/state/paratimer.
func Dir(getenv func(string) string) (string, error) {
	dir := getenv("XDG_STATE_HOME")
	if !strings.HasPrefix(dir, "/") { // the specification ignores relative ones
		home := getenv("HOME")
		if home == "" {
			return "", errors.New("state: no folder for the history: set XDG_STATE_HOME or HOME")
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "paratimer"), nil
}

// A Store is a folder of workflows.
type Store struct{ dir string }

// Open returns the store in a folder, and makes the folder with mode 0700 if it is missing. It removes the locks of
// killed processes.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	s := &Store{dir}
	s.sweep()
	return s, nil
}

// path returns the path of a workflow's file. Names are scripts' paths, or anything else, so the file's name is a
// hash.
func (s *Store) path(name, suffix string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:12])+suffix)
}

// Read returns a workflow. If nothing is remembered of it, it is empty except for its name.
func (s *Store) Read(name string) (*Workflow, error) {
	name = dag.Clean(name)
	path := s.path(name, ".json")
	w, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Workflow{Version: Version, Name: name}, nil
	case err != nil:
		return nil, err
	case w.Name != name:
		return nil, fmt.Errorf("state: %s is of %q, not of %q: remove the file, which was copied there", path, w.Name,
			name)
	}
	return w, nil
}

// maxBytes is more than a workflow's file ever has: a larger file is not from this program.
const maxBytes = 256 << 20

// content returns the bytes of a file of the folder.
func content(path string) ([]byte, error) { return infile.ReadRegular(path, maxBytes) }

func read(path string) (*Workflow, error) {
	b, err := content(path)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	var w Workflow
	err = json.Unmarshal(b, &w)
	switch {
	case w.Version > Version:
		return nil, fmt.Errorf(
			"state: %s has version %d, this program reads %d: use the newer program, or another --state-dir", path,
			w.Version, Version)
	case err == nil && w.Version < 1:
		err = errors.New("it has no version")
	}
	if err != nil {
		return nil, fmt.Errorf("state: %s: %w; remove the file to forget the workflow", path, err)
	}
	w.Name = dag.Clean(w.Name)
	return &w, nil
}

// Update changes a workflow under its lock. If change fails, the file stays as it was. If change leaves neither
// runs nor anything watched, the file is removed.
func (s *Store) Update(name string, change func(*Workflow) error) error {
	name = dag.Clean(name)
	release, err := s.take(name)
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
	if len(w.Runs) == 0 && len(w.Watched) == 0 {
		return s.remove(name)
	}
	w.Version, w.Name = Version, name
	b, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("state: %s: %w", name, err)
	}
	return replace(s.path(name, ".json"), b)
}

// replace writes a file beside path, syncs it, and renames it to path; the folder is synced as well. Its caller has the
// lock of path, so what a killed writer has left there is overwritten.
func replace(path string, b []byte) error {
	beside := path + ".tmp"
	f, err := os.OpenFile(beside, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		_ = os.Remove(beside) // err is the error to report
		return fmt.Errorf("state: %w", err)
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a rename or removal in a folder survive a crash.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err == nil {
		err = errors.Join(dir.Sync(), dir.Close())
	}
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// A file is a file of the store.
type file struct {
	fs.FileInfo
	path string
}

// files returns the store's files with this suffix. It uses no pattern, since a folder's name may contain
// wildcards.
func (s *Store) files(suffix string) (out []file, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		if info, err := e.Info(); err == nil { // else it was removed since
			out = append(out, file{info, filepath.Join(s.dir, e.Name())})
		}
	}
	return out, nil
}

// List returns the names of all workflows, sorted. The error has the files that cannot be read; all others are
// listed.
func (s *Store) List() ([]string, error) {
	files, err := s.files(".json")
	if err != nil {
		return nil, err
	}
	var names []string
	var bad []error
	for _, f := range files {
		w, err := read(f.path)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		names = append(names, w.Name)
	}
	slices.Sort(names)
	return names, errors.Join(bad...)
}

// Forget removes a workflow, with what watchers remember of it.
func (s *Store) Forget(name string) error {
	name = dag.Clean(name)
	release, err := s.take(name)
	if err != nil {
		return err
	}
	defer release()
	return s.remove(name)
}

// remove removes a workflow's file and its lock file, under the lock.
func (s *Store) remove(name string) error {
	err := os.Remove(s.path(name, ".json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("state: %w", err)
	}
	_ = os.Remove(s.path(name, ".lock")) // a file that stays is unlocked
	return syncDir(s.dir)
}

// summaries is the content of the cache file.
type summaries struct {
	Kind      string             `json:"kind"`
	Summaries map[string]summary `json:"summaries"` // by a workflow's file
}

// A summary is the summary of a workflow's file, with the version of the file that it was made from.
type summary struct {
	Of   string          `json:"of"`
	Kept json.RawMessage `json:"kept"`
}

// Summaries returns what summarize makes of each workflow, ordered by file, without null. It caches them in a file
// beside the workflows, so that it reads only workflows that were written since. kind identifies summarize and its
// version: if it changes, all summaries are made anew. The error has the files that cannot be read; all others are
// there. If the folder is not writable nothing is cached.
func (s *Store) Summaries(kind string, summarize func(*Workflow) (json.RawMessage, error)) ([]json.RawMessage, error) {
	files, err := s.files(".json")
	if err != nil {
		return nil, err
	}
	cache := filepath.Join(s.dir, "summaries.cache")
	var old summaries
	if b, err := content(cache); err != nil || json.Unmarshal(b, &old) != nil || old.Kind != kind {
		old.Summaries = nil
	}
	all := summaries{kind, map[string]summary{}}
	var out []json.RawMessage
	var bad []error
	fresh := len(files) != len(old.Summaries)
	for _, f := range files {
		k := old.Summaries[filepath.Base(f.path)]
		if version := fmt.Sprint(f.Size(), f.ModTime().UnixNano()); k.Kept == nil || k.Of != version {
			w, err := read(f.path)
			if err == nil {
				k.Kept, err = summarize(w)
			}
			if err != nil {
				bad = append(bad, err)
				continue
			}
			k.Of, fresh = version, true
		}
		all.Summaries[filepath.Base(f.path)] = k
		if string(k.Kept) != "null" {
			out = append(out, k.Kept)
		}
	}
	if b, err := json.Marshal(all); err == nil && fresh {
		if release, err := lock(cache + ".lock"); err == nil { // else another process writes them
			_ = replace(cache, b) // they can be made again
			release()
		}
	}
	return out, errors.Join(bad...)
}

// Trim forgets the runs of all workflows but the most that were written last, so that names that never return do
// not fill the folder. Watched workflows stay, and so do files that cannot be read.
func (s *Store) Trim(most int) error {
	files, err := s.files(".json")
	if err != nil {
		return err
	}
	slices.SortStableFunc(files, func(a, b file) int { return b.ModTime().Compare(a.ModTime()) })
	for _, f := range files[min(most, len(files)):] {
		w, err := read(f.path)
		if err != nil {
			continue
		}
		err = s.Update(w.Name, func(w *Workflow) error {
			if len(w.Watched) == 0 {
				w.Runs = nil
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
