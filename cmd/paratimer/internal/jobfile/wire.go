package jobfile

import (
	"fmt"
	"strconv"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/queueing"
)

// The structs of a file. Their tags are those of plan files (package planfile).
type (
	// Document is a job file as docs/job.schema.json describes it.
	Document struct {
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

// A reader converts the decoded structs to a File. Faults are added to doc, warnings to doubts.
type reader struct {
	doc    *planfile.Document
	doubts planfile.Document
}

func (r *reader) file(w *Document) *File {
	f := &File{Name: dag.Clean(w.Name), Spec: w.Cluster}
	first := map[string]int{}
	for i := range w.Jobs {
		at := []string{"jobs", strconv.Itoa(i)}
		w.Jobs[i].Name = dag.Clean(w.Jobs[i].Name)
		if before, twice := first[w.Jobs[i].Name]; twice {
			r.doc.Fail(sub(at, "name"),
				fmt.Sprintf("the name %q is that of job %d: results are told apart by names, so each is given once",
					w.Jobs[i].Name, before+1))
		} else {
			first[w.Jobs[i].Name] = i
		}
		f.Jobs = append(f.Jobs, r.job(&w.Jobs[i], at))
	}
	return f
}

func (r *reader) job(w *job, at []string) queueing.Job {
	j := w.Job
	j.Map = r.demand(w.Map, sub(at, "map"), longTask)
	j.Shuffle = r.demand(w.Shuffle, sub(at, "shuffle"), longShuffle)
	j.Merge = r.demand(w.Merge, sub(at, "merge"), longTask)
	switch {
	case j.Maps == 0:
		r.doc.Fail(sub(at, "maps"), "maps is 0: a MapReduce job has at least one map")
	case j.Map.Total() == 0:
		r.doc.Fail(sub(at, "map"), "map asks for nothing: give it cpu, disk, fibre or network")
	}
	switch {
	case j.Reduces > 0 && j.Shuffle.Total()+j.Merge.Total() == 0:
		r.doc.Fail(sub(at, "reduces"),
			fmt.Sprintf("reduces is %d, but shuffle and merge ask for nothing: give what a reduce needs", j.Reduces))
	case j.Reduces == 0 && w.Shuffle != nil:
		r.doc.Fail(sub(at, "shuffle"), "shuffle is what a reduce asks for, and the job has none: give reduces")
	case j.Reduces == 0 && w.Merge != nil:
		r.doc.Fail(sub(at, "merge"), "merge is what a reduce asks for, and the job has none: give reduces")
	}
	return j
}

// sub returns the path of a field, without changes to paths that share at.
func sub(at []string, field string) []string { return append(at[:len(at):len(at)], field) }
