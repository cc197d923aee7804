package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// Trim forgets the runs of workflows beyond the most that were written last, so that names that never come again do not
// fill the folder. What is watched stays, and so do files that cannot be read.
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
