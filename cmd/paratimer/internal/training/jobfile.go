package training

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/queueing"
)

const maxBytes = 1 << 20 // of a job file; 100 jobs take 50 kB

// A JobFile is the content of a job file.
type JobFile struct {
	Name string // what is modeled; "" if not set
	queueing.Spec
	Comments []string // lines at the beginning of a written file; ReadJobs does not return them
}

// A JobDocument is a job file as docs/job.schema.json describes it. Its tags are those of plan files (see planfile).
type JobDocument struct {
	Version int            `plan:"version" min:"1" max:"1" title:"1, the only version of job files there is"`
	Name    string         `plan:"name" length:"1-200"`
	Cluster queueing.Spec  `plan:"cluster,required" title:"a mapping that describes the cluster"`
	Jobs    []queueing.Job `plan:"jobs,required" min:"1" max:"100"`
}

// ReadJobFile is ReadJobs for a file; for "-" it reads in. Errors of the file system are *fs.PathError.
func ReadJobFile(path string, in io.Reader) (*JobFile, error) {
	src, name, err := infile.ReadSource(path, in, maxBytes)
	if err != nil {
		return nil, err
	}
	return ReadJobs(src, name)
}

// ReadJobs reads a job file. name is its name in messages. Errors are *planfile.Error, joined in the order of the file;
// the JobFile is then nil.
func ReadJobs(src []byte, name string) (*JobFile, error) {
	var w JobDocument
	doc, err := planfile.Decode(src, name, "job file", &w)
	if err != nil {
		return nil, err
	}
	f, first := &JobFile{Name: dag.Clean(w.Name), Spec: w.Cluster}, map[string]int{}
	for i := range w.Jobs {
		job, at := &w.Jobs[i], []string{"jobs", strconv.Itoa(i)}
		job.Name = dag.Clean(job.Name)
		if before, twice := first[job.Name]; twice {
			doc.Fail(append(at, "name"), fmt.Sprintf("the name %q is that of job %d: results are listed by name, "+
				"so each is given once", job.Name, before+1))
		} else {
			first[job.Name] = i
		}
		check(job, func(field, why string) { doc.Fail(append(at, field), why) })
	}
	f.Jobs = w.Jobs
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// check calls fail for each fault of a job.
func check(j *queueing.Job, fail func(field, why string)) {
	switch {
	case j.Maps == 0:
		fail("maps", "maps is 0: a MapReduce job has at least one map")
	case j.Map.Total() == 0:
		fail("map", "map has no demand: give it cpu, disk, fibre or network")
	}
	switch {
	case j.Reduces > 0 && j.Shuffle.Total()+j.Merge.Total() == 0:
		fail("reduces", fmt.Sprintf("reduces is %d, but shuffle and merge have no demand: give that of a reduce",
			j.Reduces))
	case j.Reduces == 0 && j.Shuffle.Total() > 0:
		fail("shuffle", "shuffle is a demand of reduces, and the job has none: give reduces")
	case j.Reduces == 0 && j.Merge.Total() > 0:
		fail("merge", "merge is a demand of reduces, and the job has none: give reduces")
	}
}

// WriteJobs writes a job file in YAML. ReadJobs returns the same Name and Spec for it. If ReadJobs would not accept the
// file, WriteJobs returns an error and writes nothing.
func WriteJobs(w io.Writer, f *JobFile) error {
	var b bytes.Buffer
	for _, l := range f.Comments { // text of a recording cannot end a line
		fmt.Fprintf(&b, "# %s\n", strings.Map(shown, l))
	}
	if err := planfile.Encode(&b, JobDocument{1, f.Name, f.Spec, f.Jobs}, maxBytes); err != nil {
		return err
	}
	if _, err := ReadJobs(b.Bytes(), "the job file"); err != nil {
		return fmt.Errorf("this is not a job file that could be read again: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}
