package tape

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A row of attempts is [task, mask, value…]: the first attempt of the task, and the values of the fields in mask. If
// mask has the bit hasMany, it is [task, mask, number, count, value…] and describes the attempts with this number of
// count tasks, starting at task. Fields that are not in mask are predicted.
const (
	firstMark = 16 // this field and later ones are predicted from those before
	hasMany   = 24
)

var errRow = errors.New("not a row of values")

// fieldsOf returns the fields of an attempt in the order of their bits in the mask.
func fieldsOf(a *dag.Attempt) [hasMany]any {
	return [...]any{
		&a.Ratio, &a.Done[0], &a.Done[1], &a.Done[2], &a.Out, &a.Bytes, &a.State, &a.Start, &a.End, &a.Slot, &a.Node,
		&a.Total[0], &a.Total[1], &a.Total[2], &a.CopyEnd, &a.SortEnd,
		&a.FirstReport, &a.Last.At, &a.Last.Done, &a.Last.Out, &a.First.At, &a.First.Done, &a.First.Out, &a.Diagnosis,
	}
}

// A row describes count attempts with equal values in some fields. Its instants count from the start.
type row struct {
	task, number, count, mask int32
	values                    dag.Attempt
}

// readRow reads a row.
func (l *line) readRow() row {
	r := row{count: 1}
	fields := fieldsOf(&r.values)
	place, f := 0, 0
	l.each(func() {
		head := [...]*int32{&r.task, &r.mask, &r.number, &r.count}
		if place < 2 || place < 4 && r.mask&(1<<hasMany) != 0 {
			l.Read(head[place])
			place++
			return
		}
		for f < hasMany && r.mask&(1<<f) == 0 {
			f++
		}
		if f == hasMany {
			l.Fail(errRow)
			return
		}
		l.value(fields[f])
		f++
	})
	isShort := place < 2 || r.mask&(1<<hasMany) != 0 && place < 4 || r.mask&(1<<hasMany-1)>>f != 0
	if isShort || r.mask < 0 || r.mask >= 1<<(hasMany+1) ||
		r.task < 0 || r.count < 1 || int64(r.task)+int64(r.count)-1 > math.MaxInt32 {
		l.Fail(errRow)
	}
	return r
}

// A phase reads the attempts of a stage.
type phase struct {
	*line
	at     dag.Instant
	last   int           // the stage's last pipeline, which its reports of work count
	old    []dag.Attempt // before the line, ordered by task and number
	added  []dag.Attempt
	before *dag.Attempt // of the row before
}

func order(a, b dag.Attempt) int {
	return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
}

// stage reads the changes of stage k, or of the stage that an index names if k is -1.
func (l *line) stage(plan *dag.Job, j *dag.JobState, k int) {
	p := phase{line: l, at: l.s.At}
	var isNil, isAll, changes bool
	var gone []dag.Attempt
	open := func() *dag.StageState {
		if k < 0 || k >= len(j.Stages) {
			l.Fail(fmt.Errorf("there is no stage %d, only %d stages", k, len(j.Stages)))
			return &dag.StageState{}
		}
		return &j.Stages[k]
	}
	begin := func() { // the first list of changes
		if !changes && !isAll {
			p.old = slices.Clone(open().Attempts)
		}
		changes = true
		if plan.IsMapReduce() && k == int(dag.Reduce) {
			p.last = dag.Work
		}
	}
	l.fields(fields{
		"i": &k, "all": &isAll, "nil": &isNil, "sub": func() { l.Read(&open().Submitted) },
		"x": func() {
			begin()
			l.each(func() {
				var a dag.Attempt
				l.row(l.Token(), &a.Task, &a.Number)
				gone = append(gone, a)
			})
		},
		"a": func() { begin(); l.each(p.row) },
	})
	if !changes && !isAll {
		return
	}
	state := open()
	state.Attempts = append([]dag.Attempt{}, p.old...)
	for _, a := range gone {
		i, found := slices.BinarySearchFunc(state.Attempts, a, order)
		if !found {
			l.Fail(fmt.Errorf("attempt %d of task %d is gone but was not there", a.Number, a.Task))
			return
		}
		state.Attempts = slices.Delete(state.Attempts, i, i+1)
	}
	if state.Attempts = append(state.Attempts, p.added...); !isAll {
		slices.SortStableFunc(state.Attempts, order)
	}
	if isNil {
		state.Attempts = nil
	}
}

// row reads a row and applies it to its attempts.
func (p *phase) row() {
	r := p.readRow()
	for i := range r.count {
		if p.Err() != nil {
			return
		}
		a := dag.Attempt{Task: r.task + i, Number: r.number}
		k, known := slices.BinarySearchFunc(p.old, a, order)
		switch {
		case known:
			a = p.old[k]
		case p.before != nil: // a new attempt is like the one of the row before, in the next slot
			a = *p.before
			a.Task, a.Number, a.Diagnosis = r.task+i, r.number, ""
			if a.Slot >= 0 && a.Slot < math.MaxInt32 {
				a.Slot++
			}
		default:
			a = blankAttempt(a.Task, a.Number)
		}
		p.set(&a, &r)
		if p.before = &a; known {
			p.old[k] = a
		} else if p.Allow(1, int(reflect.TypeFor[dag.Attempt]().Size())) {
			p.added = append(p.added, a)
		}
	}
}

// blankAttempt is the prediction for the first row of a new attempt.
func blankAttempt(task, number int32) dag.Attempt {
	a := dag.Attempt{Task: task, Number: number, State: dag.AttemptRunning, Slot: -1, Node: -1}
	for _, f := range fieldsOf(&a) {
		switch f := f.(type) {
		case *float64:
			*f = math.NaN()
		case *dag.Instant:
			*f = dag.NoInstant
		}
	}
	return a
}

// set gives an attempt the values of a row. If its counters change, its marks are predicted to be a report at the
// instant of the line.
func (p *phase) set(a *dag.Attempt, r *row) {
	was := *a
	values := fieldsOf(&r.values)
	for f, to := range fieldsOf(a) {
		if f == firstMark && !(same(a.Done[p.last], was.Done[p.last]) && same(a.Out, was.Out)) {
			a.Last = dag.Mark{At: p.at, Done: a.Done[p.last], Out: a.Out}
			if !was.First.At.Known() {
				a.First = a.Last
			}
			if !was.FirstReport.Known() {
				a.FirstReport = p.at
			}
		}
		if r.mask&(1<<f) == 0 {
			continue
		}
		reflect.ValueOf(to).Elem().Set(reflect.ValueOf(values[f]).Elem())
		if at, ok := to.(*dag.Instant); ok && at.Known() {
			if to != &a.Start && a.Start.Known() { // other instants count from the start
				*at += a.Start
			} else {
				*at += base(p.at)
			}
		}
	}
}

func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// base returns what instants count from.
func base(at dag.Instant) dag.Instant {
	if at.Known() {
		return at
	}
	return 0
}
