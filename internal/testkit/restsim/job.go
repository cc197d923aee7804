package restsim

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/dag"
)

// A job is the state of a job on the cluster at one instant.
type job struct {
	id     string
	plan   *dag.Plan
	job    *dag.Job
	state  *dag.JobState
	snap   *dag.Snapshot
	now    dag.Instant
	phases [2]phase
	conf   []byte // made once
}

// A phase is the attempts of a job's tasks of one kind, and their counts.
type phase struct {
	kind     dag.StageIndex
	tasks    int
	first    []int32 // index of each task's first attempt, plus the total number
	attempts []dag.Attempt

	pending, running, done                     int // tasks
	fresh, underway, failed, killed, succeeded int // attempts
	progress                                   float64
}

var kinds = [...]dag.StageIndex{dag.Map, dag.Reduce}

// look updates the jobs from the newest snapshot.
func (c *Cluster) look() {
	if c.jobs == nil {
		c.jobs = make([]*job, len(c.snap.Plan.Jobs))
	}
	for i := range c.snap.Jobs {
		st := &c.snap.Jobs[i]
		if st.State == dag.Blocked || !st.Submitted.Known() {
			continue
		}
		j := c.jobs[i]
		if j == nil {
			j = &job{id: st.ID}
			if !strings.HasPrefix(j.id, "job_") {
				j.id = fmt.Sprintf("job_%d_%04d", ms(c.snap.Origin()), i+1)
			}
			c.jobs[i] = j
		}
		fresh := j.state != st
		j.plan, j.job, j.state, j.snap, j.now = c.snap.Plan, &c.snap.Plan.Jobs[i], st, c.snap, c.now
		if fresh {
			for _, k := range kinds {
				j.phases[k].look(k, &j.job.Stages[k], st.Stages[k].Attempts)
			}
		}
	}
}

func (c *Cluster) job(id string) *job {
	for _, j := range c.jobs {
		if j != nil && j.id == id {
			return j
		}
	}
	return nil
}

func (j *job) app() string { return "application_" + strings.TrimPrefix(j.id, "job_") }

// look counts and indexes attempts, which are sorted by task.
func (p *phase) look(k dag.StageIndex, of *dag.Stage, attempts []dag.Attempt) {
	n := of.Count()
	if len(attempts) > 0 {
		n = max(n, int(attempts[len(attempts)-1].Task)+1)
	}
	*p = phase{kind: k, tasks: n, attempts: attempts, first: append(p.first[:0], make([]int32, n+1)...)}
	at := 0
	for t := range n {
		p.first[t] = int32(at)
		for at < len(attempts) && int(attempts[at].Task) == t {
			switch attempts[at].State {
			case dag.AttemptWaiting:
				p.fresh++
			case dag.AttemptRunning:
				p.underway++
			case dag.AttemptFailed:
				p.failed++
			case dag.AttemptKilled:
				p.killed++
			default:
				p.succeeded++
			}
			at++
		}
		p.first[t+1] = int32(at)
		v := p.view(t)
		switch v.state {
		case "SUCCEEDED", "FAILED":
			p.done++
			p.progress++
		case "RUNNING":
			p.running++
			p.progress += v.progress / 100
		default:
			p.pending++
		}
	}
	p.fresh += p.pending
}

// A view is a task's entry in a task list.
type view struct {
	state         string
	start, finish dag.Instant
	progress      float64 // percent
	success       string  // number of the successful attempt, "" if there is none
	status        string
	attempts      []dag.Attempt
}

