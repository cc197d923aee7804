package fleet

import (
	"cmp"
	"slices"
	"time"
)

// An entry is a job for a worker at a time: to observe a workflow, or to read an application's configuration.
type entry struct {
	at  time.Time
	v   *session
	app string
}

// A queue has entries by time, and by the order in which they came if the times are equal.
type queue []*entry

func (q *queue) push(v *session, at time.Time) {
	v.entry = &entry{at: at, v: v}
	q.add(v.entry)
}

func (q *queue) ask(app string, at time.Time) { q.add(&entry{at: at, app: app}) }

func (q *queue) add(e *entry) {
	i, _ := slices.BinarySearchFunc(*q, e.at, func(other *entry, at time.Time) int {
		return cmp.Or(other.at.Compare(at), -1) // behind those of the same time
	})
	*q = slices.Insert(*q, i, e)
}

// next returns the first entry if it is due, else nil and the time until then.
func (q queue) next(now time.Time) (ready *entry, wait time.Duration) {
	if len(q) == 0 {
		return nil, time.Hour
	}
	if wait = q[0].at.Sub(now); wait > 0 {
		return nil, wait
	}
	return q[0], time.Hour
}

// pop removes the first entry.
func (q *queue) pop() {
	if v := (*q)[0].v; v != nil {
		v.entry = nil
	}
	*q = slices.Delete(*q, 0, 1)
}

func (q *queue) remove(v *session) {
	if i := slices.Index(*q, v.entry); v.entry != nil && i >= 0 {
		*q = slices.Delete(*q, i, i+1)
	}
	v.entry = nil
}
