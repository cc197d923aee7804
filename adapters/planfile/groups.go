package planfile

import (
	"math"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/dag"
)

const (
	wantSize  = "it must be a size in bytes, or [bytes, count]"
	wantPoint = "it must be [bytes, seconds, count], or [bytes, seconds] of one group"
)

// numbersOf returns the numbers of a list with least to most items.
func numbersOf(n *node, least, most int) (v []float64, ok bool) {
	if n.kind != list || len(n.items) < least || len(n.items) > most {
		return nil, false
	}
	for _, item := range n.items {
		if item.kind != number || !(item.num >= 0) {
			return nil, false
		}
		v = append(v, item.num)
	}
	return v, true
}

// sizes reads sizes of key groups. It reports only the first fault of the list.
func (d *decoder) sizes(n *node, path []string) sizes {
	var out sizes
	for i, item := range n.items {
		if item.kind == number && item.num >= 0 {
			out = append(out, dag.GroupSize{Bytes: item.num, Count: 1})
			continue
		}
		v, ok := numbersOf(item, 2, 2)
		if !ok {
			d.fail(item, append(path, strconv.Itoa(i)), wantSize)
			return nil
		}
		out = append(out, dag.GroupSize{Bytes: v[0], Count: v[1]})
	}
	return out
}

// points reads finished groups. It reports only the first fault of the list.
func (d *decoder) points(n *node, path []string) points {
	var out points
	for i, item := range n.items {
		v, ok := numbersOf(item, 2, 3)
		if !ok || v[1] > dag.MaxLength.Seconds() {
			d.fail(item, append(path, strconv.Itoa(i)), wantPoint)
			return nil
		}
		p := dag.GroupPoint{At: dag.NoInstant, Bytes: v[0], Took: nanoseconds(v[1]), Count: 1}
		if len(v) == 3 {
			p.Count = v[2]
		}
		out = append(out, p)
	}
	return out
}

// exactSeconds is the largest number of seconds for which a float64 resolves nanoseconds.
const exactSeconds = 1e6

// nanoseconds converts seconds to a Duration. Above exactSeconds it rounds to milliseconds.
func nanoseconds(s float64) time.Duration {
	if s > exactSeconds {
		return time.Duration(math.Round(s*1e3)) * time.Millisecond
	}
	return time.Duration(math.Round(s * 1e9))
}

func (g *groups) dag() *dag.Groups {
	if g == nil {
		return nil
	}
	out := &dag.Groups{Origin: dag.GroupsComplete, Maps: g.Maps, Note: g.Note}
	if g.Origin != "" {
		_ = out.Origin.UnmarshalText([]byte(g.Origin)) // the schema has checked it
	}
	for i := range g.Tasks {
		out.Reduces = append(out.Reduces, g.Tasks[i].dag())
	}
	return out
}

func (t *taskGroups) dag() dag.ReduceGroups {
	r := dag.NoReduceGroups()
	r.Explicit, r.Done = t.Sizes, t.Done
	if t.Bytes != nil {
		r.Bytes, r.Implicit = *t.Bytes, *t.Bytes
		for _, s := range t.Sizes {
			r.Implicit = max(0, r.Implicit-s.Bytes*s.Count)
		}
	}
	if t.Rest != nil {
		r.Implicit = *t.Rest
	}
	for _, k := range t.Top {
		r.Top = append(r.Top, dag.KeyGroup(k))
	}
	return r
}

// groupsOf is the reverse of groups.dag. A plan does not contain when groups were seen, nor open groups.
func groupsOf(g *dag.Groups) *groups {
	if g == nil {
		return nil
	}
	out := &groups{Origin: g.Origin.String(), Maps: g.Maps, Note: g.Note}
	for i := range g.Reduces {
		r := &g.Reduces[i]
		t := taskGroups{Bytes: known(r.Bytes), Rest: known(r.Implicit), Sizes: r.Explicit, Done: r.Done}
		for _, k := range r.Top {
			t.Top = append(t.Top, topKey(k))
		}
		out.Tasks = append(out.Tasks, t)
	}
	return out
}

func known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func tupleNode(v ...float64) *node {
	n := &node{kind: list, children: &children{}}
	for _, x := range v {
		n.items = append(n.items, numberNode(x))
	}
	return n
}

func sizesNode(s sizes) *node {
	if len(s) == 0 {
		return nil
	}
	n := &node{kind: list, children: &children{}}
	for _, size := range s {
		if size.Count == 1 {
			n.items = append(n.items, numberNode(size.Bytes))
		} else {
			n.items = append(n.items, tupleNode(size.Bytes, size.Count))
		}
	}
	return n
}

func pointsNode(ps points) *node {
	if len(ps) == 0 {
		return nil
	}
	n := &node{kind: list, children: &children{}}
	for _, p := range ps {
		v := []float64{p.Bytes, p.Took.Seconds(), p.Count}
		if p.Count == 1 {
			v = v[:2]
		}
		n.items = append(n.items, tupleNode(v...))
	}
	return n
}
