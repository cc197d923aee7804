package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A summary is the summary of a workflow's file, with the size and time of the file that it was made from.
type summary struct {
	Bytes int64           `json:"bytes"`
	Nanos int64           `json:"modified_ns"`
	Kept  json.RawMessage `json:"kept"`
}

// summaries is the content of the cache file.
type summaries struct {
	Version   int                `json:"version"`
	Kind      string             `json:"kind"`
	Summaries map[string]summary `json:"summaries"` // by a workflow's file
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
	b, err := content(cache)
	if err != nil || json.Unmarshal(b, &old) != nil || old.Version != Version || old.Kind != kind {
		old = summaries{}
	}
	all := summaries{Version, kind, map[string]summary{}}
	var out []json.RawMessage
	var bad []error
	fresh := false
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			continue // forgotten since it was listed
		}
		name := filepath.Base(f)
		k := old.Summaries[name]
		if size, at := info.Size(), info.ModTime().UnixNano(); k.Kept == nil || k.Bytes != size || k.Nanos != at {
			k, fresh = summary{Bytes: size, Nanos: at}, true
			if k.Kept, err = summaryOf(f, summarize); err != nil {
				bad = append(bad, err)
				continue
			}
		}
		all.Summaries[name] = k
		if string(k.Kept) != "null" {
			out = append(out, k.Kept)
		}
	}
	if fresh || len(all.Summaries) != len(old.Summaries) {
		writeSummaries(cache, all)
	}
	return out, errors.Join(bad...)
}

func summaryOf(f string, summarize func(*Workflow) (json.RawMessage, error)) (json.RawMessage, error) {
	w, err := read(f)
	if err != nil {
		return nil, err
	}
	made, err := summarize(w)
	if err != nil {
		return nil, fmt.Errorf("state: %s: %w", f, err)
	}
	return made, nil
}

// writeSummaries writes the cache, unless another process does. Summaries can be made again, so it returns no error.
func writeSummaries(cache string, all summaries) {
	b, err := json.Marshal(all)
	if err != nil {
		return
	}
	if release, err := lock(cache + ".lock"); err == nil {
		_ = replace(cache, b)
		release()
	}
}

// Trim forgets the runs of all workflows but the most that were written last, so that names that never return do
// not fill the folder. Watched workflows stay, and so do files that cannot be read.
func (s *Store) Trim(most int) error {
	files, err := s.files(".json")
	if err != nil || len(files) <= most {
		return err
	}
	written := func(f string) time.Time {
		info, err := os.Stat(f)
		if err != nil {
			return time.Time{} // another process has trimmed as well
		}
		return info.ModTime()
	}
	slices.SortStableFunc(files, func(a, b string) int { return written(a).Compare(written(b)) })
	for _, f := range files[:len(files)-most] {
		w, err := read(f)
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
