package mapreduce

import (
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// A cache on the way may return an old response with a new date. A master's reports about a task move forward: an
// attempt starts, runs, ends, and may be taken back; counters of records grow. A response that goes back is
// doubted: it is ignored until another one, about the attempts or about the master, confirms it.

// manyDoubts is how many responses in a row about a task must go back before they are accepted.
const manyDoubts = 8

// rank is how far an attempt has come by its state, from 0 (waiting) to 3 (failed or killed).
var rank = map[dag.AttemptState]int8{
	dag.AttemptRunning: 1, dag.AttemptSucceeded: 2, dag.AttemptFailed: 3, dag.AttemptKilled: 3,
}

// back reports whether a line of the task list goes back.
func (t *task) back(w *wireTask) bool {
	switch w.State {
	case "SUCCEEDED":
		_, _, n, ok := mrjob.AttemptOf(string(w.Successful))
		i, found := t.find(n)
		return ok && found && t.ranks[i] == 3
	case "FAILED", "KILLED":
		return false
	case "RUNNING":
		return t.done()
	}
	return t.done() || t.state == "RUNNING"
}

// behind reports whether a response about the attempts goes back, or leaves out an attempt that was reported
// before.
func (t *task) behind(kind dag.StageIndex, index int32, b *attemptsBody) bool {
	reported := map[int32]int8{}
	for n, w := range b.of(kind, index) {
		reported[n] = rank[w.state()]
	}
	for i := range t.attempts {
		is, listed := reported[t.attempts[i].Number]
		if t.ranks[i] >= 0 && (!listed || is < t.ranks[i]) {
			return true
		}
	}
	return false
}

// lessThan reports whether counters go back against those of an attempt. It is false if they may belong
// to another attempt.
func lessThan(a *dag.Attempt, c *mrjob.Counts, kind dag.StageIndex, t *task) bool {
	for i := range t.attempts {
		if o := &t.attempts[i]; o.Number != a.Number && (o.State == dag.AttemptRunning ||
			o.State == dag.AttemptSucceeded) {
			return false
		}
	}
	below := func(is, was float64) bool { return was > 0 && !(is >= was) }
	if kind == dag.Map {
		return below(c.MapIn, a.Done[0]) || below(c.MapOut, a.Out) || below(c.Read, a.Bytes)
	}
	return below(c.Copied, a.Done[dag.Copy]) || below(c.ReduceIn, a.Done[dag.Work]) || below(c.ReduceOut, a.Out) ||
		below(c.Shuffled, a.Bytes)
}

// again counts a response that goes back, and reports whether it is still doubted.
func again(doubts *int) bool {
	if *doubts++; *doubts < manyDoubts {
		return true
	}
	*doubts = 0
	return false
}

// takenBack reports whether the attempt with the task's result has lost it, by the response about attempts.
func (t *task) takenBack(reported dag.AttemptState) bool {
	return t.state == "SUCCEEDED" && (reported == dag.AttemptKilled || reported == dag.AttemptFailed)
}

// unrecovered reports whether the task's result is an older master's and the current master did not recover it: it
// runs the task again.
func (t *task) unrecovered(kind dag.StageIndex, index int32, b *attemptsBody) bool {
	if t.state != "SUCCEEDED" || t.success < 0 {
		return false
	}
	newest := int32(-1)
	for n := range b.of(kind, index) {
		if n == t.success {
			return false
		}
		newest = max(newest, n)
	}
	return newest/1000 > t.success/1000
}
