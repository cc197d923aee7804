package restsim

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/dag"
)

// A job is the state of a job on the cluster at one instant.
type job struct {
	id     string // job_ and the number
	number string
	plan   *dag.Plan
	job    *dag.Job
	state  *dag.JobState
	snap   *dag.Snapshot
	now    dag.Instant
	phases [2]phase // map and reduce
	conf   string   // made once
}

// A phase is a job's tasks of one kind, and their counts.
type phase struct {
	views                  []view // of each task
	pending, running, done int    // tasks
	attempts               [5]int // by state
	progress               float64
}

// look takes a job's state of the newest snapshot.
func (j *job) look(s *dag.Snapshot, i int, now dag.Instant) {
	isNew := j.state != &s.Jobs[i]
	j.plan, j.job, j.state, j.snap, j.now = s.Plan, &s.Plan.Jobs[i], &s.Jobs[i], s, now
	if isNew {
		for k := range j.phases {
			j.phases[k] = phaseOf(dag.StageIndex(k), &j.job.Stages[k], j.state.Stages[k].Attempts)
		}
	}
}

// task returns the stage and the index of a task by its id.
func (j *job) task(id string) (k dag.StageIndex, index int, ok bool) {
	letter, n, _ := strings.Cut(strings.TrimPrefix(id, "task_"+j.number+"_"), "_")
	k = dag.StageIndex(slices.Index(letters[:], letter))
	index, err := strconv.Atoi(n)
	return k, index, err == nil && k >= 0 && index >= 0 && index < len(j.phases[k].views)
}

// phaseOf counts and indexes attempts, which are sorted by task.
func phaseOf(k dag.StageIndex, of *dag.Stage, attempts []dag.Attempt) phase {
	n := of.Count()
	if len(attempts) > 0 {
		n = max(n, int(attempts[len(attempts)-1].Task)+1)
	}
	p := phase{views: make([]view, n)}
	for _, a := range attempts {
		p.attempts[a.State]++
	}
	for t := range p.views {
		end := 0
		for end < len(attempts) && int(attempts[end].Task) == t {
			end++
		}
		v := viewOf(k, attempts[:end:end])
		attempts = attempts[end:]
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
		p.views[t] = v
	}
	p.attempts[dag.AttemptWaiting] += p.pending
	return p
}

// share returns how much of a phase is done, in percent.
func (p *phase) share() float64 { return 100 * p.progress / float64(max(1, len(p.views))) }

// A view is a task's entry in a task list.
type view struct {
	state         string
	start, finish dag.Instant
	progress      float64 // percent
	success       string  // number of the successful attempt, "" if there is none
	status        string
	attempts      []dag.Attempt
}

