package planfile

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// The structs of a file where its form differs from that of package dag: jobs and stages refer to others by name, and
// the stages of MapReduce have fields of their own. Zero fields are left out.
type (
	file struct {
		Version int `plan:"version" min:"1" max:"2" title:"1, or 2 of a file whose jobs have stages"`

		Name       string         `plan:"name"`
		Cluster    cluster        `plan:"cluster" title:"a mapping that describes the cluster"`
		Engine     string         `plan:"engine"`
		Driver     dag.Driver     `plan:"driver"`
		Overheads  dag.Overheads  `plan:"overheads" title:"a mapping of pauses around jobs"`
		Jobs       []job          `plan:"jobs,required" min:"1" max:"5000" title:"a list of at least one job"`
		Residuals  []dag.Residual `plan:"residuals,null" max:"100000"`
		InputSizes []float64      `plan:"input_sizes" max:"10000" itemmax:"1e15"`
	}
	cluster struct {
		Policy policy `plan:"policy" words:"fifo,yarn,executors"`
		dag.Cluster
	}
	job struct {
		Name       string         `plan:"name,required"`
		Title      string         `plan:"title"`
		Feature    string         `plan:"feature"`
		Alias      string         `plan:"alias"`
		After      []string       `plan:"after,single,null"`
		Input      []string       `plan:"input,single,null"`
		InputBytes float64        `plan:"input_bytes" max:"1e18"`
		Limits     limits         `plan:"limits" title:"a mapping of the job's own settings"`
		Priority   int            `plan:"priority" min:"-1000000" max:"1000000"`
		Rules      dag.StageRules `plan:"rules"`
		Map        *mapTasks      `plan:"map,required" unless:"stages" title:"a mapping that describes the map tasks"`
		Reduce     *reduceTasks   `plan:"reduce,null" title:"a mapping that describes the reduce tasks"`
		Stages     []stage        `plan:"stages" min:"1" max:"10000" without:"map,reduce"`
	}
	limits struct {
		AMMemory int `plan:"am_memory,MB"`
		dag.MapReduceLimits
	}
	mapTasks struct {
		Tasks int `plan:"tasks,required,null"`
		dag.Pipeline
		measured
	}
	// reduceTasks have three pipelines, or records and cost of the last one.
	reduceTasks struct {
		Tasks int `plan:"tasks,required,null"`
		dag.Pipeline
		Copy   *dag.Pipeline `plan:"copy" needs:"reduce"`
		Sort   *dag.Pipeline `plan:"sort" needs:"copy,reduce"`
		Reduce *dag.Pipeline `plan:"reduce" needs:"copy" without:"records,cost"`
		measured
		Groups *dag.Groups `plan:"groups" title:"a mapping that describes the key groups of the tasks"`
		Keys   *keys       `plan:"keys" without:"records,cost,copy,sort,reduce,bytes,groups"`
	}
	// stage is a stage of a job that is not of MapReduce. Edge is one word for all its inputs, or one for each.
	stage struct {
		Name      string         `plan:"name,required"`
		After     []string       `plan:"after,single,null"`
		Edge      []dag.EdgeKind `plan:"edge,single"`
		SlowStart float64        `plan:"slow_start,optional" max:"1"`
		FullStart float64        `plan:"full_start" max:"1"`
		Tasks     int            `plan:"tasks,required,null"`
		dag.Pipeline
		Memory     int    `plan:"memory,MB"`
		Cores      int    `plan:"cores"`
		MaxRunning int    `plan:"max_running"`
		Pool       string `plan:"pool"`
		measured
		Pause time.Duration `plan:"pause"`
	}
	// measured are the measurements that tasks of all kinds have.
	measured struct {
		Setup  dag.Series `plan:"setup,ms"`
		Out    dag.Series `plan:"out"`
		Bytes  dag.Series `plan:"bytes"`
		Extent dag.Series `plan:"extent,ms"`
	}
)
