package tape

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

const maxReduces = 1 << 18 // reduces of a job with known key groups

// groups reads the changes of a job's key groups. Instants of points count from at.
func (l *line) groups(to **dag.Groups, at dag.Instant) {
	g := &dag.Groups{}
	if *to != nil {
		*g = **to
	}
	g.Reduces = slices.Clone(g.Reduces)
	isNil := false
	l.fields(fields{
		"nil": &isNil, "whole": func() { l.Skip(); *g = dag.Groups{} },
		"origin": &g.Origin, "maps": &g.Maps, "note": &g.Note,
		"reduces": func() { resize(l, &g.Reduces, maxReduces, "reduces", dag.NoReduceGroups) },
		"r":       func() { l.each(func() { l.reduce(g, at) }) },
	})
	if *to = g; isNil {
		*to = nil
	}
}

// reduce reads the changes of a reduce's groups.
func (l *line) reduce(g *dag.Groups, at dag.Instant) {
	var r *dag.ReduceGroups
	l.Object(l.Token(), func(name string) {
		if name == "i" {
			i := -1
			if l.Read(&i); i < 0 || i >= len(g.Reduces) {
				l.Fail(fmt.Errorf("there is no reduce %d, only %d", i, len(g.Reduces)))
				return
			}
			r = &g.Reduces[i]
			return
		}
		if r == nil {
			l.Fail(fmt.Errorf("the changes of a reduce begin with %q, not with its index", name))
			return
		}
		l.value(fields{
			"b": &r.Bytes, "rest": &r.Implicit, "n": &r.Attempt, "open": &r.OpenBytes, "since": &r.OpenSince,
			"key": &r.OpenKey, "sizes": func() { l.sizes(&r.Explicit) },
			"top": func() {
				list(l, &r.Top, func(k *dag.KeyGroup) fields { return fields{"k": &k.Key, "b": &k.Bytes} })
			},
			"keep": func() { l.keep(&r.Done) }, "d": func() { l.points(&r.Done, at) },
		}[name])
	})
}

// keep reads how many of the points stay; -1: there is no list.
func (l *line) keep(points *[]dag.GroupPoint) {
	n := 0
	switch l.Read(&n); {
	case n == -1:
		*points = nil
	case n < 0 || n > len(*points):
		l.Fail(fmt.Errorf("%d of %d points cannot stay", n, len(*points)))
	case *points == nil:
		*points = []dag.GroupPoint{}
	default:
		*points = slices.Clip((*points)[:n])
	}
}

// sizes reads a list of sizes: bytes, or [bytes, count].
func (l *line) sizes(to *[]dag.GroupSize) {
	token := l.Token()
	if *to = nil; token == nil {
		return
	}
	sizes := []dag.GroupSize{}
	l.List(token, func() {
		size := dag.GroupSize{Count: 1}
		if item := l.Token(); item == json.Delim('[') {
			l.row(item, &size.Bytes, &size.Count)
		} else {
			l.ReadFrom(item, &size.Bytes)
		}
		if l.Allow(1, int(reflect.TypeFor[dag.GroupSize]().Size())) {
			sizes = append(sizes, size)
		}
	})
	*to = sizes
}

// row reads a list of these values. Those at its end may be missing.
func (l *line) row(token json.Token, values ...any) {
	l.List(token, func() {
		if len(values) == 0 {
			l.Fail(errRow)
			return
		}
		l.Read(values[0])
		values = values[1:]
	})
}

// points reads points, which are appended: [instant, bytes, took] or [instant, bytes, took, count]. Each instant
// counts from the one before. Older snapshots share the points before, and never append to them again.
func (l *line) points(to *[]dag.GroupPoint, at dag.Instant) {
	before := base(at)
	l.each(func() {
		p := dag.GroupPoint{Count: 1}
		if l.row(l.Token(), &p.At, &p.Bytes, &p.Took, &p.Count); p.At.Known() {
			p.At += before
			before = p.At
		}
		if l.Allow(1, int(reflect.TypeFor[dag.GroupPoint]().Size())) {
			*to = append(*to, p)
		}
	})
}
