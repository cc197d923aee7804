package tape

import (
	"errors"
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

var errMany = errors.New("more attempts than a tape holds")

// decodePhase returns old with the changes of p, at most budget attempts. It does not modify old.
func decodePhase(old []dag.Attempt, p *phaseLine, last int, at dag.Instant, budget int) ([]dag.Attempt, error) {
	if p.All && p.Nil {
		return nil, nil
	}
	if p.All {
		old = nil
	}
	m := merger{at: at, last: last, inOrder: !p.All, old: old, budget: budget}
	m.as = make([]dag.Attempt, 0, len(old)+min(len(p.Rows)/64, budget))
	var err error
	if m.gone, err = parseGone(p.Gone); err != nil {
		return nil, err
	}
	s := scan{b: p.Rows}
	for s.next() {
		var r row
		if s.row(&r); s.err != nil {
			break
		}
		for i := range r.count {
			if err := m.put(key{r.first.task + i, r.first.number}, &r); err != nil {
				return nil, err
			}
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	return m.close()
}

// A merger builds a list of attempts from an old list and rows.
type merger struct {
	at      dag.Instant
	last    int  // the phase's last pipeline
	inOrder bool // the result and the rows are ordered by key
	old     []dag.Attempt
	gone    []key
	as      []dag.Attempt
	budget  int

	before flat // the previous attempt
	any    bool // there is a previous attempt
}

// put adds attempt k with the values of r, after all old attempts before it.
func (m *merger) put(k key, r *row) error {
	var was *dag.Attempt
	if m.inOrder {
		m.keep(func(o key) bool { return o.less(k) })
		if n := len(m.as); n > 0 && !keyOf(&m.as[n-1]).less(k) {
			return fmt.Errorf("attempt %d of task %d is out of order", k.number, k.task)
		}
		if len(m.old) > 0 && keyOf(&m.old[0]) == k {
			was, m.old = &m.old[0], m.old[1:]
		}
	}
	if len(m.as) >= m.budget {
		return errMany
	}
	a := dag.Attempt{Task: k.task, Number: k.number}
	if was != nil {
		a.Diagnosis = was.Diagnosis
	}
	if r.mask&(1<<fDiagnosis) != 0 {
		a.Diagnosis = r.diagnosis
	}
	var w flat
	fill(&w, was, &m.before, m.any)
	guess := w
	r.apply(&w, 0, fFirstReport, m.at)
	w.predict(&guess, m.last, m.at)
	r.apply(&w, fFirstReport, fields, m.at)
	w.unflatten(&a)
	m.as = append(m.as, a)
	m.before, m.any = w, true
	return nil
}

// keep moves old attempts to the result while ok, except removed ones.
func (m *merger) keep(ok func(key) bool) {
	for len(m.old) > 0 && ok(keyOf(&m.old[0])) {
		if len(m.gone) > 0 && m.gone[0] == keyOf(&m.old[0]) {
			m.gone = m.gone[1:]
		} else {
			m.as = append(m.as, m.old[0])
		}
		m.old = m.old[1:]
	}
}

func (m *merger) close() ([]dag.Attempt, error) {
	m.keep(func(key) bool { return true })
	switch {
	case len(m.gone) > 0:
		return nil, fmt.Errorf("attempt %d of task %d is gone but was not there", m.gone[0].number, m.gone[0].task)
	case len(m.as) > m.budget:
		return nil, errMany
	}
	return m.as, nil
}

func parseGone(b []byte) ([]key, error) {
	var keys []key
	s := scan{b: b}
	for s.next() {
		s.must('[')
		keys = append(keys, s.key())
		s.must(']')
	}
	return keys, s.err
}
