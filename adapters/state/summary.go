package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A summary is the summary of a workflow's file, with the size and time of the file that it was made from.
type summary struct {
	Bytes  int64           `json:"bytes"`
	Nanos  int64           `json:"modified_ns"`
	Kept   json.RawMessage `json:"kept"`
	listed bool
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
	kept := readSummaries(cache, kind)
	var out []json.RawMessage
	var bad []error
	fresh := false
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			continue // forgotten since it was listed
		}
		name := filepath.Base(f)
		k := kept[name]
		if k == nil || k.Bytes != info.Size() || k.Nanos != info.ModTime().UnixNano() {
			k, err = summaryOf(f, info, summarize)
			if err != nil {
				bad = append(bad, err)
				continue
			}
			kept[name], fresh = k, true
		}
		if k.listed = true; string(k.Kept) != "null" {
			out = append(out, k.Kept)
		}
	}
	for name, k := range kept {
		if !k.listed {
			delete(kept, name)
			fresh = true
		}
	}
	if fresh {
		writeSummaries(cache, kind, kept)
	}
	return out, errors.Join(bad...)
}

func summaryOf(f string, info os.FileInfo, summarize func(*Workflow) (json.RawMessage, error)) (*summary, error) {
	w, err := read(f)
	if err != nil {
		return nil, err
	}
	made, err := summarize(w)
	if err != nil {
		return nil, fmt.Errorf("state: %s: %w", f, err)
	}
	return &summary{Bytes: info.Size(), Nanos: info.ModTime().UnixNano(), Kept: made}, nil
}

// summaries is the content of the cache file.
type summaries struct {
	Version   int                 `json:"version"`
	Kind      string              `json:"kind"`
	Summaries map[string]*summary `json:"summaries"` // by a workflow's file
}

// readSummaries reads the cached summaries. If it cannot use the file, it returns none.
func readSummaries(cache, kind string) map[string]*summary {
	var all summaries
	b, err := content(cache)
	if err != nil || json.Unmarshal(b, &all) != nil || all.Version != Version || all.Kind != kind {
		return map[string]*summary{}
	}
	for name, k := range all.Summaries {
		if k == nil || k.Kept == nil {
			delete(all.Summaries, name)
		}
	}
	if all.Summaries == nil {
		all.Summaries = map[string]*summary{}
	}
	return all.Summaries
}

func writeSummaries(cache, kind string, kept map[string]*summary) {
	b, err := json.Marshal(summaries{Version, kind, kept})
	if err == nil {
		_ = replace(cache, b) // summaries can be made again
	}
}

// Trim forgets the runs of all workflows but the most that were written last, so that names that never return do
// not fill the folder. Watched workflows stay, and so do files that cannot be read.
func (s *Store) Trim(most int) error {
	files, err := s.files(".json")
	if err != nil || len(files) <= most {
		return err
	}
	written := map[string]time.Time{}
	for _, f := range files {
		info, err := os.Stat(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has trimmed as well
		}
		if err != nil {
			return fmt.Errorf("state: %w", err)
		}
		written[f] = info.ModTime()
	}
	slices.SortStableFunc(files, func(a, b string) int { return written[a].Compare(written[b]) })
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
