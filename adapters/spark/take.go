package spark

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// answers applies the responses of a driver, of a history server and of a cluster manager to the facts.
type answers struct {
	*facts
	*outcome
	reported dag.Instant // the driver's time by its newest response
}

// oneOrList decodes a response that is either one value or a list.
func oneOrList[T any](body []byte) (list []T, ok bool) {
	if len(body) > 0 && body[0] == '{' {
		list = make([]T, 1)
		return list, json.Unmarshal(body, &list[0]) == nil
	}
	return list, json.Unmarshal(body, &list) == nil
}

// TakeApplication applies a response to /api/v1/applications or for one application. It reports whether the response
// contains this application.
func (a *answers) TakeApplication(body []byte) bool {
	list, ok := oneOrList[wireApp](body)
	if !ok {
		return false
	}
	for i := range list {
		w := &list[i]
		if a.id == "" {
			a.id = dag.Clean(string(w.ID))
		}
		if a.id == "" || string(w.ID) != a.id {
			continue
		}
		a.name = dag.Clean(string(w.Name))
		if len(w.Attempts) > 0 {
			at := &w.Attempts[0] // the newest
			a.user, a.version, a.turn = dag.Clean(string(at.SparkUser)), string(at.Version), string(at.AttemptID)
			a.began, a.reported = at.StartTime.at(), dag.NoInstant
			if a.began.Known() && at.Duration > 0 && !at.Completed {
				a.reported = a.began + dag.Instant(min(float64(at.Duration), 1<<43))
			}
			if at.Completed {
				a.over, a.recorded, a.ended = true, true, at.EndTime.at()
			}
		}
		return true
	}
	return false
}

// TakeJobs applies a response with jobs. It reports whether the response is valid.
func (a *answers) TakeJobs(body []byte) bool {
	list, ok := oneOrList[wireJob](body)
	if !ok {
		return false
	}
	for i := range list {
		w := &list[i]
		ids := make([]int, 0, min(len(w.StageIDs), mostListed))
		for _, n := range w.StageIDs {
			ids = append(ids, n.ID())
		}
		a.clock.stamp(w.SubmissionTime.at())
		a.clock.stamp(w.CompletionTime.at())
		a.takeJob(w.JobID.ID(), dag.Clean(string(w.Name)), dag.Clean(string(w.Description)), w.SubmissionTime.at(),
			w.CompletionTime.at(), ids, string(w.Status), string(w.JobGroup))
	}
	return true
}

// TakeStages applies a response with one or more stages. It reports whether the response is valid.
func (a *answers) TakeStages(body []byte) bool {
	list, ok := oneOrList[wireStage](body)
	if !ok {
		return false
	}
	slices.SortStableFunc(list, func(x, y wireStage) int { return x.AttemptID.ID() - y.AttemptID.ID() })
	for i := range list {
		w := &list[i]
		s := a.stageAt(w.StageID.ID())
		if s == nil {
			a.dropped = true
			continue
		}
		s.name, s.seen = dag.Clean(string(w.Name)), a.round
		if len(s.rdds) == 0 {
			s.setRDDs(w.RDDIDs)
		}
		status := string(w.Status)
		n := w.AttemptID.ID()
		if n == 0 && w.NumTasks > 0 {
			s.tasks = w.NumTasks.Count(mostTasks + 1) // keep a count above the bound above it
		}
		if n >= len(s.tries)-1 {
			s.status = status
		}
		if status == "PENDING" || status == "SKIPPED" {
			continue
		}
		s.pool = dag.Clean(string(w.Pool))
		t := s.tryAt(n)
		if t == nil {
			continue
		}
		t.tasks, t.complete, t.status = w.NumTasks.Count(mostTasks), w.NumComplete.Count(mostTasks), status
		t.submitted, t.completed = w.Submission.at(), w.Completion.at()
		a.clock.stamp(t.submitted)
		a.clock.stamp(t.completed)
		t.failure, t.push = cause(string(w.FailureReason)), w.PushEnabled
		if w.RunTime >= 0 {
			t.runMS = float64(w.RunTime)
		}
		s.writes = s.writes || w.Written > 0
	}
	return true
}

