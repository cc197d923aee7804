package queueing

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// A Spec is a cluster of equal nodes and the jobs that share it (§3.1, Table 1). Each node has its CPUs, its disks and
// one fibre channel; the nodes share one network. Tags are those of the cluster in a job file.
type Spec struct {
	Nodes int `json:"nodes" plan:"nodes,required" min:"1" max:"100000"`
	CPUs  int `json:"cpus" plan:"cpus,required" min:"1" max:"10000"` // of a node
	// disks of a node (§4.1); 0 is 1
	Disks    int `json:"disks" plan:"disks" default:"1" min:"1" max:"10000"`
	MapSlots int `json:"map_slots" plan:"map_slots,required" min:"1" max:"10000"` // p_m: maps that a node runs at once
	// reduces that a node runs at once; 0 is 1
	ReduceSlots int `json:"reduce_slots" plan:"reduce_slots" default:"1" min:"1" max:"10000"`
	// p_s: map outputs that a reduce takes at once. The default is that of Hadoop's
	// mapreduce.reduce.shuffle.parallelcopies.
	ShuffleThreads int   `json:"shuffle_threads" plan:"shuffle_threads" default:"5" min:"1" max:"10000"`
	Jobs           []Job `json:"-"`
}

// A Job is one class of MapReduce jobs. Copies of it run at once in the closed system.
type Job struct {
	Name   string `plan:"name,required" length:"1-200"`
	Copies int    `plan:"copies" default:"1" min:"1" max:"10000"` // N of eq. 6
	Maps   int    `plan:"maps,required" max:"10000000"`
	// Reduces is the number of its reduces; 0 for a job with maps only.
	Reduces int    `plan:"reduces" max:"10000000"`
	Map     Demand `plan:"map,required"` // of a map task
	Shuffle Demand `plan:"shuffle"`      // of the shuffle and sort of one map's output by one reduce
	Merge   Demand `plan:"merge"`        // of a reduce's merge and reduce function
}

// A Demand is the service time of a task at each kind of centre, in seconds (Table 2).
type Demand struct {
	CPU     float64 `json:"cpu_seconds" plan:"cpu,time" max:"1e7"`
	Fibre   float64 `json:"fibre_seconds" plan:"fibre,time" max:"1e7"`
	Disk    float64 `json:"disk_seconds" plan:"disk,time" max:"1e7"`
	Network float64 `json:"network_seconds" plan:"network,time" max:"1e7"`
}

// Total returns the sum over all centres: the duration of the task if it runs alone.
func (d Demand) Total() float64 { return d.raw().sum() }

// raw returns the demands in the order of the centres, also negligible ones.
func (d Demand) raw() vector { return vector{d.CPU, d.Fibre, d.Disk, d.Network} }

// Times returns the demand of f such tasks.
func (d Demand) Times(f float64) Demand {
	return Demand{d.CPU * f, d.Fibre * f, d.Disk * f, d.Network * f}
}

// At returns the part at a kind of centre.
func (d *Demand) At(k CentreKind) *float64 {
	return [...]*float64{CPU: &d.CPU, Fibre: &d.Fibre, Disk: &d.Disk, Network: &d.Network}[k]
}

// WithReduces returns the job with its data partitioned over n reduces: each gets its part of every map's output.
func (j Job) WithReduces(n int) Job {
	if j.Reduces > 0 && n > 0 {
		part := float64(j.Reduces) / float64(n)
		j.Shuffle, j.Merge = j.Shuffle.Times(part), j.Merge.Times(part)
	}
	j.Reduces = n
	return j
}

// WithMaps returns the job with n maps of unchanged size: its data, and therefore each reduce's merge, grows with
// them.
func (j Job) WithMaps(n int) Job {
	j.Merge = j.Merge.Times(float64(n) / float64(j.Maps))
	j.Maps = n
	return j
}

// servers returns the number of servers of a centre of each kind. A task uses one of them at a time.
func (s *Spec) servers() [4]int {
	return [4]int{CPU: s.CPUs, Fibre: 1, Disk: max(s.Disks, 1), Network: 1}
}

