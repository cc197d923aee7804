package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/paratimer/paratimer/dag"
)

// A change turns a snapshot into a later one.
type change struct {
	// Fields are those of the snapshot that changed. Jobs are without attempts, and without the reduces of key groups.
	Fields json.RawMessage `json:"s,omitempty"`
	Lists  []list          `json:"lists,omitempty"`
}

// A list has the changed attempts of a stage, or the changed reduces of a job's key groups.
type list struct {
	Job   int    `json:"job"`
	Stage *int   `json:"stage,omitempty"` // nil: the reduces
	Nil   bool   `json:"nil,omitempty"`   // there is no list
	Items []item `json:"items,omitempty"`
}

// An item of a list that changed, or that is new. All other items stay in their order.
type item struct {
	Index int             `json:"i"`
	Cut   int             `json:"cut,omitempty"` // so many items before it are no longer there
	New   bool            `json:"new,omitempty"` // its fields change from those of the item before it
	Set   json.RawMessage `json:"set,omitempty"` // the fields that changed
}

// changeOf returns what changed from an old snapshot to a new one.
func changeOf(old, now *dag.Snapshot) (c change) {
	for j := range now.Jobs {
		is, was := &now.Jobs[j], &dag.JobState{}
		if j < len(old.Jobs) {
			was = &old.Jobs[j]
		}
		for k := range is.Stages {
			var before []dag.Attempt
			if k < len(was.Stages) {
				before = was.Stages[k].Attempts
			}
			// The order decides the size of a recording and not its content.
			c.Lists = appendList(c.Lists, list{Job: j, Stage: &k}, before, is.Stages[k].Attempts,
				func(a, b *dag.Attempt) int { return dag.ByTask(*a, *b) })
		}
		if is.Groups != nil {
			var before []dag.ReduceGroups
			if was.Groups != nil {
				before = was.Groups.Reduces
			}
			c.Lists = appendList(c.Lists, list{Job: j}, before, is.Groups.Reduces,
				func(_, _ *dag.ReduceGroups) int { return 0 })
		}
	}
	from, to := *old, *now
	from.Jobs, to.Jobs = bare(old.Jobs), bare(now.Jobs)
	c.Fields = changes(nil, &from, &to)
	return c
}

// bare returns jobs without the lists that have changes of their own.
func bare(jobs []dag.JobState) []dag.JobState {
	jobs = slices.Clone(jobs)
	for j := range jobs {
		jobs[j].Stages = slices.Clone(jobs[j].Stages)
		for k := range jobs[j].Stages {
			jobs[j].Stages[k].Attempts = nil
		}
		if jobs[j].Groups != nil {
			groups := *jobs[j].Groups
			groups.Reduces = nil
			jobs[j].Groups = &groups
		}
	}
	return jobs
}

// appendList appends a list with its items that changed, unless it has not changed. order decides which items of both
// lists belong together.
func appendList[T any](all []list, l list, old, now []T, order func(a, b *T) int) []list {
	if len(old) == len(now) && len(now) > 0 && &old[0] == &now[0] {
		return all
	}
	k, blank := 0, new(T)
	for i := range now {
		next := item{Index: i}
		for ; k < len(old) && order(&old[k], &now[i]) < 0; k++ {
			next.Cut++
		}
		base := blank
		if next.New = k == len(old) || order(&old[k], &now[i]) > 0; !next.New {
			base = &old[k]
			k++
		} else if i > 0 {
			base = &now[i-1]
		}
		if next.New || !sameMemory(reflect.ValueOf(base).Elem(), reflect.ValueOf(&now[i]).Elem()) {
			next.Set = changes(nil, base, &now[i])
		}
		if next.Cut > 0 || next.New || next.Set != nil {
			l.Items = append(l.Items, next)
		}
	}
	if k < len(old) {
		l.Items = append(l.Items, item{Index: len(now), Cut: len(old) - k})
	}
	if l.Nil = now == nil; len(l.Items) > 0 || l.Nil != (old == nil) {
		all = append(all, l)
	}
	return all
}

// sameMemory reports whether two values have the same bytes in memory. Then they are equal, and most of a hundred
// thousand attempts are.
func sameMemory(a, b reflect.Value) bool {
	memory := func(v reflect.Value) []byte {
		return unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size()) //nolint:gosec // only read
	}
	return bytes.Equal(memory(a), memory(b))
}