// view derives a task's state from its attempts. A task with a failed or killed attempt continues with a new one
// (docs/facts/hadoop.md E0). A task with a lost result is scheduled again (TaskImpl's RetroactiveKilledTransition).
func (p *phase) view(t int) view {
	v := view{
		state: "SCHEDULED", start: dag.NoInstant, finish: dag.NoInstant, status: "NEW",
		attempts: p.attempts[p.first[t]:p.first[t+1]],
	}
	for i := range v.attempts {
		a := &v.attempts[i]
		if a.Start.Known() && (!v.start.Known() || a.Start < v.start) {
			v.start = a.Start
		}
		switch a.State {
		case dag.AttemptRunning:
			v.state, v.progress, v.status = "RUNNING", max(v.progress, 100*clean(a.Ratio)), status(p.kind, a)
		case dag.AttemptSucceeded:
			v.state, v.progress, v.status, v.finish, v.success = "SUCCEEDED", 100, status(p.kind, a), a.End,
				fmt.Sprint(a.Number)
			return v
		case dag.AttemptFailed:
			v.state = "RUNNING"
		case dag.AttemptKilled:
			if v.state = "RUNNING"; a.Ratio == 1 {
				v.state = "SCHEDULED"
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

// percent formats a float as Java does.
func percent(v float64) string {
	s := fmt.Sprintf("%.8g", float64(float32(v)))
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

var (
	letters = [...]string{"m", "r"}
	names   = [...]string{"MAP", "REDUCE"}
)

// answer responds to a path below the job; with over set, as the history server.
func (j *job) answer(path string, over bool) answer {
	part := strings.Split(path, "/")
	switch {
	case path == "":
		return found(j.summary(over))
	case path == "tasks":
		return answer{status: http.StatusOK, body: j.list(over)}
	case path == "conf":
		if j.conf == nil {
			j.conf = j.makeConf()
		}
		return answer{status: http.StatusOK, body: j.conf}
	case path == "counters":
		return found(j.sums())
	case path == "jobattempts":
		return found(fmt.Sprintf(
			`{"jobAttempts":{"jobAttempt":[{"nodeHttpAddress":"node-0:8042","nodeId":"node-0:36241","id":%d,"startTime":%d,"containerId":"container_%s_01_000001","logsLink":""}]}}`,
			max(1, j.state.Attempt), ms(j.state.Started), strings.TrimPrefix(j.id, "job_")))
	case len(part) == 3 && part[0] == "tasks":
		for _, k := range kinds {
			rest, ok := strings.CutPrefix(part[1], "task_"+strings.TrimPrefix(j.id, "job_")+"_"+letters[k]+"_")
			if !ok {
				continue
			}
			t := 0
			if _, err := fmt.Sscanf(rest, "%d", &t); err != nil || t < 0 || t >= j.phases[k].tasks {
				break
			}
			switch part[2] {
			case "attempts":
				return answer{status: http.StatusOK, body: j.attempts(k, t, over)}
			case "counters":
				return answer{status: http.StatusOK, body: j.counters(k, t)}
			}
		}
	}
	return missing("task, " + path + ", is not found")
}

var stateNames = map[dag.State]string{
	dag.Running: "RUNNING", dag.Succeeded: "SUCCEEDED", dag.Failed: "FAILED",
	dag.Killed: "KILLED",
}

func (j *job) summary(over bool) string {
	m, r, s := &j.phases[0], &j.phases[1], j.state
	if over {
		return fmt.Sprintf(`{"job":{"submitTime":%d,"startTime":%d,"finishTime":%d,"id":"%s","name":%s,"queue":"root.default","user":%s,"state":"%s","mapsTotal":%d,"mapsCompleted":%d,"reducesTotal":%d,"reducesCompleted":%d,"uberized":false,"diagnostics":%s,"avgMapTime":0,"avgReduceTime":0,"avgShuffleTime":0,"avgMergeTime":0,"failedReduceAttempts":%d,"killedReduceAttempts":%d,"successfulReduceAttempts":%d,"failedMapAttempts":%d,"killedMapAttempts":%d,"successfulMapAttempts":%d}}`,
			ms(s.Submitted), ms(s.Started), ms(s.Finished), j.id, quote(j.name()), quote(j.user()), stateNames[s.State],
			m.tasks, m.done, r.tasks, r.done, quote(s.Diagnosis),
			r.failed, r.killed, r.succeeded, m.failed, m.killed, m.succeeded)
	}
	share := func(p *phase) string { return percent(100 * p.progress / float64(max(1, p.tasks))) }
	return fmt.Sprintf(`{"job":{"startTime":%d,"finishTime":0,"elapsedTime":%d,"id":"%s","name":%s,"user":%s,"queue":"root.default","state":"RUNNING","mapsTotal":%d,"mapsCompleted":%d,"reducesTotal":%d,"reducesCompleted":%d,"mapProgress":%s,"reduceProgress":%s,"mapsPending":%d,"mapsRunning":%d,"reducesPending":%d,"reducesRunning":%d,"uberized":false,"diagnostics":"","newReduceAttempts":%d,"runningReduceAttempts":%d,"failedReduceAttempts":%d,"killedReduceAttempts":%d,"successfulReduceAttempts":%d,"newMapAttempts":%d,"runningMapAttempts":%d,"failedMapAttempts":%d,"killedMapAttempts":%d,"successfulMapAttempts":%d}}`,
		ms(s.Started), elapsed(s.Started, dag.NoInstant, j.now), j.id, quote(j.name()), quote(j.user()), m.tasks,
		m.done, r.tasks, r.done, share(m), share(r),
		m.pending, m.running, r.pending, r.running, r.fresh, r.underway, r.failed, r.killed, r.succeeded, m.fresh,
		m.underway, m.failed, m.killed, m.succeeded)
}

func (j *job) name() string { return pig.App(j.plan.Name) }

func (j *job) user() string {
	if j.snap.User == "" {
		return "alice"
	}
	return j.snap.User
}

// sums returns the job's counters: for each phase, those of its successful attempts.
func (j *job) sums() string {
	var in, out [2]float64
	for k := range j.phases {
		for i := range j.phases[k].attempts {
			a := &j.phases[k].attempts[i]
			if a.State != dag.AttemptSucceeded {
				continue
			}
			done := a.Done[0]
			if dag.StageIndex(k) == dag.Reduce {
				done = a.Done[dag.Work]
			}
			in[k], out[k] = in[k]+math.Trunc(done), out[k]+math.Trunc(a.Out)
		}
	}
	one := func(name string, k dag.StageIndex, v float64) string {
		each := [2]string{"0", "0"}
		if each[k] = strconv.FormatFloat(v, 'f', 0, 64); math.IsNaN(v) {
			each[k] = "null"
		}
		return fmt.Sprintf(`{"name":"%s","totalCounterValue":%s,"mapCounterValue":%s,"reduceCounterValue":%s}`, name,
			each[k], each[dag.Map], each[dag.Reduce])
	}
	return fmt.Sprintf(`{"jobCounters":{"id":"%s","counterGroup":[{"counterGroupName":"org.apache.hadoop.mapreduce.TaskCounter","counter":[%s,%s,%s,%s]}]}}`, j.id,
		one("MAP_INPUT_RECORDS", dag.Map, in[dag.Map]), one("MAP_OUTPUT_RECORDS", dag.Map, out[dag.Map]),
		one("REDUCE_INPUT_RECORDS", dag.Reduce, in[dag.Reduce]), one("REDUCE_OUTPUT_RECORDS", dag.Reduce,
			out[dag.Reduce]))
}