// Limits of a Spec. Larger values indicate a wrong unit and would need too much memory.
const (
	MaxNodes = 100_000
	MaxSlots = 10_000 // CPUs, disks, map slots, reduce slots or shuffle threads of a node
	MaxTasks = 100_000_000
	MaxJobs  = 100
)

// A FieldError is an invalid field of a Spec.
type FieldError struct {
	Field   string // path, as in Jobs[1].Map.Disk
	Value   float64
	Problem string // what is wrong and what is valid
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("%s is %v: %s", e.Field, e.Value, e.Problem)
}

// Validate returns a *FieldError for the first invalid field of the Spec, or nil.
func (s *Spec) Validate() error {
	if err := within(
		bound{"Nodes", s.Nodes, 1, MaxNodes},
		bound{"CPUs", s.CPUs, 1, MaxSlots},
		bound{"Disks", s.Disks, 0, MaxSlots},
		bound{"MapSlots", s.MapSlots, 1, MaxSlots},
		bound{"ReduceSlots", s.ReduceSlots, 0, MaxSlots},
		bound{"ShuffleThreads", s.ShuffleThreads, 1, MaxSlots},
		bound{"Jobs", len(s.Jobs), 1, MaxJobs},
	); err != nil {
		return err
	}
	for i := range s.Jobs {
		if err := s.Jobs[i].validate(fmt.Sprintf("Jobs[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

func (j *Job) validate(at string) error {
	if err := within(
		bound{at + ".Copies", j.Copies, 1, MaxTasks},
		bound{at + ".Maps", j.Maps, 1, MaxTasks},
		bound{at + ".Reduces", j.Reduces, 0, MaxTasks},
	); err != nil {
		return err
	}
	demands := []struct {
		field string
		Demand
	}{{".Map", j.Map}, {".Shuffle", j.Shuffle}, {".Merge", j.Merge}}
	if j.Reduces == 0 {
		demands = demands[:1]
	}
	total := 0.0
	for _, d := range demands {
		if err := d.validate(at + d.field); err != nil {
			return err
		}
		total += d.Total()
	}
	if total == 0 {
		return &FieldError{at + ".Map", 0, "no task has a demand: give demands in seconds"}
	}
	return nil
}

// demandFields are the names of a demand's fields in the order of raw.
var demandFields = [...]string{".CPU", ".Fibre", ".Disk", ".Network"}

func (d Demand) validate(at string) error {
	for k, v := range d.raw() {
		if !(v >= 0 && v <= 1e9) { // or NaN
			return &FieldError{at + demandFields[k], v, "a demand is in seconds, from 0 to 1e9"}
		}
	}
	return nil
}

// A bound is the range of a whole number.
type bound struct {
	field            string
	value, low, high int
}

// within returns a *FieldError for the first value that is out of its range, or nil.
func within(all ...bound) error {
	for _, b := range all {
		if b.value < b.low || b.value > b.high {
			return &FieldError{b.field, float64(b.value), fmt.Sprintf("it must be from %d to %d", b.low, b.high)}
		}
	}
	return nil
}

// calibrated is the warning of every result of ViannaTable4.
var calibrated = dag.Warning{Code: "calibrated", Text: "this reading of the paper was selected by the figures that it prints: " +
	"within 7% of its Table 4, and far from the simulation of its Fig. 7 to 9 (docs/evidence/models.md); vianna-fj is the estimate to use"}

// Median and 90th percentile of the error of Product against the simulation, for random clusters with several jobs at
// once (docs/evidence/models.md).
const severalMedian, severalNinetieth = "3.6%", "15.6%"

// severalJobs is the warning of results with several jobs at once, for which the model was least accurate in tests.
var severalJobs = dag.Warningf("several_jobs", "several jobs at once are taken to meet at random places of their timelines, each "+
	"beginning again as it ends: of clusters drawn by chance half were more than %s off the simulation, a tenth more than %s, nearly always "+
	"too long (docs/evidence/models.md)", severalMedian, severalNinetieth)

// Several reports whether more than one job is in the system.
func (s *Spec) Several() bool { return len(s.Jobs) > 1 || s.Jobs[0].Copies > 1 }
