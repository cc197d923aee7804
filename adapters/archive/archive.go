// Package archive finds the history of finished jobs in files and folders: job history files with their
// configurations, and Rumen traces, plain or gzipped.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/jhist"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rumen"
	"github.com/paratimer/paratimer/units"
)

// A Skipped is a file that was left out.
type Skipped struct {
	Path string
	Why  string
}

// A Find is the content of files.
type Find struct {
	Jobs    []*past.Job
	Files   int // files with history
	Skipped []Skipped
	confs   map[string]string // path of a job's configuration, by job id
}

// maxFiles bounds a folder's files, and maxJobs the jobs in memory at once.
const (
	maxFiles = 1_000_000
	maxJobs  = 100_000
)

// Read reads a file, or all files of a folder and its subfolders with names of history files. Unusable files of a
// folder are left out and listed in Skipped. If name is an unusable file, Read returns an error.
func Read(ctx context.Context, in fs.FS, name string) (*Find, error) {
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
		return f, f.configure(in)
	}
	seen := 0
	err = fs.WalkDir(in, name, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && d != nil && d.IsDir():
			f.skip(name, err)
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case d.Type()&^fs.ModeSymlink != 0 && candidate(name): // opening a pipe would block forever
			f.skip(name, errors.New("it is not a file"))
			return nil
		}
		if seen++; seen > maxFiles || len(f.Jobs) > maxJobs {
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
	return f, f.configure(in)
}

// Nothing returns the error for a find without a job.
func (f *Find) Nothing() error {
	if len(f.Skipped) == 0 {
		return errors.New("no job history and no event log of Spark in it: files of job history end in .jhist, .jhist.gz, .json or .json.gz, or are called job_201109281530_0001_user_name")
	}
	return fmt.Errorf("no job history in it that can be used: %s left out, the first one is %s: %s",
		units.Count(len(f.Skipped), "file"), f.Skipped[0].Path, f.Skipped[0].Why)
}

func (f *Find) skip(name string, err error) {
	f.Skipped = append(f.Skipped, Skipped{name, err.Error()})
}

// trackerFile matches the name of a JobTracker's history file: the JobTracker's host and start (before Hadoop 1.0),
// the job, its user and name.
var trackerFile = regexp.MustCompile(`^([^.].*_)?job_[0-9]{12}_[0-9]+_`)

// candidate reports whether a file has the name of a history file. Other files of a folder are not opened.
func candidate(name string) bool {
	name = strings.TrimSuffix(path.Base(name), ".gz")
	return strings.HasSuffix(name, ".jhist") || strings.HasSuffix(name, ".json") || trackerFile.MatchString(name) &&
		!strings.HasSuffix(name, ".crc")
}

// confOf returns the job of a configuration file, by its name.
func confOf(name string) (job string, ok bool) {
	base, ok := strings.CutSuffix(strings.TrimSuffix(path.Base(name), ".gz"), "_conf.xml")
	if at := strings.LastIndex(base, "job_"); ok && at >= 0 {
		return base[at:], true
	}
	return "", false
}

// ErrOther means that a file is not a history that this package can read.
var ErrOther = errors.New("neither a job history file nor a Rumen trace, nor a history file of Tez or an event log of Spark")

// errEventLog means that a file is an event log of Spark.
var errEventLog = fmt.Errorf("%w: it is an event log of Spark", ErrOther)

// file reads the jobs of one file.
func (f *Find) file(in fs.FS, name string) error {
	r, err := in.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // it was only read
	jobs, err := Jobs(r)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		j.File = name
	}
	f.Jobs = append(f.Jobs, jobs...)
	f.Files++
	return nil
}

// Jobs reads the jobs of one history file or trace.
func Jobs(r io.Reader) ([]*past.Job, error) {
	kind, all, err := recording.Sniff(r)
	switch {
	case err != nil:
		return nil, err
	case kind == recording.History:
		return jhist.Read(all)
	case kind == recording.Trace:
		return rumen.Read(all)
	case kind == recording.EventLog:
		return nil, errEventLog
	}
	return nil, ErrOther
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
func (f *Find) configure(in fs.FS) error {
	for _, j := range f.Jobs {
		name, ok := f.confs[j.ID]
		if !ok || j.Configured {
			continue
		}
		if properties, err := conf(in, name); err != nil {
			f.skip(name, err)
		} else {
			jhist.Configure(j, properties)
		}
	}
	slices.SortStableFunc(f.Skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func conf(in fs.FS, name string) ([]mrjob.Property, error) {
	r, err := in.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	_, all, err := recording.Sniff(r)
	if err != nil {
		return nil, err
	}
	return jhist.ReadConf(all)
}
