package frame

import "github.com/paratimer/paratimer/dag"

// A Phase is a stage of a job, or a pause. In JSON it is its Name.
type Phase struct {
	Stage dag.StageIndex // dag.NoStage for a pause
	Pause dag.Pause
	Name  string // of the stage in the plan, or of the pause
}

// PhaseOf returns the phase of a stage of a job of plan, or of a pause.
func PhaseOf(plan *dag.Plan, job int, stage dag.StageIndex, pause dag.Pause) Phase {
	if pause != dag.NoPause {
		return Phase{Stage: dag.NoStage, Pause: pause, Name: pause.String()}
	}
	return Phase{Stage: stage, Name: plan.StageName(job, stage)}
}

func (p Phase) String() string { return p.Name }

// MarshalText returns the name.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.Name), nil }

// UnmarshalText parses the name. The other fields are set only for a pause and for a MapReduce job's stages.
func (p *Phase) UnmarshalText(b []byte) error {
	*p = Phase{Name: string(b)}
	for pause := dag.Launch; pause <= dag.Finish; pause++ {
		if pause.String() == p.Name {
			p.Stage, p.Pause = dag.NoStage, pause
		}
	}
	if p.Name == dag.MapReduceName(dag.Reduce) {
		p.Stage = dag.Reduce
	}
	return nil
}