// viewOf derives a task's state from its attempts. A task with a failed or killed attempt continues with a new one
// (docs/facts/hadoop.md E0). A task with a lost result is scheduled again (TaskImpl's RetroactiveKilledTransition).
func viewOf(k dag.StageIndex, attempts []dag.Attempt) view {
	v := view{state: "SCHEDULED", start: dag.NoInstant, finish: dag.NoInstant, status: "NEW", attempts: attempts}
	for i := range attempts {
		a := &attempts[i]
		if a.Start.Known() && (!v.start.Known() || a.Start < v.start) {
			v.start = a.Start
		}
		switch a.State {
		case dag.AttemptRunning:
			v.state, v.progress, v.status = "RUNNING", max(v.progress, 100*clean(a.Ratio)), status(k, a)
		case dag.AttemptSucceeded:
			v.state, v.progress, v.status, v.finish, v.success = "SUCCEEDED", 100, status(k, a), a.End,
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

// percent formats a float of 32 bits, as Java does.
func percent(v float64) string { return fmt.Sprint(float32(v)) }

// elapsed returns the milliseconds from start to end, or to now if it has not ended.
func elapsed(start, end, now dag.Instant) int64 {
	if !start.Known() {
		return 0
	}
	if !end.Known() {
		end = now
	}
	return max(0, end.Sub(start).Milliseconds())
}

// ms returns an instant as Hadoop writes it: 0 if it is unknown.
func ms(i dag.Instant) int64 {
	if !i.Known() {
		return 0
	}
	return int64(i)
}

func quote(s string) string {
	b, _ := json.Marshal(s) // never fails for a string
	return string(b)
}

var (
	letters = [...]string{"m", "r"}
	names   = [...]string{"MAP", "REDUCE"}
)

func (j *job) jobAttempts() string {
	return fmt.Sprintf(`{"jobAttempts":{"jobAttempt":[{"nodeHttpAddress":"node-0:8042","nodeId":"node-0:36241","id":%d,"startTime":%d,"containerId":"container_%s_01_000001","logsLink":""}]}}`,
		max(1, j.state.Attempt), ms(j.state.Started), j.number)
}

var stateNames = map[dag.State]string{
	dag.Running: "RUNNING", dag.Succeeded: "SUCCEEDED", dag.Failed: "FAILED",
	dag.Killed: "KILLED",
}

func (j *job) summary(over bool) string {
	m, r, s := &j.phases[0], &j.phases[1], j.state
	ended := func(p *phase) string {
		return fmt.Sprintf(`"failed%%[1]sAttempts":%d,"killed%%[1]sAttempts":%d,"successful%%[1]sAttempts":%d`,
			p.attempts[dag.AttemptFailed], p.attempts[dag.AttemptKilled], p.attempts[dag.AttemptSucceeded])
	}
	counts := fmt.Sprintf(ended(r), "Reduce") + "," + fmt.Sprintf(ended(m), "Map")
	if over {
		return fmt.Sprintf(`{"job":{"submitTime":%d,"startTime":%d,"finishTime":%d,"id":"%s","name":%s,"queue":"root.default","user":%s,"state":"%s","mapsTotal":%d,"mapsCompleted":%d,"reducesTotal":%d,"reducesCompleted":%d,"uberized":false,"diagnostics":%s,"avgMapTime":0,"avgReduceTime":0,"avgShuffleTime":0,"avgMergeTime":0,%s}}`,
			ms(s.Submitted), ms(s.Started), ms(s.Finished), j.id, quote(j.name()), quote(j.user()), stateNames[s.State],
			len(m.views), m.done, len(r.views), r.done, quote(s.Diagnosis), counts)
	}
	return fmt.Sprintf(`{"job":{"startTime":%d,"finishTime":0,"elapsedTime":%d,"id":"%s","name":%s,"user":%s,"queue":"root.default","state":"RUNNING","mapsTotal":%d,"mapsCompleted":%d,"reducesTotal":%d,"reducesCompleted":%d,"mapProgress":%s,"reduceProgress":%s,"mapsPending":%d,"mapsRunning":%d,"reducesPending":%d,"reducesRunning":%d,"uberized":false,"diagnostics":"","newReduceAttempts":%d,"runningReduceAttempts":%d,"newMapAttempts":%d,"runningMapAttempts":%d,%s}}`,
		ms(s.Started), elapsed(s.Started, dag.NoInstant, j.now), j.id, quote(j.name()), quote(j.user()), len(m.views),
		m.done, len(r.views), r.done, percent(m.share()), percent(r.share()), m.pending, m.running, r.pending,
		r.running, r.attempts[dag.AttemptWaiting], r.attempts[dag.AttemptRunning], m.attempts[dag.AttemptWaiting],
		m.attempts[dag.AttemptRunning], counts)
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
		for i := range j.state.Stages[k].Attempts {
			a := &j.state.Stages[k].Attempts[i]
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

// fillers is the number of additional, unused properties of a conf: a Pig job's conf has 300 KB
// (docs/facts/hadoop.md E0).
const fillers = 1700

// configuration returns the response to conf: the workflow (docs/facts/hadoop.md C1) and the limits that a schedule
// depends on (docs/facts/hadoop.md F).
func (j *job) configuration() string {
	if j.conf != "" {
		return j.conf
	}
	l := j.job.MapReduce
	props := map[string]string{
		"mapreduce.job.name":                           j.name(),
		"mapreduce.job.user.name":                      j.user(),
		"pig.job.feature":                              j.job.Feature,
		"pig.alias":                                    j.job.Alias,
		"pig.input.dirs":                               strings.Join(j.job.Input, ","),
		"yarn.scheduler.minimum-allocation-mb":         "1",
		"mapreduce.job.reduce.slowstart.completedmaps": fmt.Sprint(l.SlowStart),
		"mapreduce.job.running.map.limit":              fmt.Sprint(l.MaxMaps),
		"mapreduce.job.running.reduce.limit":           fmt.Sprint(l.MaxReduces),
		"mapreduce.job.maps":                           fmt.Sprint(len(j.phases[dag.Map].views)),
		"mapreduce.job.reduces":                        fmt.Sprint(len(j.phases[dag.Reduce].views)),
	}
	for name, v := range map[string]int{
		"yarn.app.mapreduce.am.resource.mb": j.job.MasterMB, "mapreduce.map.memory.mb": l.MapMB,
		"mapreduce.reduce.memory.mb": l.ReduceMB,
	} {
		if v > 0 {
			props[name] = fmt.Sprint(v)
		}
	}
	if l.RampUp > 0 {
		props["yarn.app.mapreduce.am.job.reduce.rampup.limit"] = fmt.Sprint(l.RampUp)
	}
	if len(j.plan.Jobs) > 1 { // otherwise it is a plain MapReduce job
		props["mapreduce.workflow.id"] = "pig_" + j.snap.ID
		props["mapreduce.workflow.name"] = j.plan.Name
		props["mapreduce.workflow.node.name"] = j.job.Node
		props["pig.script.submitted.timestamp"] = fmt.Sprint(ms(j.snap.Origin()))
		after := map[string][]string{}
		for i := range j.plan.Jobs {
			for _, p := range j.plan.Jobs[i].After {
				after[j.plan.Jobs[p].Node] = append(after[j.plan.Jobs[p].Node], j.plan.Jobs[i].Node)
			}
		}
		for node, next := range after {
			props["mapreduce.workflow.adjacency."+node] = strings.Join(next, ",")
		}
	}
	for i := range fillers {
		props[fmt.Sprintf("filler.property.number.%d", i)] = "false"
	}
	path := "file:/lab/staging/home/" + j.user() + "/.staging/" + j.id + "/job.xml"
	b := []byte(`{"conf":{"path":` + quote(path) + `,"property":[`)
	for i, name := range slices.Sorted(maps.Keys(props)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"name":%s,"value":%s,"source":["programmatically",%s]}`, quote(name), quote(props[name]),
			quote(path))
	}
	j.conf = string(append(b, `]}}`...))
	return j.conf
}
