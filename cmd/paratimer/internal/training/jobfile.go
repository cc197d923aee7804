package training

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/queueing"
)

const (
	maxBytes   = 1 << 20 // of a job file; 100 jobs take 50 kB
	maxSeconds = 1e7     // of a service time: 115 days
)

// A JobFile is the content of a job file.
type JobFile struct {
	Name string // what is modeled; "" if not set
	queueing.Spec
	Comments []string // lines at the beginning of a written file; ReadJobs does not return them
}

// The structs of a file. Their tags are those of plan files (package planfile).
type (
	// JobDocument is a job file as docs/job.schema.json describes it.
	JobDocument struct {
		Version int           `plan:"version" min:"1" max:"1" title:"1, the only version of job files there is"`
		Name    string        `plan:"name" length:"1-200"`
		Cluster queueing.Spec `plan:"cluster,required" title:"a mapping that describes the cluster"`
		Jobs    []job         `plan:"jobs,required" min:"1" max:"100"`
	}
	job struct {
		queueing.Job
		Map     *demand `plan:"map,required"`
		Shuffle *demand `plan:"shuffle"`
		Merge   *demand `plan:"merge"`
	}
	// demand has times as written: a number without unit is seconds.
	demand struct {
		CPU     string `plan:"cpu,time"`
		Disk    string `plan:"disk,time"`
		Fibre   string `plan:"fibre,time"`
		Network string `plan:"network,time"`
	}
)

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
			doc.Fail(sub(at, "name"), fmt.Sprintf("the name %q is that of job %d: results are told apart by names, "+
				"so each is given once", job.Name, before+1))
		} else {
			first[job.Name] = i
		}
		f.Jobs = append(f.Jobs, job.of(doc, at))
	}
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// of returns the job at a path of the file, and adds its faults to the document.
func (w *job) of(doc *planfile.Document, at []string) queueing.Job {
	fail := func(field, why string) { doc.Fail(sub(at, field), why) }
	j := w.Job
	j.Map = w.Map.of(doc, sub(at, "map"))
	j.Shuffle = w.Shuffle.of(doc, sub(at, "shuffle"))
	j.Merge = w.Merge.of(doc, sub(at, "merge"))
	switch {
	case j.Maps == 0:
		fail("maps", "maps is 0: a MapReduce job has at least one map")
	case j.Map.Total() == 0:
		fail("map", "map asks for nothing: give it cpu, disk, fibre or network")
	}
	switch {
	case j.Reduces > 0 && j.Shuffle.Total()+j.Merge.Total() == 0:
		fail("reduces", fmt.Sprintf("reduces is %d, but shuffle and merge ask for nothing: give what a reduce needs",
			j.Reduces))
	case j.Reduces == 0 && w.Shuffle != nil:
		fail("shuffle", "shuffle is what a reduce asks for, and the job has none: give reduces")
	case j.Reduces == 0 && w.Merge != nil:
		fail("merge", "merge is what a reduce asks for, and the job has none: give reduces")
	}
	return j
}

// of returns the service times of a class. Faults name the resource.
func (w *demand) of(doc *planfile.Document, at []string) (d queueing.Demand) {
	if w == nil {
		return d
	}
	for _, r := range []struct {
		name, text string
		to         *float64
	}{{"cpu", w.CPU, &d.CPU}, {"disk", w.Disk, &d.Disk}, {"fibre", w.Fibre, &d.Fibre}, {"network", w.Network, &d.Network}} {
		if r.text == "" {
			continue
		}
		v, ok := secondsOf(r.text)
		switch {
		case !ok:
			doc.Fail(sub(at, r.name), fmt.Sprintf(
				"%s is %.40q: it must be a time, 0 or more, such as 5.1s or 250ms; a number alone is seconds", r.name, r.text))
			v = math.NaN() // not zero
		case v > maxSeconds:
			doc.Fail(sub(at, r.name), fmt.Sprintf("%s is %.40s, more than the supported %.0f s", r.name, r.text, maxSeconds))
		}
		*r.to = v
	}
	return d
}

// sub returns the path of a field, without changes to paths that share at.
func sub(at []string, field string) []string { return append(at[:len(at):len(at)], field) }

// secondsOf parses a time. A number alone is exact: a conversion to milliseconds would round it.
func secondsOf(s string) (v float64, ok bool) {
	if v, err := strconv.ParseFloat(strings.TrimSuffix(s, "s"), 64); err == nil {
		return v, v >= 0 && !math.IsInf(v, 0)
	}
	ms, ok := planfile.ParseTime(s)
	return ms / 1000, ok
}
