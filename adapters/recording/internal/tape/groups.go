package tape

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A groupsChange is what changed in the key groups of a job.
type groupsChange struct {
	Nil     bool            `json:"nil"`
	Whole   json.RawMessage `json:"whole"` // nothing of the groups before stays
	Reduces *int            `json:"reduces"`
	R       []groupsOf      `json:"r"`
	fields  []byte
}

// UnmarshalJSON reads a change.
func (c *groupsChange) UnmarshalJSON(b []byte) error {
	type plain groupsChange
	c.fields = slices.Clone(b)
	return json.Unmarshal(b, (*plain)(c))
}

// A groupsOf is what changed in the groups of a reduce. A size is a number of bytes, or [bytes, count]. Keep is how
// many of the points stay, -1 without a list. D are further points: [instant, bytes, took] or [instant, bytes, took,
// count], where each instant counts from the one before.
type groupsOf struct {
	I      int                 `json:"i"`
	Sizes  json.RawMessage     `json:"sizes"`
	Keep   *int                `json:"keep"`
	D      [][]json.RawMessage `json:"d"`
	fields []byte
}

// UnmarshalJSON reads a change.
func (c *groupsOf) UnmarshalJSON(b []byte) error {
	type plain groupsOf
	c.I, c.fields = -1, slices.Clone(b)
	return json.Unmarshal(b, (*plain)(c))
}

// groups returns the key groups of a job with a change.
func (l *line) groups(old *dag.Groups, c *groupsChange) *dag.Groups {
	if c == nil || l.err != nil {
		return old
	}
	g := &dag.Groups{}
	if old != nil && c.Whole == nil {
		*g = *old
	}
	l.fail(names.Patch(c.fields, g))
	if c.Reduces != nil {
		l.allow(max(0, *c.Reduces), int(reflect.TypeFor[dag.ReduceGroups]().Size()))
	}
	g.Reduces = resize(l, slices.Clone(g.Reduces), c.Reduces, dag.NoReduceGroups)
	for i := range c.R {
		if r := &c.R[i]; r.I >= 0 && r.I < len(g.Reduces) {
			l.reduce(&g.Reduces[r.I], r)
		} else {
			l.fail(fmt.Errorf("there is no reduce %d, only %d", r.I, len(g.Reduces)))
		}
	}
	if c.Nil {
		return nil
	}
	return g
}

func (l *line) reduce(to *dag.ReduceGroups, c *groupsOf) {
	l.fail(names.Patch(c.fields, to))
	if c.Sizes != nil {
		var sizes []json.RawMessage
		l.fail(json.Unmarshal(c.Sizes, &sizes))
		to.Explicit = nil
		if sizes != nil {
			to.Explicit = []dag.GroupSize{}
		}
		for _, text := range sizes {
			size := dag.GroupSize{Count: 1}
			var pair []json.RawMessage
			if json.Unmarshal(text, &pair) != nil {
				pair = []json.RawMessage{text}
			}
			l.readRow(pair, &size.Bytes, &size.Count)
			to.Explicit = append(to.Explicit, size)
		}
	}
	switch n := c.Keep; {
	case n == nil:
	case *n == -1:
		to.Done = nil
	case *n < 0 || *n > len(to.Done):
		l.fail(fmt.Errorf("%d of %d points cannot stay", *n, len(to.Done)))
	default:
		to.Done = slices.Clip(append([]dag.GroupPoint{}, to.Done[:*n]...))
	}
	before := max(l.s.At, 0)
	for _, row := range c.D {
		p := dag.GroupPoint{Count: 1}
		if l.readRow(row, &p.At, &p.Bytes, &p.Took, &p.Count); p.At.Known() {
			p.At += before
			before = p.At
		}
		to.Done = append(to.Done, p)
	}
}

// readRow reads a list of these values. Those at its end may be missing.
func (l *line) readRow(row []json.RawMessage, values ...any) {
	if len(row) > len(values) {
		l.fail(errRow)
		return
	}
	for i, text := range row {
		l.read(text, values[i])
	}
}
