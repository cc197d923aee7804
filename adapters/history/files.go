package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Find is the content of files.
type Find struct {
	Jobs    []*Job
	Skipped []recording.Skipped
}

// maxFiles bounds a folder's files.
const maxFiles = 1_000_000

// A Workflow has the jobs that belong together, by job id.
type Workflow struct {
	ID   string // the engine's id; for a single job, the job's id
	Name string
	Jobs []*Job
}

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

// IsHistory reports whether a file is job history or a trace. Any folder may have such files.
func IsHistory(p recording.Place) bool {
	info, err := fs.Stat(p.In, p.File)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil && info.IsDir()
	}
	kind, err := readFile(p.In, p.File, func(r io.Reader) (recording.Kind, error) {
		kind, _, err := recording.Sniff(r)
		return kind, err
	})
	return err == nil && (kind == recording.History || kind == recording.Trace)
}

// NewPastReader returns a reader of the history of MapReduce jobs. The jobs of a workflow may be in several places.
func NewPastReader() recording.PastReader { return &pastReader{} }

type pastReader struct {
	jobs    []*Job
	leftOut []recording.Skipped
}

// Read reads the jobs of a place.
func (r *pastReader) Read(ctx context.Context, p recording.Place) (has bool, err error) {
	found, err := ReadFiles(ctx, p.In, p.File)
	switch {
	case errors.Is(err, ErrOther):
		return false, nil
	case err != nil:
		return true, err
	case len(found.Jobs) == 0 && len(found.Skipped) == 0:
		return false, errors.New("no job history and no event log of Spark in it: files of job history end in .jhist, .jhist.gz, .json or .json.gz")
	case len(found.Jobs) == 0:
		return false, fmt.Errorf("no job history in it that can be used: %s left out, the first one is %s: %s",
			units.Count(len(found.Skipped), "file"), found.Skipped[0].Path, found.Skipped[0].Why)
	}
	for _, j := range found.Jobs {
		j.Place = p.Name
	}
	r.jobs = append(r.jobs, found.Jobs...)
	r.leftOut = append(r.leftOut, found.Skipped...)
	return true, nil
}

// Runs groups the jobs of all places to workflows.
func (r *pastReader) Runs() (runs []recording.Run, leftOut []recording.Skipped) {
	for _, w := range Group(r.jobs) {
		runs = append(runs, recording.Run{
			ID: w.ID, Path: w.Jobs[0].Place, Noun: "workflow",
			Text: fmt.Sprintf("%s %q of %s, %s", w.ID, w.Name, w.Jobs[0].User, units.Count(len(w.Jobs), "job")),
			Match: func(id string) int {
				if w.is(id) {
					return 2
				}
				return 0
			},
			Open: func(o recording.Options) (recording.Source, error) {
				if o.Workflow != "" && !w.is(o.Workflow) {
					return nil, &recording.UnknownError{Workflow: o.Workflow, Holds: []string{w.ID}}
				}
				return NewSource(w, o.Every)
			},
		})
	}
	return runs, r.leftOut
}

// Group sorts jobs into workflows by the submission of their first jobs. If a job has several histories, the fuller
// one is used. A job without a workflow is a workflow by itself.
func Group(jobs []*Job) []*Workflow {
	newest := map[string]*Job{}
	for _, j := range jobs {
		if was := newest[j.ID]; was == nil || fuller(j, was) {
			newest[j.ID] = j
		}
	}
	byID := map[string]*Workflow{}
	for _, id := range slices.SortedFunc(maps.Keys(newest), yarn.ByID) {
		j := newest[id]
		key := cmp.Or(j.Settings.Workflow, j.ID)
		w := byID[key]
		if w == nil {
			w = &Workflow{ID: key, Name: cmp.Or(j.Settings.WorkflowName, naming.PigScript(j.Name))}
			byID[key] = w
		}
		w.Jobs = append(w.Jobs, j)
	}
	out := slices.Collect(maps.Values(byID))
	slices.SortFunc(out, func(a, b *Workflow) int {
		return cmp.Or(cmp.Compare(a.Jobs[0].Submitted, b.Jobs[0].Submitted), yarn.ByID(a.Jobs[0].ID, b.Jobs[0].ID),
			cmp.Compare(a.ID, b.ID))
	})
	for _, w := range out {
		w.launches()
	}
	return out
}

// fuller reports whether a has more of the job than b. A running job's file may be copied while it grows, and only
// one of two copies may have a configuration.
func fuller(a, b *Job) bool {
	switch {
	case a.Ended() != b.Ended():
		return a.Ended()
	case a.Last != b.Last:
		return a.Last > b.Last
	}
	return a.Configured && !b.Configured
}

// launches separates the batches of a script if no configuration names them. Jobs of one batch have the same graph,
// and a batch is submitted after the end of the previous one.
func (w *Workflow) launches() {
	key := map[string]string{}
	for i, j := range w.Jobs {
		if j.Settings.Launch != "" || j.Settings.Workflow == "" {
			continue
		}
		graph := fmt.Sprint(j.Settings.After) // fmt prints maps in key order
		if len(j.Settings.After) == 0 {
			graph = "node " + j.Settings.Node
		}
		if _, known := key[graph]; !known {
			key[graph] = j.ID
			for _, b := range w.Jobs[:i] {
				if b.Settings.Launch != "" && (!b.Finished.Known() || b.Finished > j.Submitted) {
					key[graph] = b.Settings.Launch // they overlap, so they are one batch
				}
			}
		}
		j.Settings.Launch = key[graph]
	}
}

func (w *Workflow) is(id string) bool {
	return w.ID == id || slices.ContainsFunc(w.Jobs, func(j *Job) bool {
		return j.ID == id || strings.Replace(j.ID, "job_", "application_", 1) == id
	})
}

// Used returns the resource usage of the workflow's succeeded tasks.
func (s *Source) Used() mapreduce.Used {
	all := mapreduce.Used{}
	for _, j := range s.jobs {
		for _, a := range j.all() {
			if a.State == dag.AttemptSucceeded {
				all[mapreduce.TaskID{Job: j.ID, Kind: a.Kind, Index: a.Task}] = a.Usage
			}
		}
	}
	return all
}
