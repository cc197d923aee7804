package hadoop

import (
	"net/http"

	"github.com/paratimer/paratimer/dag"
)

// Somebody on the way may answer with what was true a while ago, and date it anew. What a master says of a task goes
// on: an attempt starts, runs, ends, and may be taken back; counters of records grow. An answer that goes back is
// doubted: it is not taken before another one, about the attempts or about the master, says the same.

// manyDoubts is how often in a row an answer about a task must go back until it is believed all the same.
const manyDoubts = 8

// rank is how far an attempt has come by its state; -1 where no answer has told.
func rank(s dag.AttemptState) int8 {
	switch s {
	case dag.AttemptRunning:
		return 1
	case dag.AttemptSucceeded:
		return 2
	case dag.AttemptFailed, dag.AttemptKilled:
		return 3
	default:
		return 0
	}
}

// rank notes what an answer has told of the attempt of that number.
func (t *task) rank(number int32, s dag.AttemptState) {
	for i := range t.attempts {
		if t.attempts[i].Number == number {
			t.ranks[i] = rank(s)
		}
	}
}

// rankOf is the rank of the attempt of that number, as answers have told.
func (t *task) rankOf(number int32) int8 {
	for i := range t.attempts {
		if t.attempts[i].Number == number {
			return t.ranks[i]
		}
	}
	return -1
}

// back says that a line of the task list goes back.
func (t *task) back(w *wireTask) bool {
	switch w.State {
	case "SUCCEEDED":
		_, _, n, ok := attemptID(string(w.Successful))
		return ok && t.rankOf(n) == 3
	case "FAILED", "KILLED":
		return false
	case "RUNNING":
		return t.done()
	}
	return t.done() || t.state == "RUNNING"
}

// masters is how many masters the job has had, as the numbers of attempts tell: each begins with another thousand.
func (b *attemptsBody) masters() int {
	most := 0
	for i := range b.Attempts.v.Attempt {
		if _, _, n, ok := attemptID(string(b.Attempts.v.Attempt[i].ID)); ok {
			most = max(most, int(n)/1000+1)
		}
	}
	return most
}

// behind says that an answer about the attempts goes back, or leaves out one that an answer has told of.
func (t *task) behind(kind dag.StageIndex, index int32, b *attemptsBody) bool {
	reported := map[int32]int8{}
	for i := range b.Attempts.v.Attempt {
		w := &b.Attempts.v.Attempt[i]
		if k, x, n, ok := attemptID(string(w.ID)); ok && k == kind && x == index {
			reported[n] = rank(w.state())
		}
	}
	for i := range t.attempts {
		is, listed := reported[t.attempts[i].Number]
		if t.ranks[i] >= 0 && (!listed || is < t.ranks[i]) {
			return true
		}
	}
	return false
}

// less says that counters go back: of an attempt that is the only one they may be of.
func (c *counters) less(kind dag.StageIndex, t *task, a *dag.Attempt) bool {
	for i := range t.attempts {
		if o := &t.attempts[i]; o.Number != a.Number && (o.State == dag.AttemptRunning ||
			o.State == dag.AttemptSucceeded) {
			return false
		}
	}
	below := func(is, was float64) bool { return was > 0 && !(is >= was) }
	if kind == dag.Map {
		return below(c.mapIn, a.Done[0]) || below(c.mapOut, a.Out) || below(c.read, a.Bytes)
	}
	return below(c.shuffledMaps, a.Done[dag.Copy]) || below(c.redIn, a.Done[dag.Work]) || below(c.redOut, a.Out) ||
		below(c.shuffledB, a.Bytes)
}

// again counts an answer that goes back, and says whether it is still to be doubted.
func again(doubts *int) bool {
	if *doubts++; *doubts < manyDoubts {
		return true
	}
	*doubts = 0
	return false
}

// takenBack says that the attempt which the task's result is of has lost it, as the answer about attempts told.
func (t *task) takenBack(reported dag.AttemptState) bool {
	return t.state == "SUCCEEDED" && (reported == dag.AttemptKilled || reported == dag.AttemptFailed)
}

// unrecovered says that the task's result is an older master's, of which the one that answers knows nothing: it runs
// the task again.
func (t *task) unrecovered(kind dag.StageIndex, index int32, b *attemptsBody) bool {
	if t.state != "SUCCEEDED" || t.success < 0 {
		return false
	}
	newest := int32(-1)
	for i := range b.Attempts.v.Attempt {
		k, x, n, ok := attemptID(string(b.Attempts.v.Attempt[i].ID))
		if !ok || k != kind || x != index {
			continue
		}
		if n == t.success {
			return false
		}
		newest = max(newest, n)
	}
	return newest/1000 > t.success/1000
}

// live says that answers are asked for now: a recording says itself how old they are.
func (s *Source) live() bool { return s.target.Made == nil }

// refused says that an error is an answer that will not change: there is no such thing, or it may not be seen.
func refused(err error) bool {
	switch status(err) {
	case http.StatusNotFound, http.StatusUnauthorized, http.StatusForbidden, http.StatusBadRequest:
		return true
	}
	return false
}
