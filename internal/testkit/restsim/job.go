package restsim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/dag"
)

// A job is the state of a job on the cluster at one instant.
type job struct {
	ID            string // job_ and the number
	Number        string
	plan          *dag.Plan
	job           *dag.Job
	State         *dag.JobState
	snap          *dag.Snapshot
	Now           dag.Instant
	Maps, Reduces phase
}

// A phase is a job's tasks of one kind, and their counts.
type phase struct {
	Views                  []view         // of each task
	Pending, Running, Done int            // tasks
	Attempts               map[string]int // by state
	progress               float64
}

var (
	letters      = [...]string{"m", "r"}
	names        = [...]string{"MAP", "REDUCE"}
	attemptNames = [...]string{"NEW", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"}
)

// look takes a job's state of the newest snapshot.
func (j *job) look(s *dag.Snapshot, i int, now dag.Instant) {
	isNew := j.State != &s.Jobs[i]
	j.plan, j.job, j.State, j.snap, j.Now = s.Plan, &s.Plan.Jobs[i], &s.Jobs[i], s, now
	if isNew {
		j.Maps, j.Reduces = j.phaseOf(dag.Map), j.phaseOf(dag.Reduce)
	}
}

func (j *job) phase(k dag.StageIndex) *phase { return [...]*phase{&j.Maps, &j.Reduces}[k] }

// Tasks returns the entries of maps and reduces.
func (j *job) Tasks() []view { return slices.Concat(j.Maps.Views, j.Reduces.Views) }

// taskOf returns the stage and the index of a task by its id.
func (j *job) taskOf(id string) (k dag.StageIndex, index int, ok bool) {
	letter, n, _ := strings.Cut(strings.TrimPrefix(id, "task_"+j.Number+"_"), "_")
	k = dag.StageIndex(slices.Index(letters[:], letter))
	index, err := strconv.Atoi(n)
	return k, index, err == nil && k >= 0 && index >= 0 && index < len(j.phase(k).Views)
}

// phaseOf counts and indexes attempts, which are sorted by task.
func (j *job) phaseOf(k dag.StageIndex) phase {
	attempts, n := j.State.Stages[k].Attempts, j.job.Stages[k].Count()
	if len(attempts) > 0 {
		n = max(n, int(attempts[len(attempts)-1].Task)+1)
	}
	p := phase{Views: make([]view, n), Attempts: map[string]int{}}
	for t := range p.Views {
		end := 0
		for end < len(attempts) && int(attempts[end].Task) == t {
			p.Attempts[attemptNames[attempts[end].State]]++
			end++
		}
		v := viewOf(k, attempts[:end:end])
		v.ID, v.Type = fmt.Sprintf("%s_%s_%06d", j.Number, letters[k], t), names[k]
		attempts = attempts[end:]
		switch v.State {
		case "SUCCEEDED":
			p.Done++
		case "RUNNING":
			p.Running++
		default:
			p.Pending++
		}
		p.progress += v.Progress
		p.Views[t] = v
	}
	p.Attempts["NEW"] += p.Pending
	return p
}

// Share returns how much of a phase is done, in percent.
func (p *phase) Share() float64 { return p.progress / float64(max(1, len(p.Views))) }

// A view is a task's entry in a task list.
type view struct {
	ID, Type      string // the id without its first word
	State, Status string
	Start, Finish dag.Instant
	Progress      float64 // percent
	Success       string  // number of the successful attempt, "" if there is none
	attempts      []dag.Attempt
}

// viewOf derives a task's state from its attempts. A task with a failed or killed attempt continues with a new one
// (docs/facts/hadoop.md E0). A task with a lost result is scheduled again (TaskImpl's RetroactiveKilledTransition).
func viewOf(k dag.StageIndex, attempts []dag.Attempt) view {
	v := view{State: "SCHEDULED", Start: dag.NoInstant, Finish: dag.NoInstant, Status: "NEW", attempts: attempts}
	for i := range attempts {
		a := &attempts[i]
		if a.Start.Known() && (!v.Start.Known() || a.Start < v.Start) {
			v.Start = a.Start
		}
		switch a.State {
		case dag.AttemptRunning:
			v.State, v.Progress, v.Status = "RUNNING", max(v.Progress, 100*clean(a.Ratio)), status(k, a)
		case dag.AttemptSucceeded:
			v.State, v.Progress, v.Status, v.Finish = "SUCCEEDED", 100, status(k, a), a.End
			v.Success = fmt.Sprint(a.Number)
			return v
		case dag.AttemptFailed:
			v.State = "RUNNING"
		case dag.AttemptKilled:
			if v.State = "RUNNING"; a.Ratio == 1 {
				v.State = "SCHEDULED"
			}
		}
	}
	return v
}

func clean(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

func status(k dag.StageIndex, a *dag.Attempt) string {
	switch {
	case k == dag.Map && a.State == dag.AttemptSucceeded:
		return "map"
	case k == dag.Map:
		return "map > map"
	case a.SortEnd.Known():
		return "reduce > reduce"
	case a.CopyEnd.Known():
		return "reduce > sort"
	}
	return "reduce > copy > "
}

// The fields of an application and a job that the templates show.

var stateNames = map[dag.State]string{
	dag.Submitted: "ACCEPTED", dag.Running: "RUNNING", dag.Succeeded: "SUCCEEDED", dag.Failed: "FAILED", dag.Killed: "KILLED",
}

// StateName returns the name of a job's state, and of an application's final state.
func (j *job) StateName() string { return stateNames[j.State.State] }

// YarnState returns the name of an application's state: one that was not killed has finished.
func (j *job) YarnState() string {
	if j.State.State.Ended() && j.State.State != dag.Killed {
		return "FINISHED"
	}
	return j.StateName()
}

func (j *job) Progress() float64 { return (j.Maps.Share() + j.Reduces.Share()) / 2 }

func (j *job) Name() string { return pig.App(j.plan.Name) }

func (j *job) User() string { return cmp.Or(j.snap.User, "alice") }

// Containers returns the running containers with the master's.
func (j *job) Containers() int { return 1 + j.Maps.Attempts["RUNNING"] + j.Reduces.Attempts["RUNNING"] }

// MasterAttempts returns the numbers of the masters.
func (j *job) MasterAttempts() (all []int) {
	for n := range max(1, j.State.Attempt) {
		all = append(all, n+1)
	}
	return all
}

// A sum is a counter of a job.
type sum struct{ Name, Value string }

// Sums returns the job's counters: those of maps, then those of reduces, each of its successful attempts.
func (j *job) Sums() (all []sum) {
	for k, work := range []int{0, dag.Work} {
		in, out := 0.0, 0.0
		for _, a := range j.State.Stages[k].Attempts {
			if a.State == dag.AttemptSucceeded {
				in, out = in+math.Trunc(a.Done[work]), out+math.Trunc(a.Out)
			}
		}
		all = append(all, sum{names[k] + "_INPUT_RECORDS", number(in)}, sum{names[k] + "_OUTPUT_RECORDS", number(out)})
	}
	return all
}

func number(v float64) string {
	if math.IsNaN(v) {
		return "null"
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// Properties returns a job's configuration: the workflow (docs/facts/hadoop.md C1) and the limits that a schedule
// depends on (docs/facts/hadoop.md F). Those that are 0 or empty are not set.
func (j *job) Properties() map[string]any {
	l := j.job.MapReduce
	props := map[string]any{
		"mapreduce.job.name":                            j.Name(),
		"mapreduce.job.user.name":                       j.User(),
		"pig.job.feature":                               j.job.Feature,
		"pig.alias":                                     j.job.Alias,
		"pig.input.dirs":                                strings.Join(j.job.Input, ","),
		"yarn.scheduler.minimum-allocation-mb":          "1",
		"mapreduce.job.reduce.slowstart.completedmaps":  fmt.Sprint(l.SlowStart),
		"mapreduce.job.running.map.limit":               l.MaxMaps,
		"mapreduce.job.running.reduce.limit":            l.MaxReduces,
		"mapreduce.job.maps":                            fmt.Sprint(len(j.Maps.Views)),
		"mapreduce.job.reduces":                         fmt.Sprint(len(j.Reduces.Views)),
		"yarn.app.mapreduce.am.resource.mb":             j.job.MasterMB,
		"mapreduce.map.memory.mb":                       l.MapMB,
		"mapreduce.reduce.memory.mb":                    l.ReduceMB,
		"yarn.app.mapreduce.am.job.reduce.rampup.limit": l.RampUp,
	}
	if len(j.plan.Jobs) == 1 { // it is a plain MapReduce job
		return props
	}
	props["mapreduce.workflow.id"] = "pig_" + j.snap.ID
	props["mapreduce.workflow.name"] = j.plan.Name
	props["mapreduce.workflow.node.name"] = j.job.Node
	props["pig.script.submitted.timestamp"] = ms(j.snap.Origin())
	for i := range j.plan.Jobs {
		for _, p := range j.plan.Jobs[i].After {
			name, next := "mapreduce.workflow.adjacency."+j.plan.Jobs[p].Node, j.plan.Jobs[i].Node
			if before, ok := props[name]; ok {
				next = fmt.Sprint(before, ",", next)
			}
			props[name] = next
		}
	}
	return props
}

// An attempt is an attempt of a task with what its response shows.
type attempt struct {
	dag.Attempt
	ID, Name, Status, Type, Host string
	Percent                      float64
	Took                         int64
	Container                    int
}

// Attempts returns the attempts of the task, and the new one after a failed one.
func (q request) Attempts() (all []attempt) {
	j, v := q.Job, &q.Job.phase(q.Kind).Views[q.task]
	attempts := v.attempts
	if n := len(attempts); n > 0 && v.Success == "" && !q.IsHistory && attempts[n-1].State >= dag.AttemptFailed {
		attempts = append(slices.Clip(attempts), dag.BlankAttempt(int32(q.task), attempts[n-1].Number+1))
	}
	for _, a := range attempts {
		x := attempt{
			Attempt: a, ID: fmt.Sprintf("%s_%d", v.ID, a.Number),
			Name: attemptNames[a.State], Status: status(q.Kind, &a), Type: v.Type,
			Host: fmt.Sprintf("node-%d:8042", max(0, a.Node)), Percent: 100 * clean(a.Ratio),
			Took: elapsed(a.Start, a.End, j.Now), Container: 2 + int(a.Task) + int(a.Number),
		}
		if a.Node >= 0 && int(a.Node) < len(j.snap.Nodes) {
			x.Host = j.snap.Nodes[a.Node].Name
		}
		if a.State == dag.AttemptWaiting {
			x.Name, x.Status = "STARTING", "NEW"
		}
		if q.IsHistory || a.State >= dag.AttemptSucceeded {
			x.Percent = 100 // also for failed attempts (docs/facts/hadoop.md A5, E0)
		}
		if q.Kind == dag.Reduce && a.State == dag.AttemptRunning {
			x.Took = 0 // docs/facts/hadoop.md A4
		}
		all = append(all, x)
	}
	return all
}

// Best returns the attempt with the most progress, nil if there is none with counters.
func (q request) Best() (best *dag.Attempt) {
	v := &q.Job.phase(q.Kind).Views[q.task]
	for i := range v.attempts {
		a := &v.attempts[i]
		if a.State == dag.AttemptSucceeded || a.State == dag.AttemptRunning && (best == nil || a.Ratio > best.Ratio) {
			best = a
		}
	}
	if best != nil && best.State == dag.AttemptRunning && !best.FirstReport.Known() {
		return nil
	}
	return best
}
