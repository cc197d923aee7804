package recording

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
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
