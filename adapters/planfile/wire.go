package planfile

import "github.com/paratimer/paratimer/dag"

// The structs of a file where its form differs from that of package dag: jobs and stages refer to others by name, and
// a reduce has its pipelines by name. Zero fields are left out.
type (
	// File is a plan as docs/plan.schema.json describes it.
	File struct {
		Version int `plan:"version" min:"1" max:"2" title:"1, or 2 of a file whose jobs have stages"`
		dag.Plan
		Cluster    cluster        `plan:"cluster" title:"a mapping that describes the cluster"`
		Jobs       []job          `plan:"jobs,required" min:"1" max:"5000" title:"a list of at least one job"`
		Residuals  []dag.Residual `plan:"residuals,null" max:"100000"`
		InputSizes []float64      `plan:"input_sizes" max:"10000" itemmax:"1e15"`
	}
	cluster struct {
		Policy policy `plan:"policy" words:"fifo,yarn,executors"`
		dag.Cluster
	}
	// policy is a name, or a mapping of order and slots (the ParaTimer paper, section 3.1.1).
	policy struct {
		Name  string
		Slots string         `plan:"slots" words:"separate,containers"`
		Order []dag.OrderKey `plan:"order" min:"1" max:"5"`
	}
	job struct {
		dag.Job
		After  []string `plan:"after,single,null"`
		Limits limits   `plan:"limits" title:"a mapping of the job's own settings"`
		Map    *stage   `plan:"map,required" unless:"stages" fields:"map" title:"a mapping that describes the map tasks"`
		Reduce *stage   `plan:"reduce,null" fields:"reduce" title:"a mapping that describes the reduce tasks"`
		Stages []stage  `plan:"stages" min:"1" max:"10000" without:"map,reduce" fields:"stages"`
	}
	limits struct {
		AMMemory int `plan:"am_memory,MB"`
		dag.MapReduceLimits
	}
	// stage is a stage of any job. A reduce has three pipelines, or records and cost of the last one. Edge is one word
	// for all inputs, or one for each.
	stage struct {
		Name      string         `plan:"name,required"`
		After     []string       `plan:"after,single,null"`
		Edge      []dag.EdgeKind `plan:"edge,single"`
		SlowStart float64        `plan:"slow_start,optional" max:"1"`
		FullStart float64        `plan:"full_start" max:"1"`
		Tasks     int            `plan:"tasks,required,null"`
		dag.Pipeline
		Copy   *dag.Pipeline `plan:"copy"`
		Sort   *dag.Pipeline `plan:"sort"`
		Reduce *dag.Pipeline `plan:"reduce" without:"records,cost"`
		Keys   *keys         `plan:"keys" without:"records,cost,copy,sort,reduce,bytes,groups"`
		dag.Stage
	}
)

// dag returns the policy that assigns slots to tasks.
func (p *policy) dag() (of dag.Policy) {
	if p.Slots == "containers" {
		return dag.YARN
	}
	_ = of.UnmarshalText([]byte(p.Name)) // FIFO without a name
	return of
}