func idsOf(list []number) []int {
	out := make([]int, 0, len(list))
	for _, n := range list {
		if id := n.ID(); id >= 0 {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// TakeTasks applies a list of tasks of a stage attempt that was returned at an instant. It reports whether the list
// is valid. only is the status parameter of the request: with RUNNING the list contains all running tasks.
func (a *answers) TakeTasks(body []byte, stageID, attempt int, only string, at dag.Instant) bool {
	var list []wireTask
	if json.Unmarshal(body, &list) != nil {
		return false
	}
	s := a.stageAt(stageID)
	if s == nil {
		return true
	}
	t := s.tryAt(attempt)
	if t == nil {
		return true
	}
	seen := make(map[int]bool, len(list))
	for i := range list {
		id := list[i].TaskID.ID()
		seen[id] = true
		a.takeTask(t, &list[i], at)
	}
	if only == "RUNNING" {
		for _, k := range t.running() {
			if !seen[k.id] {
				k.end = at
				k.become(dag.AttemptSucceeded, true) // the task has ended; a full list will show how
			}
		}
	}
	return true
}

// takeWindow applies a part of the list of an attempt's tasks. For each task in it, ended reports whether it has
// ended.
func (a *answers) takeWindow(body []byte, t *try, at dag.Instant) (ended []bool, ok bool) {
	var list []wireTask
	if json.Unmarshal(body, &list) != nil {
		return nil, false
	}
	for i := range list {
		a.takeTask(t, &list[i], at)
		state, known := taskStates[string(list[i].Status)]
		ended = append(ended, known && state != dag.AttemptRunning)
	}
	return ended, true
}

var taskStates = map[string]dag.AttemptState{
	"RUNNING": dag.AttemptRunning, "GET RESULT": dag.AttemptRunning, "GETTING RESULT": dag.AttemptRunning,
	"SUCCESS": dag.AttemptSucceeded, "FAILED": dag.AttemptFailed, "KILLED": dag.AttemptKilled,
}

// commitDenied is Spark's reason for an attempt that ended because another attempt of the task had committed its
// output. Spark does not count it as a failure.
const commitDenied = "TaskCommitDenied"

func (a *answers) takeTask(t *try, w *wireTask, at dag.Instant) {
	state, known := taskStates[string(w.Status)]
	id := w.TaskID.ID()
	if id < 0 || !known {
		return
	}
	k, _ := a.taskAt(t, id)
	if k == nil {
		return
	}
	part := w.Index.ID()
	if w.PartitionID != nil && w.PartitionID.ID() >= 0 {
		part = w.PartitionID.ID()
	}
	k.identify(part, w.LaunchTime.at(), a.executorAt(string(w.ExecutorID)))
	a.clock.stamp(k.launch)
	if k.state != dag.AttemptRunning && state == dag.AttemptRunning && (!k.guessed || t.settled) {
		return // an older response, or the driver has missed the task's end
	}
	if state != dag.AttemptRunning {
		k.impliedSince = dag.NoInstant
	}
	k.end = dag.NoInstant
	if state != dag.AttemptRunning && k.launch.Known() {
		k.end = at
		if w.Duration != nil && *w.Duration >= 0 {
			k.end = k.launch + dag.Instant(min(float64(*w.Duration), 1<<43))
		}
	}
	if state == dag.AttemptFailed || state == dag.AttemptKilled {
		k.why = cause(string(w.Error))
	}
	if state == dag.AttemptFailed && strings.HasPrefix(string(w.Error), commitDenied) {
		k.become(dag.AttemptKilled, false)
	} else {
		k.become(state, false)
	}
	if m := w.Metrics; m != nil {
		read := float64(m.Read.Records)
		wrong := state != dag.AttemptSucceeded && !t.push && (m.Read.Push.Requests > 0 || m.Read.Push.Blocks > 0)
		if wrong { // SPARK-54505: metrics of tasks that have not succeeded are in the wrong fields
			read = float64(m.Read.Push.Requests)
		}
		k.progress(float64(m.Input.Records), read, max(zero(m.Write.Records), zero(m.Output.Records)), at)
		if wrong {
			k.out = zero(m.Write.Records)
		}
	}
}

func zero(n number) float64 {
	if n > 0 {
		return float64(n)
	}
	return 0
}

// TakeEnvironment applies a response with the environment. It reports whether the response is valid.
func (a *answers) TakeEnvironment(body []byte) bool {
	var w wireEnvironment
	if json.Unmarshal(body, &w) != nil {
		return false
	}
	for _, kv := range w.Properties {
		if len(kv) == 2 {
			a.conf.set(string(kv[0]), string(kv[1]))
		}
	}
	return true
}

// firstLine returns the first line of a text without control characters.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return dag.Clean(s[:min(len(s), 1000)])
}

// cause returns the first line of an error. If that line only announces a Python traceback, cause returns the
// exception at the end of the traceback instead.
func cause(s string) string {
	const traceback = "Traceback (most recent call last):"
	head, rest, _ := strings.Cut(s, "\n")
	before, python := strings.CutSuffix(strings.TrimSpace(head), traceback)
	if !python {
		return firstLine(s)
	}
	for line := range strings.Lines(rest) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != ' ' && line[0] != '\t' {
			return firstLine(strings.TrimSuffix(before, "org.apache.spark.api.python.PythonException: ") + line)
		}
	}
	return firstLine(s)
}
