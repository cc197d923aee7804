package tez

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// inRequest bounds the attempts of one request, inTick those of one poll, and atEnd those of one poll after the end
// of the DAG.
const (
	inRequest = 90
	inTick    = 10 * inRequest
	atEnd     = 10 * inTick
)

// get requests one of the master's lists and decodes the response.
func (s *Source) get(ctx context.Context, what, query string, to any) error {
	r := rest.Request{Path: "ws/v2/tez/" + what + "?dagID=" + strconv.Itoa(s.number()) + query}
	switch what {
	case "tasksInfo":
		r.Limit = rest.Long
	case "attemptsInfo", "verticesInfo":
		r.Limit = rest.Middle
	}
	body, err := s.cluster.Proxy(ctx, s.app.ID, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, to); err != nil {
		return fmt.Errorf("tez: the answer to %s is not what it should be: %w", what, err)
	}
	return nil
}

// ask polls the DAG's progress from the master.
func (s *Source) ask(ctx context.Context) {
	var d dagBody
	if err := s.get(ctx, "dagInfo", "", &d); err != nil {
		s.silent(err)
		return
	}
	if string(d.DAG.ID) != s.id {
		return
	}
	s.asked, s.silentAt, s.silence = true, dag.NoInstant, nil
	s.g.status = string(d.DAG.Status)
	var v verticesBody
	if err := s.get(ctx, "verticesInfo", "", &v); err != nil {
		s.silent(err)
		return
	}
	s.takeVertices(&v)
	unknown := s.unlisted(ctx)
	s.askAttempts(ctx, unknown, s.open())
}

func (s *Source) takeVertices(b *verticesBody) {
	last := dag.NoInstant
	for i := range b.Vertices {
		w := &b.Vertices[i]
		k, ok := parseID(string(w.ID), "vertex", s.id, 1)
		if !ok {
			continue
		}
		v := s.g.at(k.vertex)
		v.status = string(w.Status)
		if n := float64(w.TotalTasks); n >= 0 && n <= dag.MaxTasks {
			v.setTasks(w.TotalTasks.Count(dag.MaxTasks), true)
		} else {
			v.setTasks(v.tasks, false)
		}
		v.running, v.succeeded = w.RunningTasks.Count(dag.MaxTasks), w.SucceededTasks.Count(dag.MaxTasks)
		v.ended = w.FailedTaskAttempts.Count(dag.MaxTasks) + w.KilledTaskAttempts.Count(dag.MaxTasks)
		if !s.g.started.Known() {
			s.g.started = w.InitTime.Instant()
		}
		last = max(last, w.FinishTime.Instant())
	}
	if _, over := dagStates[s.g.status]; over && !s.g.finished.Known() {
		s.g.finished = last
	}
}

// counts returns the known numbers of running and succeeded tasks of a vertex.
func (v *vertex) counts() (running, succeeded int) {
	for _, t := range v.table.All() {
		up, done := false, false
		for i := range t.attempts {
			up = up || t.attempts[i].State == dag.AttemptRunning
			done = done || t.attempts[i].State == dag.AttemptSucceeded
		}
		switch {
		case done:
			succeeded++
		case up:
			running++
		}
	}
	return running, succeeded
}

// At each start and end of a task, the log and the master's counts differ for a moment.
const mayBeOff = 3

// tasksEach is the mean number of a vertex' tasks that are listed per poll if its tasks are not in the log.
const tasksEach = 1_000

