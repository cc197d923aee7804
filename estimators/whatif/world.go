package whatif

import (
	"fmt"
	"math"
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
	notes []dag.Warning
	// replayed are the costs of a state that continues from a moment of another replay, and override costs; nil
	// otherwise.
	replayed schedule.Left
}

// worldOf applies a change to a completed snapshot, which it does not modify. It does not apply failures: to find the
// worst one takes a replay of the rest.
func worldOf(s *dag.Snapshot, left schedule.Left, c Change) (*clusterState, error) {
	w := &clusterState{s: s.Clone(), costs: newCosts(s, left)}
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
	for i := range c.Stages {
		w.restage(&c.Stages[i])
	}
	return w, nil
}

// restage applies the change of a stage.
func (w *clusterState) restage(c *StageChange) {
	stage, p := &w.s.Plan.Jobs[c.Job].Stages[c.Stage], &w.costs.phases[c.Job][c.Stage]
	p.work = c.Work
	if c.NoPause {
		stage.Pause = 0
	}
	if c.Tasks > 0 && p.is > 0 && w.begun(c.Job, c.Stage) == 0 {
		p.is, stage.Tasks = c.Tasks, c.Tasks
	}
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

func (w *clusterState) note(format string, args ...any) {
	w.notes = append(w.notes, dag.Warningf(WarnNoEffect, format, args...))
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
		w.note("slow start: reduces on slots start when all maps have ended")
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
		w.note("slow start: no stage starts before those that it reads have ended")
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

// scale multiplies the size of the input. Jobs that read the input get more maps of the same size. Reduces get
// larger, and so do the maps that read their output, one per file. Other stages keep their tasks, which get larger.
// Running and finished tasks do not change.
func (w *clusterState) scale(by float64) error {
	graph, err := dag.NewGraph(w.s.Plan)
	if err != nil {
		return err
	}
	growth := make([]float64, len(w.s.Plan.Jobs))
	total := 0.0
	for _, j := range graph.Order() {
		growth[j] = w.grow(j, by, growth)
		total += float64(w.s.Plan.Jobs[j].Tasks())
	}
	if total > dag.MaxTasks {
		return fmt.Errorf("scale: %.0f tasks are more than the supported %d", total, dag.MaxTasks)
	}
	return nil
}

// grow scales a job and returns the growth of its output.
func (w *clusterState) grow(j int, by float64, growth []float64) float64 {
	if w.ended(j) {
		return 1
	}
	job := &w.s.Plan.Jobs[j]
	g := by
	if len(job.After) > 0 {
		g = w.input(job, growth)
	}
	if !job.IsMapReduce() {
		return w.growStages(j, g)
	}
	maps := &w.costs.phases[j][dag.Map]
	begun := w.begun(j, dag.Map)
	n := job.Stages[dag.Map].Count()
	switch {
	case n == 0:
	case len(job.After) == 0:
		rest := n - begun
		maps.fixed, maps.was = begun, rest
		maps.is = int(math.Round(float64(rest) * g))
		if rest > 0 {
			maps.is = max(maps.is, 1)
			maps.grown = float64(rest) * g / float64(maps.is)
		}
		job.Stages[dag.Map].Tasks = begun + maps.is
		g = (float64(begun) + float64(rest)*g) / float64(n)
	case begun > 0: // it has its input
		g = 1
	default:
		w.split(j, g)
	}
	w.costs.phases[j][dag.Reduce].grown = g
	return g
}

// growStages scales the stages that read the job's input, and the others by the output of the stages before them. It
// returns the growth of the output that no stage reads.
func (w *clusterState) growStages(j int, by float64) float64 {
	stages := w.s.Plan.Jobs[j].Stages
	grown := make([]mean, len(stages)) // growth of a stage's input, and of its output after its turn
	last := make([]bool, len(stages))
	for k := range stages {
		p, in := &w.costs.phases[j][k], by
		if grown[k].weight > 0 {
			in = grown[k].of()
		}
		last[k] = true
		p.grown = in
		one := slices.IndexFunc(stages[k].After, func(e dag.Edge) bool { return e.Kind == dag.OneToOne })
		if one >= 0 { // it reads another stage task by task
			from := &w.costs.phases[j][stages[k].After[one].From]
			p.fixed, p.grown = from.fixed, from.grown
		} else if grown[k].weight == 0 {
			p.fixed = w.begun(j, dag.StageIndex(k)) //nolint:gosec // an index
		}
		fixed, all := float64(p.fixed), float64(stages[k].Count())
		out := mean{fixed + (all-fixed)*p.grown, all}
		for to := k + 1; to < len(stages); to++ {
			for _, e := range stages[to].After {
				if int(e.From) == k {
					last[k] = false
					if e.Kind != dag.Broadcast {
						grown[to].add(out)
					}
				}
			}
		}
		grown[k] = out
	}
	var all mean
	for k := range stages {
		if last[k] {
			all.add(grown[k])
		}
	}
	return all.of()
}

// A mean is a mean of growths, weighted by numbers of tasks.
type mean struct{ sum, weight float64 }

func (m *mean) add(more mean) { m.sum, m.weight = m.sum+more.sum, m.weight+more.weight }

// of returns the mean, or 1 without values.
func (m mean) of() float64 {
	if m.weight == 0 {
		return 1
	}
	return m.sum / m.weight
}

// splitBytes is the largest part of a file that one map reads: HDFS's default block.
const splitBytes = 128 << 20

// split scales the maps of a job that reads other jobs' output. It adds maps if the files grow beyond a split and
// their size is known.
func (w *clusterState) split(j int, by float64) {
	job, maps := &w.s.Plan.Jobs[j], &w.costs.phases[j][dag.Map]
	maps.grown = by
	n := job.Stages[dag.Map].Count()
	size := job.Stages[dag.Map].Bytes.Sum(n) / float64(n)
	if !(size > 0 && size <= splitBytes && size*by > splitBytes) {
		return
	}
	parts := int(min(math.Ceil(size*by/splitBytes), math.Ceil(by)))
	maps.is, maps.grown = n*parts, by/float64(parts)
	job.Stages[dag.Map].Tasks = maps.is
}

// input returns the growth of a job's input: the mean over the files that it reads.
func (w *clusterState) input(job *dag.Job, growth []float64) float64 {
	var all mean
	for _, a := range job.After {
		stages, files := w.s.Plan.Jobs[a].Stages, 0
		for k := len(stages) - 1; k >= 0 && files == 0; k-- { // in a job without reduces the maps write the files
			files = stages[k].Count()
		}
		all.add(mean{float64(files) * growth[a], float64(files)})
	}
	return all.of()
}

// begun returns the number of tasks up to the last one with an attempt.
func (w *clusterState) begun(j int, k dag.StageIndex) int {
	n := 0
	for a := range w.s.Jobs[j].Stages[k].All() {
		n = max(n, int(a.Task)+1)
	}
	return min(n, w.s.Plan.Jobs[j].Stages[k].Count())
}
