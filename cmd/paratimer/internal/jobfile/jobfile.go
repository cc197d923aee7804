// Package jobfile reads and writes job files. They have the demands of MapReduce jobs on a shared cluster, for the
// queueing models. docs/job.schema.json describes them. Reading is strict: every fault is reported with its position.
package jobfile

import (
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
)

// maxBytes bounds a job file. 100 jobs take 50 kB.
const maxBytes = 1 << 20

// A File is the content of a job file.
type File struct {
	Name    string // what is modelled; "" if not set
	Cluster Cluster
	Jobs    []Job // at least one; their names differ
}

// A Cluster has equal nodes. Each has its own CPUs, disks and fibre channel. All share one network.
type Cluster struct {
	Nodes          int
	CPUs           int // per node
	Disks          int // per node, from 1
	MapSlots       int // per node
	ReduceSlots    int // per node
	ShuffleThreads int // per reduce: how many map outputs it copies at once
}

// A Job is a class of equal jobs.
type Job struct {
	Name    string
	Copies  int // number that run at once, from 1
	Maps    int
	Reduces int
	Map     Demand // of one map
	Shuffle Demand // of one reduce for one map's output
	Merge   Demand // of one reduce's last merge and reduce function
}

// A Demand has service times in seconds, 0 for resources that a task does not use.
type Demand struct{ CPU, Disk, Fibre, Network float64 }

// Total returns the service time at all resources, in seconds: the time of a task that runs alone.
func (d Demand) Total() float64 { return d.CPU + d.Disk + d.Fibre + d.Network }

// ReadFile is Read for a file; for "-" it reads in. Errors of the file system are *fs.PathError.
func ReadFile(path string, in io.Reader) (*File, []Warning, error) {
	name := "stdin"
	if path != "-" {
		f, err := infile.Open(path)
		if err != nil {
			return nil, nil, err
		}
		defer func() { _ = f.Close() }() // it was only read
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, nil, &planfile.Error{
				File:    path,
				Message: "this is a directory: a job file is one file, YAML or JSON",
			}
		}
		name, in = path, f
	}
	src, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	return Read(src, name)
}

// Read reads a job file. name is its name in messages. Errors are *planfile.Error, joined in the order of the file;
// the File is then nil.
func Read(src []byte, name string) (*File, []Warning, error) {
	if len(src) > maxBytes {
		return nil, nil, &planfile.Error{
			File:    name,
			Message: fmt.Sprintf("the file is larger than %d bytes, more than a job file may take", maxBytes),
		}
	}
	var w Document
	doc, err := planfile.Decode(src, name, "job file", &w)
	if err != nil {
		return nil, nil, err
	}
	r := reader{doc: doc, doubts: *doc}
	f := r.file(&w)
	if err := doc.Err(); err != nil {
		return nil, nil, err
	}
	return f, warnings(r.doubts.Err()), nil
}

// A Warning is a part of a file that is probably a mistake.
type Warning struct {
	Line, Column int    // from 1
	Field        string // such as jobs[0].map.cpu
	Text         string
}

func warnings(err error) []Warning {
	var out []Warning
	for _, e := range planfile.Errors(err) {
		out = append(out, Warning{Line: e.Line, Column: e.Column, Field: e.Field, Text: e.Message})
	}
	return out
}