// unlisted lists the tasks of vertices with counts that differ from the log's. It returns the attempts to request.
func (s *Source) unlisted(ctx context.Context) []attemptKey {
	readable := s.logged() && s.logs.lost("syslog_"+s.id) == 0
	var list []string
	for _, v := range s.g.vertices {
		running, succeeded := v.counts()
		if v.running < 0 || running == v.running && succeeded == v.succeeded {
			v.off = 0
			continue
		}
		v.off++
		soon := readable && v.off < mayBeOff || v.listedTick > 0 && s.ticks-v.listedTick < v.tasks/tasksEach
		if _, over := dagStates[s.g.status]; len(s.left) > 0 || !over && soon {
			continue
		}
		v.listedTick = s.ticks
		list = append(list, strconv.Itoa(int(v.index)))
	}
	var keys []attemptKey
	for len(list) > 0 {
		n := min(len(list), inRequest)
		var b tasksBody
		query := "&limit=" + strconv.Itoa(dag.MaxTasks) + "&vertexID=" + strings.Join(list[:n], ",")
		if err := s.get(ctx, "tasksInfo", query, &b); err != nil {
			s.silent(err)
			return keys
		}
		list = list[n:]
		keys = append(keys, s.takeTasks(&b)...)
	}
	return keys
}

// takeTasks applies a list of tasks. It returns the attempts to request.
func (s *Source) takeTasks(b *tasksBody) []attemptKey {
	var keys []attemptKey
	for i := range b.Tasks {
		w := &b.Tasks[i]
		k, ok := parseID(string(w.ID), "task", s.id, 2)
		if !ok {
			continue
		}
		v := s.g.at(k.vertex)
		up, done := false, false
		newest := int32(-1)
		if t := v.table.Find(k.task); t != nil {
			for j := range t.attempts {
				a := &t.attempts[j]
				// In a new master a task is NEW until the master has read the task's earlier end.
				recovers := a.era < s.g.era && w.Status == "NEW"
				if a.State == dag.AttemptSucceeded && w.Status != "SUCCEEDED" && !recovers {
					a.State, a.Diagnosis = dag.AttemptKilled, lostOutput
					v.table.Change(k.task)
					if a.era < s.g.era {
						t.retire(a, s.now)
					}
				}
				up = up || a.State == dag.AttemptRunning
				done = done || a.State == dag.AttemptSucceeded
				if !a.past {
					newest = max(newest, a.wire)
				}
			}
		}
		if w.Status == "RUNNING" && !up || w.Status == "SUCCEEDED" && !done {
			for k.number = 0; k.number <= newest+1 || k.number == 0 || int(k.number) <= min(v.ended, 3); k.number++ {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// open returns the running attempts, and the ended attempts without final counters.
func (s *Source) open() []attemptKey {
	var running, over []attemptKey
	for _, v := range s.g.vertices {
		for index, t := range v.table.All() {
			for i := range t.attempts {
				k := attemptKey{v.index, index, t.attempts[i].wire}
				switch a := &t.attempts[i]; {
				case a.past:
				case a.State == dag.AttemptRunning:
					running = append(running, k)
				case !a.settled && a.tries < triesAfterEnd:
					over = append(over, k)
				}
			}
		}
	}
	if len(running) > inTick { // take turns
		at := s.ticks * inTick % len(running)
		running = append(running[at:], running[:at]...)
	}
	return append(over, running...)
}

// askAttempts requests attempts: first unknown ones, then the others. Unknown attempts beyond the limit are kept for
// the next poll.
func (s *Source) askAttempts(ctx context.Context, unknown, known []attemptKey) {
	limit := inTick
	if _, over := dagStates[s.g.status]; over {
		limit = atEnd
	}
	unknown = append(s.left, unknown...)
	n := min(len(unknown), limit)
	s.left = slices.Clone(unknown[n:])
	keys := append(unknown[:n:n], known[:min(len(known), limit-n)]...)
	for len(keys) > 0 {
		n := min(len(keys), inRequest)
		ids := make([]string, n)
		for i, k := range keys[:n] {
			ids[i] = k.short()
		}
		var b attemptsBody
		query := "&limit=" + strconv.Itoa(inRequest) + "&counters=" + taskCounters + "/" + counterNames
		if err := s.get(ctx, "attemptsInfo", query+"&attemptID="+strings.Join(ids, ","), &b); err != nil {
			s.silent(err)
			return
		}
		for i := range b.Attempts {
			s.g.applyReport(&b.Attempts[i], orNow(s.before, s.now), s.now)
		}
		keys = keys[n:]
	}
}
