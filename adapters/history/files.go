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

	"github.com/paratimer/paratimer/units"
)

// A Skipped is a file that was left out.
type Skipped struct {
	Path string
	Why  string
}

// A Find is the content of files.
type Find struct {
	Jobs    []*Job
	Files   int // files with history
	Skipped []Skipped
	confs   map[string]string // path of a job's configuration, by job id
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
	f := &Find{confs: map[string]string{}}
	if !info.IsDir() {
		if err := f.file(in, name); err != nil {
			return nil, err
		}
		f.beside(in, path.Dir(name))
		f.configure(in)
		return f, nil
	}
	n := 0
	err = fs.WalkDir(in, name, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && d != nil && d.IsDir():
			f.skip(name, err)
			return fs.SkipDir
		case err != nil || d.IsDir():
			return err
		case d.Type()&^fs.ModeSymlink != 0 && candidate(name): // opening a pipe would block forever
			f.skip(name, errors.New("it is not a file"))
			return nil
		}
		if n++; n > maxFiles || len(f.Jobs) > maxJobs {
			return fmt.Errorf("%s: more than %d files or %d jobs: give a smaller folder", name, maxFiles, maxJobs)
		}
		if job, ok := confOf(name); ok {
			f.confs[job] = name
		} else if candidate(name) {
			if err := f.file(in, name); err != nil && !errors.Is(err, errEventLog) { // package spark reads those
				f.skip(name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	f.configure(in)
	return f, nil
}

// Nothing returns the error for a find without a job.
func (f *Find) Nothing() error {
	if len(f.Skipped) == 0 {
		return errors.New("no job history and no event log of Spark in it: files of job history end in .jhist, .jhist.gz, .json or .json.gz")
	}
	return fmt.Errorf("no job history in it that can be used: %s left out, the first one is %s: %s",
		units.Count(len(f.Skipped), "file"), f.Skipped[0].Path, f.Skipped[0].Why)
}

func (f *Find) skip(name string, err error) {
	f.Skipped = append(f.Skipped, Skipped{name, err.Error()})
}

// candidate reports whether a file has the name of a history file. Other files of a folder are not opened.
func candidate(name string) bool {
	name = strings.TrimSuffix(name, ".gz")
	return strings.HasSuffix(name, ".jhist") || strings.HasSuffix(name, ".json")
}

// confOf returns the job of a configuration file, by its name.
func confOf(name string) (job string, ok bool) {
	base, ok := strings.CutSuffix(strings.TrimSuffix(path.Base(name), ".gz"), "_conf.xml")
	at := strings.LastIndex(base, "job_")
	return base[max(at, 0):], ok && at >= 0
}

// file reads the jobs of one file.
func (f *Find) file(in fs.FS, name string) error {
	jobs, err := readFile(in, name, Read)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		j.File = name
	}
	f.Jobs, f.Files = append(f.Jobs, jobs...), f.Files+1
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

// beside looks for a configuration of each job in the file's folder.
func (f *Find) beside(in fs.FS, folder string) {
	for _, j := range f.Jobs {
		for _, end := range []string{"_conf.xml", "_conf.xml.gz"} {
			name := path.Join(folder, j.ID+end)
			if info, err := fs.Stat(in, name); err == nil && info.Mode().IsRegular() {
				f.confs[j.ID] = name
			}
		}
	}
}

// configure reads the jobs' configurations.
func (f *Find) configure(in fs.FS) {
	for _, j := range f.Jobs {
		name := f.confs[j.ID]
		if name == "" || j.Configured {
			continue
		}
		properties, err := readFile(in, name, readConf)
		if err != nil {
			f.skip(name, err)
			continue
		}
		j.Configure(properties)
	}
	slices.SortStableFunc(f.Skipped, func(a, b Skipped) int { return cmp.Compare(a.Path, b.Path) })
}