// errLarge means that a snapshot is larger than a recording may have.
var errLarge = errors.New("its lists take more memory than a recording may")

// Bytes of memory that an object in JSON may take: of a snapshot's fields, and of an item of a list.
const (
	objectSize = 1000
	itemSize   = 96
)

// apply returns the snapshot after the change of a line. Its lists, and reading it, take at most so many bytes. It does
// not modify the old one.
func (c *change) apply(old *dag.Snapshot, line []byte, most int) (*dag.Snapshot, error) {
	if bytes.Count(line, []byte("{"))*itemSize > most || bytes.Count(c.Fields, []byte("{"))*objectSize > most {
		return nil, errLarge
	}
	s := *old
	if c.Fields != nil {
		if err := ours.patch(c.Fields, &s); err != nil {
			return nil, err
		}
	}
	s.Jobs = bare(s.Jobs)
	for j := range min(len(s.Jobs), len(old.Jobs)) {
		is, was := &s.Jobs[j], &old.Jobs[j]
		for k := range min(len(is.Stages), len(was.Stages)) {
			is.Stages[k].Attempts = was.Stages[k].Attempts
		}
		if is.Groups != nil && was.Groups != nil {
			is.Groups.Reduces = was.Groups.Reduces
		}
	}
	for _, l := range c.Lists {
		if err := l.apply(&s); err != nil {
			return nil, err
		}
	}
	return &s, checkSize(&s, most)
}

// checkSize returns an error if the lists of a snapshot take more than about so many bytes.
func checkSize(s *dag.Snapshot, most int) error {
	n := 0
	for j := range s.Jobs {
		if g := s.Jobs[j].Groups; g != nil {
			n += g.Size()*int(reflect.TypeFor[dag.GroupPoint]().Size()) +
				len(g.Reduces)*int(reflect.TypeFor[dag.ReduceGroups]().Size())
		}
		for k := range s.Jobs[j].Stages {
			n += len(s.Jobs[j].Stages[k].Attempts) * int(reflect.TypeFor[dag.Attempt]().Size())
		}
	}
	if n > most {
		return errLarge
	}
	return nil
}

func (l *list) apply(s *dag.Snapshot) (err error) {
	if l.Job < 0 || l.Job >= len(s.Jobs) {
		return fmt.Errorf("there is no job %d, only %d jobs", l.Job, len(s.Jobs))
	}
	j := &s.Jobs[l.Job]
	switch {
	case l.Stage != nil && (*l.Stage < 0 || *l.Stage >= len(j.Stages)):
		return fmt.Errorf("there is no stage %d, only %d stages", *l.Stage, len(j.Stages))
	case l.Stage == nil && j.Groups == nil:
		return fmt.Errorf("job %d has no key groups", l.Job)
	case l.Stage == nil:
		j.Groups.Reduces, err = applied(l, j.Groups.Reduces)
	default:
		stage := &j.Stages[*l.Stage]
		stage.Attempts, err = applied(l, stage.Attempts)
	}
	return err
}

// applied returns a list after its change.
func applied[T any](l *list, old []T) ([]T, error) {
	if l.Nil {
		return nil, nil
	}
	out := make([]T, 0, len(old)+len(l.Items))
	for _, next := range l.Items {
		same := next.Index - len(out)
		if same < 0 || same > len(old) || next.Cut < 0 || next.Cut > len(old)-same {
			return nil, fmt.Errorf("a list has no item %d, or its items are not in order", next.Index)
		}
		out = append(out, old[:same]...)
		old = old[same+next.Cut:]
		var v T
		switch {
		case next.New && len(out) > 0:
			v = out[len(out)-1]
		case !next.New && len(old) > 0:
			v, old = old[0], old[1:]
		case !next.New && next.Set == nil: // the end of the list
			continue
		case !next.New:
			return nil, fmt.Errorf("a list has no item %d", next.Index)
		}
		if next.Set != nil {
			if err := ours.patch(next.Set, &v); err != nil {
				return nil, err
			}
		}
		out = append(out, v)
	}
	return append(out, old...), nil
}
