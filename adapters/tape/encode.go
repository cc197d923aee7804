package tape

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// The encoder writes a whole line once the lines since the last one have wholeFactor times its size, and at least
// wholeFloor bytes. Whole lines are then a small part of a tape.
const (
	wholeFactor = 8
	wholeFloor  = 16 << 10
)

// An encoder encodes observations as lines. The caller must not change the snapshots.
type encoder struct {
	n      int64
	plan   planCoder
	before *dag.Snapshot // previous snapshot; nil: the next line is whole
	since  int           // bytes since the last whole line
	weight int           // bytes of the last whole line
	// factor and floor are wholeFactor and wholeFloor, except in tests.
	factor, floor int
}

func newEncoder() encoder { return encoder{factor: wholeFactor, floor: wholeFloor} }

// missed returns the line of a missed observation.
func (e *encoder) missed(m *dag.MissedError) ([]byte, error) {
	e.n++
	why := text(m.Err.Error())
	return e.finish(&line{N: e.n, At: instant(m.At), Missed: &why})
}

// snapshot returns the line of s.
func (e *encoder) snapshot(s *dag.Snapshot) ([]byte, error) {
	e.n++
	old := e.before
	l := &line{N: e.n, At: instant(s.At)}
	if old == nil || e.since > max(e.floor, e.factor*e.weight) {
		old, l.Whole = blank(), true
	}
	e.before = nil // after an error, the next line is whole
	if err := e.fill(l, old, s); err != nil {
		return nil, err
	}
	b, err := e.finish(l)
	if err != nil {
		return nil, err
	}
	if e.before = s; l.Whole {
		e.since, e.weight = 0, len(b)
	} else {
		e.since += len(b)
	}
	return b, nil
}

func (e *encoder) finish(l *line) ([]byte, error) {
	b, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("tape: cannot write the observation %d: %w", e.n, err)
	}
	if len(b) >= maxLine {
		return nil, fmt.Errorf("tape: the observation %d takes %d bytes, more than the %d of a line", e.n, len(b),
			maxLine)
	}
	return append(b, '\n'), nil
}

func (e *encoder) fill(l *line, old, s *dag.Snapshot) (err error) {
	if err := check(s); err != nil {
		return fmt.Errorf("tape: the observation %d cannot be written: %w", e.n, err)
	}
	if n := attempts(s); n > maxAttempts {
		return fmt.Errorf("tape: the observation %d has %d attempts, more than the %d that a tape holds", e.n, n,
			maxAttempts)
	}
	if n := groupsSize(s); n > maxGroups {
		return fmt.Errorf("tape: the observation %d has %d sizes, names and points of key groups, more than the %d that a tape holds", e.n, n, maxGroups)
	}
	if len(s.Jobs) > maxJobs {
		return fmt.Errorf("tape: the observation %d has %d jobs, more than the %d that a tape holds", e.n, len(s.Jobs),
			maxJobs)
	}
	if l.Plan, err = e.plan.encode(s.Plan, l.Whole); err != nil {
		return err
	}
	l.ID = changed(text(old.ID), text(s.ID))
	l.User = changed(text(old.User), text(s.User))
	l.Queue = changed(text(old.Queue), text(s.Queue))
	l.State = changed(old.State, s.State)
	l.Inferred = changed(old.Inferred, s.Inferred)
	l.Stale = changed(instant(old.Stale), instant(s.Stale))
	l.Nodes = changedList(old.Nodes, s.Nodes, nodeOf)
	l.Queues = changedList(old.Queues, s.Queues, queueOf)
	l.Load = changedList(old.Load, s.Load, loadOf)
	l.Coming = changedList(old.Coming, s.Coming, comingOf)
	l.Warnings = changedList(old.Warnings, s.Warnings, warningOf)
	if n := count(s.Jobs); n != count(old.Jobs) {
		l.Count = some(n)
	}
	for i := range s.Jobs {
		was := dag.BlockedJob(len(s.Jobs[i].Stages))
		if i < len(old.Jobs) {
			was = old.Jobs[i]
		}
		if j := jobChange(&was, &s.Jobs[i], s.Plan.Jobs[i].IsMapReduce(), s.At); j != nil {
			j.Index = i
			l.Jobs = append(l.Jobs, *j)
		}
	}
	return nil
}

func attempts(s *dag.Snapshot) int {
	n := 0
	for i := range s.Jobs {
		for k := range s.Jobs[i].Stages {
			n += len(s.Jobs[i].Stages[k].Attempts)
		}
	}
	return n
}

// jobChange returns the changes of a job, or nil if there are none.
func jobChange(old, j *dag.JobState, mapReduce bool, at dag.Instant) *jobLine {
	l := &jobLine{
		ID:        changed(text(old.ID), text(j.ID)),
		State:     changed(old.State, j.State),
		Submitted: changed(instant(old.Submitted), instant(j.Submitted)),
		Started:   changed(instant(old.Started), instant(j.Started)),
		Finished:  changed(instant(old.Finished), instant(j.Finished)),
		Attempt:   changed(old.Attempt, j.Attempt),
		HeldMB:    changed(old.HeldMB, j.HeldMB),
		Master:    changed(text(old.Master), text(j.Master)),
		Avoided:   changedList(old.Avoided, j.Avoided, same),
		Diagnosis: changed(text(old.Diagnosis), text(j.Diagnosis)),
		Groups:    encodeGroups(old.Groups, j.Groups, at),
	}
	for k := range j.Stages {
		var before dag.StageState
		if k < len(old.Stages) {
			before = old.Stages[k]
		}
		p := encodePhase(before.Attempts, j.Stages[k].Attempts, lastPipeline(mapReduce, k), at)
		if sub := changed(instant(before.Submitted), instant(j.Stages[k].Submitted)); sub.set {
			if p == nil {
				p = &phaseLine{}
			}
			p.Submitted = sub
		}
		switch {
		case p == nil:
		case !mapReduce:
			l.Stages = append(l.Stages, stageLine{k, *p})
		case k == int(dag.Map):
			l.Map = p
		default:
			l.Reduce = p
		}
	}
	if l.Stages == nil && l.Map == nil && l.Reduce == nil && l.Groups == nil && !l.ID.set && !l.State.set &&
		!l.Submitted.set && !l.Started.set && !l.Finished.set &&
		!l.Attempt.set && !l.HeldMB.set && !l.Diagnosis.set && !l.Master.set && !l.Avoided.set {
		return nil
	}
	return l
}

func changedList[T any, U comparable](old, s []T, f func(T) U) opt[[]U] {
	is := each(s, f)
	return opt[[]U]{set: (old == nil) != (s == nil) || !slices.Equal(each(old, f), is), v: is}
}

func nodeOf(n dag.NodeState) node {
	return node{text(n.Name), n.MemoryMB, n.Cores, n.Lost, instant(n.LostAt), n.Cause, n.Draining, text(n.Label)}
}

func comingOf(c dag.Capacity) coming { return coming{instant(c.At), c.Cores} }

func warningOf(w dag.Warning) warning { return warning{text(w.Code), text(w.Text)} }
