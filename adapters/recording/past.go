package recording

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/units"
)

// A Place is a file or folder that may have the history of finished runs, as an engine writes it.
type Place struct {
	Name string // as the user named it
	In   fs.FS
	File string // in In
	dir  string // the local folder of In; "" elsewhere
}

// LocalPlace returns a local file or folder. In of a file is its folder, because other files there may belong to it.
func LocalPlace(name string) Place {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return Place{name, os.DirFS(name), ".", name}
	}
	return Place{name, os.DirFS(filepath.Dir(name)), filepath.Base(name), filepath.Dir(name)}
}

// Path returns the name of a file of the place for people.
func (p Place) Path(file string) string {
	if file == p.File {
		return p.Name
	}
	return filepath.Join(p.dir, filepath.FromSlash(file))
}

// IsFolder reports whether the place is a folder.
func (p Place) IsFolder() bool {
	info, err := fs.Stat(p.In, p.File)
	return err == nil && info.IsDir()
}

// A PastReader collects the finished runs of an engine.
type PastReader interface {
	// Read reads a place. has is false, without an error, if nothing of the engine is there.
	Read(ctx context.Context, p Place) (has bool, err error)
	// Runs returns the runs of all places, and the files that were left out.
	Runs() ([]Run, []Skipped)
}

// A Run is a finished run.
type Run struct {
	ID, Name string // "" if only opening the run shows it
	Path     string // for people
	Noun     string // what it is, such as "event log"
	Text     string // what people choose it by
	Jobs     int
	IsFirst  bool // it is played if none of several is chosen
	// Match returns how well an id names the run: 0 not at all, 2 exactly.
	Match func(id string) int
	// Open returns a source of the run. read may be nil; it receives how many bytes were read.
	Open func(o Options, read func(bytes int)) (Source, error)
}

// A Skipped is a file that was left out.
type Skipped struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Choose returns the only run, or the one that an id names. The error lists the runs.
func Choose(runs []Run, id string) (Run, error) {
	if len(runs) == 1 || len(runs) > 0 && id == "" && runs[0].IsFirst {
		return runs[0], nil
	}
	best, found := 0, []Run(nil)
	for _, r := range runs {
		if id == "" {
			break
		}
		switch n := r.Match(id); {
		case n > best:
			best, found = n, []Run{r}
		case n == best && n > 0:
			found = append(found, r)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	var b strings.Builder
	if id == "" || len(found) > 1 {
		fmt.Fprintf(&b, "it holds %s: choose one with --workflow", units.Count(len(runs), runs[0].Noun))
	} else {
		fmt.Fprintf(&b, "it does not hold %s; it holds", id)
	}
	const shown = 20
	for _, r := range runs[:min(len(runs), shown)] {
		b.WriteString("\n  " + r.Text)
	}
	if more := len(runs) - shown; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return Run{}, errors.New(b.String())
}
