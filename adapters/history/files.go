package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/recording"
)

// A Find is the content of files.
type Find struct {
	Jobs    []*Job
	Skipped []recording.Skipped
}

// maxFiles bounds a folder's files.
const maxFiles = 1_000_000

// ReadFiles reads a file, or all files of a folder and its subfolders with names of history files. Unusable files of a
// folder are left out and listed in Skipped. If name is an unusable file, ReadFiles returns an error. Jobs get the
// settings of their configurations, if these are in the same folder.
func ReadFiles(ctx context.Context, in fs.FS, name string) (*Find, error) {
	info, err := fs.Stat(in, name)
	if err != nil {
		return nil, err
	}
	f := &Find{}
	if !info.IsDir() {
		return f, f.file(in, name)
	}
	err = input.EachFile(ctx, in, name, maxFiles, f.skip, func(name string, d fs.DirEntry) error {
		if len(f.Jobs) > maxJobs {
			return fmt.Errorf("%s: more than %d jobs: give a smaller folder", name, maxJobs)
		}
		// Other files are not opened.
		if plain := strings.TrimSuffix(name, ".gz"); !strings.HasSuffix(plain, ".jhist") && !strings.HasSuffix(plain, ".json") {
			return nil
		}
		err := errors.New("it is not a file")
		if d.Type()&^fs.ModeSymlink == 0 { // opening a pipe would block forever
			err = f.file(in, name)
		}
		if err != nil && !errors.Is(err, errEventLog) { // package spark reads those
			f.skip(name, err)
		}
		return nil
	})
	slices.SortStableFunc(f.Skipped, func(a, b recording.Skipped) int { return cmp.Compare(a.Path, b.Path) })
	return f, err
}

func (f *Find) skip(name string, err error) {
	f.Skipped = append(f.Skipped, recording.Skipped{Path: name, Why: err.Error()})
}

// file reads the jobs of one file, and the configuration of its job.
func (f *Find) file(in fs.FS, name string) error {
	jobs, err := readFile(in, name, Read)
	if err != nil {
		return err
	}
	f.Jobs = append(f.Jobs, jobs...)
	if len(jobs) > 1 {
		return nil // a trace, which has all that is known
	}
	for _, end := range []string{"_conf.xml", "_conf.xml.gz"} {
		conf := path.Join(path.Dir(name), jobs[0].ID+end)
		if info, err := fs.Stat(in, conf); err != nil || !info.Mode().IsRegular() || jobs[0].Configured {
			continue
		}
		if properties, err := readFile(in, conf, readConf); err != nil {
			f.skip(conf, err)
		} else {
			jobs[0].Configure(properties)
		}
	}
	return nil
}

func readFile[T any](in fs.FS, name string, read func(io.Reader) (T, error)) (content T, err error) {
	r, err := in.Open(name)
	if err != nil {
		return content, err
	}
	defer func() { _ = r.Close() }() // it was only read
	return read(r)
}
