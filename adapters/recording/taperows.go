package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A stageChange has the changed attempts of a stage.
type stageChange struct {
	I         int             `json:"i"`
	All       bool            `json:"all"` // no attempt before stays
	Submitted json.RawMessage `json:"sub"`
	Gone      [][2]int32      `json:"x"` // tasks and numbers of attempts that are no longer there
	Rows      []row           `json:"a"`
}

// A row of attempts is [task, mask, value…]: the first attempt of the task, and the values of the fields in mask. If
// mask has the bit hasMany, it is [task, mask, number, count, value…] and describes the attempts with this number of
// count tasks, starting at task. Fields that are not in mask are predicted.
type row struct {
	task, mask, number, count int32
	values                    []json.RawMessage
}

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

// UnmarshalJSON reads a row.
func (r *row) UnmarshalJSON(b []byte) error {
	*r = row{count: 1}
	heads := []any{&r.task, &r.mask}
	if err := json.Unmarshal(b, &r.values); err != nil {
		return err
	}
	for n := 0; n < len(heads); n++ {
		if n >= len(r.values) || json.Unmarshal(r.values[n], heads[n]) != nil {
			return errRow
		}
		if n == 1 && r.mask&(1<<hasMany) != 0 {
			heads = append(heads, &r.number, &r.count)
		}
	}
	r.values = r.values[len(heads):]
	if r.mask < 0 || r.mask >= 1<<(hasMany+1) || r.task < 0 || r.count < 1 ||
		int64(r.task)+int64(r.count)-1 > math.MaxInt32 {
		return errRow
	}
	return nil
}

// stage applies the changes of a stage. last is its last pipeline, which its reports of work count.
func (l *tapeLine) stage(c *stageChange, state *dag.StageState, last int) {
	l.read(c.Submitted, &state.Submitted)
	var all, added []dag.Attempt
	switch {
	case !c.All && c.Gone == nil && c.Rows == nil:
		return
	case !c.All:
		all = slices.Clone(state.Attempts)
	}
	var before *dag.Attempt // of the row before
	for _, r := range c.Rows {
		l.allow(int(r.count), int(reflect.TypeFor[dag.Attempt]().Size()))
		for i := int32(0); i < r.count && l.err == nil; i++ {
			a := dag.Attempt{Task: r.task + i, Number: r.number}
			k, known := slices.BinarySearchFunc(all, a, dag.ByTask)
			switch {
			case known:
				a = all[k]
			case before != nil: // a new attempt is like the one of the row before, in the next slot
				a = *before
				a.Task, a.Number, a.Diagnosis = r.task+i, r.number, ""
				if a.Slot >= 0 && a.Slot < math.MaxInt32 {
					a.Slot++
				}
			default:
				a = dag.BlankAttempt(a.Task, a.Number)
				a.State = dag.AttemptRunning
			}
			l.row(&r, &a, last)
			if before = &a; known {
				all[k] = a
			} else {
				added = append(added, a)
			}
		}
	}
	gone := map[[2]int32]bool{}
	for _, x := range c.Gone {
		gone[x] = true
	}
	all = slices.DeleteFunc(all, func(a dag.Attempt) bool { return gone[[2]int32{a.Task, a.Number}] })
	if all = append(append([]dag.Attempt{}, all...), added...); !c.All {
		slices.SortStableFunc(all, dag.ByTask)
	}
	state.Attempts = all
}

// row gives an attempt the values of a row. If its counters change, its marks are predicted to be a report at the
// instant of the line.
func (l *tapeLine) row(r *row, a *dag.Attempt, last int) {
	was, values, at := *a, r.values, l.s.At
	for f, to := range fieldsOf(a) {
		if f == firstMark && cmp.Or(cmp.Compare(a.Done[last], was.Done[last]), cmp.Compare(a.Out, was.Out)) != 0 {
			a.Last = dag.Mark{At: at, Done: a.Done[last], Out: a.Out}
			if !was.First.At.Known() {
				a.First = a.Last
			}
			if !was.FirstReport.Known() {
				a.FirstReport = at
			}
		}
		if r.mask&(1<<f) == 0 {
			continue
		}
		if len(values) == 0 {
			break
		}
		if state, ok := to.(*dag.AttemptState); ok { // rows have its number
			to = (*uint8)(state)
		}
		l.read(values[0], to)
		values = values[1:]
		if i, ok := to.(*dag.Instant); ok && i.Known() {
			switch { // other instants count from the start
			case to != &a.Start && a.Start.Known():
				*i += a.Start
			case at.Known():
				*i += at
			}
		}
	}
	given := uint32(r.mask) & (1<<hasMany - 1) //nolint:gosec // a mask
	if bits.OnesCount32(given) != len(r.values) || a.State > dag.AttemptKilled {
		l.fail(errRow)
	}
}
