package tape

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

var errManyGroups = errors.New("more reduces, sizes, names and points than a tape holds")

// apply returns old's key groups with the changes of l, and does not modify old. The result has at most budget pieces.
func (l *groupsLine) apply(old *dag.Groups, at dag.Instant, budget int) (*dag.Groups, error) {
	if l.Nil {
		return nil, nil
	}
	if old == nil || l.Whole {
		old = &dag.Groups{}
	}
	g := *old
	put(l.Origin, &g.Origin, same)
	put(l.Maps, &g.Maps, same)
	put(l.Note, &g.Note, plain)
	if l.Count.set {
		reduces, err := resize(g.Reduces, l.Count.v, min(budget, maxReduces), "reduces", dag.NoReduceGroups())
		if err != nil {
			return nil, err
		}
		g.Reduces = reduces
	} else {
		g.Reduces = slices.Clone(g.Reduces)
	}
	budget -= g.Size()
	for i := range l.Reduces {
		r := &l.Reduces[i]
		if r.Index < 0 || r.Index >= len(g.Reduces) {
			return nil, fmt.Errorf("there is no reduce %d, only %d", r.Index, len(g.Reduces))
		}
		if err := r.apply(&g.Reduces[r.Index], at, &budget); err != nil {
			return nil, fmt.Errorf("reduce %d: %w", r.Index, err)
		}
	}
	return &g, nil
}

func (l *reduceLine) apply(r *dag.ReduceGroups, at dag.Instant, budget *int) error {
	*budget += len(r.Explicit) + len(r.Top) + len(r.Done)
	put(l.Bytes, &r.Bytes, num.float)
	put(l.Implicit, &r.Implicit, num.float)
	put(l.Top, &r.Top, func(v []topLine) []dag.KeyGroup {
		return each(v, func(t topLine) dag.KeyGroup { return dag.KeyGroup{Key: string(t.Key), Bytes: t.Bytes.float()} })
	})
	put(l.Attempt, &r.Attempt, same)
	put(l.OpenBytes, &r.OpenBytes, num.float)
	put(l.OpenSince, &r.OpenSince, instant.dag)
	put(l.OpenKey, &r.OpenKey, plain)
	if l.Explicit.set {
		sizes, err := decodeSizes(l.Explicit.v)
		if err != nil {
			return err
		}
		r.Explicit = sizes
	}
	if l.Keep.set {
		switch keep := l.Keep.v; {
		case keep == -1:
			r.Done = nil
		case keep < 0 || keep > len(r.Done):
			return fmt.Errorf("%d of %d points cannot stay", keep, len(r.Done))
		case r.Done == nil:
			r.Done = []dag.GroupPoint{}
		default:
			r.Done = slices.Clip(r.Done[:keep])
		}
	}
	// The points are appended after those of an older snapshot. Its slice keeps its length and is never appended to
	// again.
	done, err := decodePoints(r.Done, l.Done, at)
	if err != nil {
		return err
	}
	r.Done = done
	if *budget -= len(r.Explicit) + len(r.Top) + len(r.Done); *budget < 0 {
		return errManyGroups
	}
	return nil
}

func decodeSizes(b json.RawMessage) ([]dag.GroupSize, error) {
	if string(b) == "null" {
		return nil, nil
	}
	sizes := []dag.GroupSize{}
	s := scan{b: b}
	for s.next() {
		size := dag.GroupSize{Count: 1}
		if s.is('[') {
			size.Bytes = s.float()
			s.must(',')
			size.Count = s.float()
			s.must(']')
		} else {
			size.Bytes = s.float()
		}
		sizes = append(sizes, size)
	}
	return sizes, s.err
}

func decodePoints(points []dag.GroupPoint, b json.RawMessage, at dag.Instant) ([]dag.GroupPoint, error) {
	before := firstBase(at)
	s := scan{b: b}
	for s.next() {
		p := dag.GroupPoint{Count: 1}
		s.must('[')
		if p.At = s.instant(before); p.At.Known() {
			before = p.At
		}
		s.must(',')
		p.Bytes = s.float()
		s.must(',')
		p.Took = time.Duration(s.int(64))
		if s.is(',') {
			p.Count = s.float()
		}
		s.must(']')
		points = append(points, p)
	}
	return points, s.err
}
