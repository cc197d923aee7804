// Package tape reads the lines of tapes, the recordings of observations that older programs wrote. Programs of the
// next version will not read them.
package tape

import (
	"encoding/hex"
	"fmt"
	"reflect"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/adapters/recording/internal/delta"
	"github.com/paratimer/paratimer/dag"
)

// Version is the last version of tapes. Version 1 only has MapReduce jobs.
const Version = 2

const (
	maxJobs   = 1 << 16 // jobs of a plan or snapshot
	maxStages = 1 << 14 // stages of a job
)

// Apply returns old with the changes of a line, and does not modify old. old is blank for a whole line. left is how
// many bytes lists may still take. The caller must check the snapshot.
func Apply(old *dag.Snapshot, text []byte, left *int) (*dag.Snapshot, error) {
	s := *old
	s.Jobs = dag.CloneStates(s.Jobs)
	l := &line{Reader: delta.NewReader(text, left), s: &s}
	l.fields(fields{
		"t": &s.At, "id": &s.ID, "user": &s.User, "queue": &s.Queue, "state": &s.State, "inferred": &s.Inferred,
		"stale": &s.Stale, "warnings": &s.Warnings, "plan": l.plan,
		"jobs": func() {
			resize(l, &s.Jobs, maxJobs, "jobs", func() dag.JobState { return dag.BlockedJob(0) })
		},
		"j":      func() { l.fit(); l.each(l.job) },
		"nodes":  func() { list(l, &s.Nodes, nodeState) },
		"queues": func() { list(l, &s.Queues, queue) },
		"load":   func() { list(l, &s.Load, l.load) },
		"coming": func() { list(l, &s.Coming, capacity) },
	})
	l.fit()
	return &s, l.Err()
}

// A line is the line that is being decoded.
type line struct {
	*delta.Reader
	s *dag.Snapshot
}

// fields are the values of an object by their names: pointers to them, or functions that read them.
type fields map[string]any

// fields reads an object. Values with other names are left out.
func (l *line) fields(known fields) {
	l.Object(l.Token(), func(name string) { l.value(known[name]) })
}

// value reads one value.
func (l *line) value(to any) {
	switch to := to.(type) {
	case nil:
		l.Skip()
	case func():
		to()
	case *string:
		*to = l.text()
	default:
		l.Read(to)
	}
}

// text reads a text. Old tapes have one that is not UTF-8 as {"hex":"…"}.
func (l *line) text() string {
	token := l.Token()
	text, ok := token.(string)
	if !ok {
		l.Object(token, func(string) {
			raw, err := hex.DecodeString(l.text())
			text = string(raw)
			l.Fail(err)
		})
	}
	return dag.Clean(text)
}

// each visits the items of a list.
func (l *line) each(visit func()) { l.List(l.Token(), visit) }

// list reads a list of objects, or null.
func list[T any](l *line, to *[]T, known func(*T) fields) {
	token := l.Token()
	if *to = nil; token == nil {
		return
	}
	items := []T{}
	l.List(token, func() {
		var item T
		if l.Allow(1, int(reflect.TypeFor[T]().Size())) {
			l.fields(known(&item))
			items = append(items, item)
		}
	})
	*to = items
}

// resize reads the length of a list, -1 for nil, and cuts or extends a copy of the list.
func resize[T any](l *line, to *[]T, most int, what string, fresh func() T) {
	n := 0
	if l.Read(&n); n == -1 {
		*to = nil
		return
	}
	if n < 0 || n > most {
		l.Fail(fmt.Errorf("%d %s: not a number from 0 to %d", n, what, most))
	}
	if !l.Allow(max(n-len(*to), 0), int(reflect.TypeFor[T]().Size())) {
		return
	}
	items := append(make([]T, 0, n), (*to)[:min(n, len(*to))]...)
	for len(items) < n {
		items = append(items, fresh())
	}
	*to = items
}

// fit gives each job the states of its stages.
func (l *line) fit() {
	s := l.s
	if l.Err() != nil || s.Plan == nil || len(s.Plan.Jobs) != len(s.Jobs) {
		return
	}
	for i := range s.Jobs {
		if have, want := len(s.Jobs[i].Stages), len(s.Plan.Jobs[i].Stages); have != want {
			stages := make([]dag.StageState, want)
			copy(stages, s.Jobs[i].Stages)
			s.Jobs[i].Stages = stages
		}
	}
}

// job reads the changes of a job's state.
func (l *line) job() {
	i := -1
	var j *dag.JobState
	var plan *dag.Job
	index := func() {
		if l.Read(&i); i < 0 || i >= len(l.s.Jobs) || l.s.Plan == nil || len(l.s.Plan.Jobs) != len(l.s.Jobs) {
			l.Fail(fmt.Errorf("there is no job %d, only %d jobs", i, len(l.s.Jobs)))
			return
		}
		j, plan = &l.s.Jobs[i], &l.s.Plan.Jobs[i]
	}
	l.Object(l.Token(), func(name string) {
		if name == "i" {
			index()
			return
		}
		if j == nil {
			l.Fail(fmt.Errorf("the changes of a job begin with %q, not with its index", name))
			return
		}
		known := fields{
			"id": &j.ID, "state": &j.State, "sub": &j.Submitted, "start": &j.Started, "end": &j.Finished,
			"attempt": &j.Attempt, "mb": &j.HeldMB, "am": &j.Master, "avoids": &j.Avoided, "why": &j.Diagnosis,
			"m": func() { l.stage(plan, j, int(dag.Map)) }, "r": func() { l.stage(plan, j, int(dag.Reduce)) },
			"s": func() { l.each(func() { l.stage(plan, j, -1) }) },
			"g": func() { l.groups(&j.Groups, l.s.At) },
		}
		l.value(known[name])
	})
}

func nodeState(n *dag.NodeState) fields {
	return fields{
		"name": &n.Name, "mb": &n.MemoryMB, "cores": &n.Cores, "lost": &n.Lost, "lost_at": &n.LostAt,
		"cause": &n.Cause, "draining": &n.Draining, "label": &n.Label,
	}
}

func queue(q *dag.QueueState) fields {
	return fields{
		"name": &q.Name, "share": &q.ShareMB, "max": &q.MaxMB, "user": &q.UserMB, "masters": &q.MastersMB,
		"user_ratio": &q.UserRatio, "order": &q.Order, "preempted": &q.Preempted,
	}
}

// load are the fields of an application. Old tapes have the cluster's name of a script's application, with Pig's
// prefix.
func (l *line) load(a *dag.Load) fields {
	phase := func(p *dag.NeedPhase) func() {
		return func() {
			l.fields(fields{
				"n": &p.Tasks, "done": &p.Done, "run": &p.Running, "ratio": &p.Progress, "ms": &p.LengthMS, "mb": &p.TaskMB,
			})
		}
	}
	return fields{
		"id": &a.ID, "name": func() { a.Name = pig.Script(l.text()) }, "user": &a.User, "before": &a.Before,
		"sub": &a.Submitted, "queue": &a.Queue, "mb": &a.HeldMB, "ask": &a.PendingMB, "am": &a.MasterMB,
		"share": &a.ShareMB, "until": &a.Until, "length": &a.Length, "ratio": &a.Progress,
		"need": func() {
			n := &dag.Need{}
			l.fields(fields{"t": &n.At, "m": phase(&n.Map), "r": phase(&n.Reduce)})
			a.Need = n
		},
	}
}

func capacity(c *dag.Capacity) fields { return fields{"t": &c.At, "cores": &c.Cores} }
