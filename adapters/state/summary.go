package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

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
