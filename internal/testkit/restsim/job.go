package restsim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/dag"
)

// A job is the state of a job on the cluster at one instant.
type job struct {
	ID            string // job_ and the number
	Number        string
	Snap          *dag.Snapshot
	Spec          *dag.Job
	State         *dag.JobState
	Maps, Reduces phase
}

// A phase is a job's tasks of one kind, and their counts.
type phase struct {
	Views                  []view // of each task
	Pending, Running, Done int    // tasks
	attempts               int    // that run
	progress               float64
}

const letters = "mr" // of maps and reduces

var names = [...]string{"MAP", "REDUCE"}

// update takes a job's state of the newest snapshot.
func (j *job) update(s *dag.Snapshot, i int) {
	isNew := j.State != &s.Jobs[i]
	j.Snap, j.Spec, j.State = s, &s.Plan.Jobs[i], &s.Jobs[i]
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
	k = dag.StageIndex(strings.Index(letters, letter))
	index, err := strconv.Atoi(n)
	return k, index, err == nil && k >= 0 && index >= 0 && index < len(j.phase(k).Views)
}

// phaseOf counts and indexes attempts, which are sorted by task.
func (j *job) phaseOf(k dag.StageIndex) phase {
	attempts, n := j.State.Stages[k].Attempts, j.Spec.Stages[k].Count()
	if len(attempts) > 0 {
		n = max(n, int(attempts[len(attempts)-1].Task)+1)
	}
	p := phase{Views: make([]view, n)}
	for t := range p.Views {
		end := 0
		for end < len(attempts) && int(attempts[end].Task) == t {
			if attempts[end].State == dag.AttemptRunning {
				p.attempts++
			}
			end++
		}
		v := viewOf(attempts[:end:end])
		v.ID, v.Type = fmt.Sprintf("%s_%c_%06d", j.Number, letters[k], t), names[k]
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
	return p
}

// Share returns how much of a phase is done, in percent.
func (p *phase) Share() float64 { return p.progress / float64(max(1, len(p.Views))) }

// A view is a task's entry in a task list.
type view struct {
	ID, Type      string // the id without its first word
	State         string
	Start, Finish dag.Instant
	Progress      float64 // percent
	Success       string  // number of the successful attempt, "" if there is none
	attempts      []dag.Attempt
}

// viewOf derives a task's state from its attempts. A task with a failed or killed attempt continues with a new one
// (facts/hadoop.md E0). A task with a lost result is scheduled again (TaskImpl's RetroactiveKilledTransition).
func viewOf(attempts []dag.Attempt) view {
	v := view{State: "SCHEDULED", Start: dag.NoInstant, Finish: dag.NoInstant, attempts: attempts}
	for i := range attempts {
		a := &attempts[i]
		if a.Start.Known() && (!v.Start.Known() || a.Start < v.Start) {
			v.Start = a.Start
		}
		switch a.State {
		case dag.AttemptRunning:
			v.State, v.Progress = "RUNNING", max(v.Progress, 100*clean(a.Ratio))
		case dag.AttemptSucceeded:
			v.State, v.Progress, v.Finish, v.Success = "SUCCEEDED", 100, a.End, fmt.Sprint(a.Number)
			return v
		case dag.AttemptFailed, dag.AttemptKilled:
			if v.State = "RUNNING"; a.State == dag.AttemptKilled && a.Ratio == 1 {
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

// The fields of an application and a job that the templates show.

// StateName returns the name of a job's state, and of an application's final state.
func (j *job) StateName() string {
	if j.State.State == dag.Submitted {
		return "ACCEPTED"
	}
	return strings.ToUpper(j.State.State.String())
}

// YarnState returns the name of an application's state: one that was not killed has finished.
func (j *job) YarnState() string {
	if j.State.State.Ended() && j.State.State != dag.Killed {
		return "FINISHED"
	}
	return j.StateName()
}

func (j *job) Progress() float64 { return (j.Maps.Share() + j.Reduces.Share()) / 2 }

func (j *job) Name() string { return naming.PigApp(j.Snap.Plan.Name) }

func (j *job) User() string { return cmp.Or(j.Snap.User, "alice") }

// Containers returns the running containers with the master's.
func (j *job) Containers() int { return 1 + j.Maps.attempts + j.Reduces.attempts }

// MasterAttempts returns the numbers of the masters.
func (j *job) MasterAttempts() (all []int) {
	for n := range max(1, j.State.Attempt) {
		all = append(all, n+1)
	}
	return all
}

// A sum is the counters of a job's maps or reduces, over their successful attempts.
type sum struct{ In, Out int64 }

// Sums returns the counters of maps and of reduces.
func (j *job) Sums() (all [dag.MapReduceStages]sum) {
	for k, work := range []int{0, dag.Work} {
		for _, a := range j.State.Stages[k].Attempts {
			if a.State == dag.AttemptSucceeded {
				all[k].In += int64(clean(a.Done[work]))
				all[k].Out += int64(clean(a.Out))
			}
		}
	}
	return all
}

// Next returns the nodes of the jobs that follow each job, by its node (facts/hadoop.md C1).
func (j *job) Next() map[string]string {
	next := map[string]string{}
	jobs := j.Snap.Plan.Jobs
	for i := range jobs {
		for _, p := range jobs[i].After {
			next[jobs[p].Node] = strings.TrimPrefix(next[jobs[p].Node]+","+jobs[i].Node, ",")
		}
	}
	return next
}

// An attempt is an attempt of a task with what its response shows.
type attempt struct {
	dag.Attempt
	Name, Host string
	Percent    float64
}

// View returns the task.
func (q request) View() *view { return &q.Job.phase(q.Kind).Views[q.task] }

// Attempts returns the attempts of the task, and the new one after a failed one.
func (q request) Attempts() (all []attempt) {
	j, v := q.Job, q.View()
	attempts := v.attempts
	if n := len(attempts); n > 0 && v.Success == "" && !q.IsHistory && attempts[n-1].State >= dag.AttemptFailed {
		attempts = append(slices.Clip(attempts), dag.BlankAttempt(int32(q.task), attempts[n-1].Number+1))
	}
	for _, a := range attempts {
		x := attempt{
			Attempt: a, Name: strings.ToUpper(a.State.String()), Host: fmt.Sprintf("node-%d:8042", max(0, a.Node)),
			Percent: 100 * clean(a.Ratio),
		}
		if a.Node >= 0 && int(a.Node) < len(j.Snap.Nodes) {
			x.Host = j.Snap.Nodes[a.Node].Name
		}
		if a.State == dag.AttemptWaiting {
			x.Name = "STARTING"
		}
		if q.IsHistory || a.State >= dag.AttemptSucceeded {
			x.Percent = 100 // also for failed attempts (facts/hadoop.md A5, E0)
		}
		all = append(all, x)
	}
	return all
}

// Best returns the attempt with the most progress, nil if there is none with counters.
func (q request) Best() (best *dag.Attempt) {
	attempts := q.View().attempts
	for i := range attempts {
		a := &attempts[i]
		if a.State == dag.AttemptSucceeded || a.State == dag.AttemptRunning && (best == nil || a.Ratio > best.Ratio) {
			best = a
		}
	}
	if best != nil && best.State == dag.AttemptRunning && !best.FirstReport.Known() {
		return nil
	}
	return best
}
