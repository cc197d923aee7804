package whatif

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A clusterState is the input of a replay: a snapshot, the costs of its tasks, and the failures.
type clusterState struct {
	s     *dag.Snapshot
	costs *costs
	fault schedule.Fault
	notes []Warning
	// replayed are the costs of a state that continues from a moment of another replay, and override costs; nil
	// otherwise.
	replayed schedule.Left
}

// worldOf applies a change to a completed snapshot, which it does not modify. It does not apply failures: to find the
// worst one takes a replay of the rest.
func worldOf(s *dag.Snapshot, left schedule.Left, c Change) (*clusterState, error) {
	w := &clusterState{s: copied(s), costs: newCosts(s, left)}
	before := *w.s.Plan
	if c.Ideal {
		w.ideal()
	}
	for _, by := range c.Slots {
		if err := w.slots(by); err != nil {
			return nil, err
		}
	}
	w.costs.roomFrom(&before.Cluster, w.s)
	if c.SlowStart != nil {
		w.slowStart(*c.SlowStart)
	}
	if c.Scale != 0 && c.Scale != 1 {
		if err := w.scale(c.Scale); err != nil {
			return nil, err
		}
	}
	for _, p := range c.Pace {
		if err := w.pace(p); err != nil {
			return nil, err
		}
	}
	if c.Even {
		w.even()
	}
	return w, nil
}

// copied returns the snapshot with its own plan, jobs and nodes. Attempts and series are shared, because no code
// modifies them.
func copied(s *dag.Snapshot) *dag.Snapshot {
	out, plan := *s, *s.Plan
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	out.Plan = &plan
	out.Jobs = dag.CloneStates(s.Jobs)
	out.Nodes = slices.Clone(s.Nodes)
	return &out
}

// left returns the costs for a replay.
func (w *clusterState) left() schedule.Left {
	if w.replayed != nil {
		return w.replayed
	}
	return w.costs.of
}

// end replays the state and computes only the end.
func (w *clusterState) end(lean *schedule.EndOnly) (*schedule.Schedule, error) {
	return schedule.Replay(w.s, w.left(), schedule.Options{Fault: w.fault, FutureOnly: true, EndOnly: lean})
}

func (w *clusterState) note(code, format string, args ...any) {
	w.notes = append(w.notes, Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// job finds a job by its name in the plan.
func (w *clusterState) job(name string) (int, error) {
	var names []string
	for j := range w.s.Plan.Jobs {
		if w.s.Plan.Jobs[j].Node == name {
			return j, nil
		}
		names = append(names, w.s.Plan.Jobs[j].Node)
	}
	return 0, fmt.Errorf("there is no job %q; the jobs are %s", name, listed(names))
}

// stage finds a stage of a job by its name.
func (w *clusterState) stage(j int, name string) (dag.StageIndex, error) {
	job := &w.s.Plan.Jobs[j]
	var names []string
	for k := range job.NumStages() {
		if job.Stages[k].Name == name {
			return k, nil
		}
		names = append(names, job.Stages[k].Name)
	}
	return 0, fmt.Errorf("job %s has no stage %q; its stages are %s", job.Node, name, listed(names))
}

// listed joins a few names.
func listed(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// ended reports whether a job has ended.
func (w *clusterState) ended(j int) bool { return w.s.Jobs[j].State.Ended() }

func (w *clusterState) slowStart(ratio float64) {
	if w.s.Plan.Cluster.Policy == dag.FIFO {
		w.note(WarnNoEffect, "slow start: reduces on slots start when all maps have ended")
		return
	}
	copying := false
	for j := range w.s.Plan.Jobs {
		w.s.Plan.Jobs[j].MapReduce.SlowStart = ratio
		for k := range w.s.Plan.Jobs[j].Stages {
			stage := &w.s.Plan.Jobs[j].Stages[k]
			stage.After = slices.Clone(stage.After)
			for i := range stage.After {
				if e := &stage.After[i]; e.Kind == dag.SlowStart {
					e.Ratio, e.Full, copying = ratio, max(e.Full, ratio), true
				}
			}
		}
	}
	if !copying {
		w.note(WarnNoEffect, "slow start: no stage starts before those that it reads have ended")
	}
}

func (w *clusterState) pace(p Pace) error {
	only := -1
	if p.Job != "" {
		j, err := w.job(p.Job)
		if err != nil {
			return err
		}
		only = j
	}
	for j := range w.costs.phases {
		if only < 0 || j == only {
			for k := range w.costs.phases[j] {
				w.costs.phases[j][k].factor *= p.Factor
			}
		}
	}
	return nil
}
