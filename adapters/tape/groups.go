package tape

import (
	"encoding/json"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

// A groupsLine has the changes of a job's key groups.
type groupsLine struct {
	Nil     bool                 `json:"nil,omitempty"`   // the key groups are unknown
	Whole   bool                 `json:"whole,omitempty"` // there were none before
	Origin  opt[dag.GroupOrigin] `json:"origin,omitzero"`
	Maps    opt[int]             `json:"maps,omitzero"`
	Note    opt[text]            `json:"note,omitzero"`
	Count   opt[int]             `json:"reduces,omitzero"` // number of reduces, -1 for a nil slice
	Reduces []reduceLine         `json:"r,omitempty"`
}

// A reduceLine has the changes of a reduce's groups.
type reduceLine struct {
	Index    int      `json:"i"`
	Bytes    opt[num] `json:"b,omitzero"`
	Implicit opt[num] `json:"rest,omitzero"`
	// The whole list: bytes, or [bytes, count] if the count is not 1.
	Explicit opt[json.RawMessage] `json:"sizes,omitzero"`
	Top      opt[[]topLine]       `json:"top,omitzero"`
	Attempt  opt[int32]           `json:"n,omitzero"`
	// The number of earlier points that are kept; -1: there is no list.
	Keep opt[int] `json:"keep,omitzero"`
	// Appended points: [instant, bytes, took] or [instant, bytes, took, count].
	Done      json.RawMessage `json:"d,omitempty"`
	OpenBytes opt[num]        `json:"open,omitzero"`
	OpenSince opt[instant]    `json:"since,omitzero"`
	OpenKey   opt[text]       `json:"key,omitzero"`
}

type topLine struct {
	Key   text `json:"k"`
	Bytes num  `json:"b"`
}

// groupsSize returns the number of pieces of all jobs in a snapshot.
func groupsSize(s *dag.Snapshot) int {
	n := 0
	for i := range s.Jobs {
		n += s.Jobs[i].Groups.Size()
	}
	return n
}

// encodeGroups returns the changes from old to g, or nil if there are none.
func encodeGroups(old, g *dag.Groups, at dag.Instant) *groupsLine {
	switch {
	case old == g:
		return nil
	case g == nil:
		return &groupsLine{Nil: true}
	}
	l := groupsLine{Whole: old == nil}
	if old == nil {
		old = &dag.Groups{}
	}
	l.Origin = changed(old.Origin, g.Origin)
	l.Maps = changed(old.Maps, g.Maps)
	l.Note = changed(text(old.Note), text(g.Note))
	l.Count = changed(count(old.Reduces), count(g.Reduces))
	for i := range g.Reduces {
		was := dag.NoReduceGroups()
		if i < len(old.Reduces) {
			was = old.Reduces[i]
		}
		if r := reduceChange(&was, &g.Reduces[i], at); r != nil {
			r.Index = i
			l.Reduces = append(l.Reduces, *r)
		}
	}
	if !l.Whole && !l.Origin.set && !l.Maps.set && !l.Note.set && !l.Count.set && l.Reduces == nil {
		return nil
	}
	return &l
}

// reduceChange returns the changes of a reduce's groups, or nil if there are none.
func reduceChange(old, r *dag.ReduceGroups, at dag.Instant) *reduceLine {
	l := reduceLine{
		Bytes:    changed(numOf(old.Bytes), numOf(r.Bytes)),
		Implicit: changed(numOf(old.Implicit), numOf(r.Implicit)),
		Top: changedList(old.Top, r.Top, func(k dag.KeyGroup) topLine {
			return topLine{text(k.Key), numOf(k.Bytes)}
		}),
		Attempt:   changed(old.Attempt, r.Attempt),
		OpenBytes: changed(numOf(old.OpenBytes), numOf(r.OpenBytes)),
		OpenSince: changed(instant(old.OpenSince), instant(r.OpenSince)),
		OpenKey:   changed(text(old.OpenKey), text(r.OpenKey)),
	}
	if !sameSlice(old.Explicit, r.Explicit, sameSize) {
		l.Explicit = some(encodeSizes(r.Explicit))
	}
	keep := prefix(old.Done, r.Done, samePoint)
	switch {
	case r.Done == nil && old.Done != nil:
		l.Keep = some(-1)
	case keep < len(old.Done), r.Done != nil && old.Done == nil && len(r.Done) == 0:
		l.Keep = some(keep)
	}
	l.Done = encodePoints(r.Done[keep:], at)
	if l.Done == nil && !l.Bytes.set && !l.Implicit.set && !l.Explicit.set && !l.Top.set && !l.Attempt.set &&
		!l.Keep.set &&
		!l.OpenBytes.set && !l.OpenSince.set && !l.OpenKey.set {
		return nil
	}
	return &l
}

func sameSize(a, b *dag.GroupSize) bool {
	return numOf(a.Bytes) == numOf(b.Bytes) && numOf(a.Count) == numOf(b.Count)
}

func samePoint(a, b *dag.GroupPoint) bool {
	return a.At == b.At && a.Took == b.Took && numOf(a.Bytes) == numOf(b.Bytes) && numOf(a.Count) == numOf(b.Count)
}

func sameSlice[T any](a, b []T, same func(a, b *T) bool) bool {
	return len(a) == len(b) && (a == nil) == (b == nil) && prefix(a, b, same) == len(a)
}

// prefix returns the length of the equal prefix of a and b. Slices that share it are not compared element by element.
func prefix[T any](a, b []T, same func(a, b *T) bool) int {
	n := min(len(a), len(b))
	if n == 0 || &a[0] == &b[0] {
		return n
	}
	for i := range n {
		if !same(&a[i], &b[i]) {
			return i
		}
	}
	return n
}

func encodeSizes(sizes []dag.GroupSize) json.RawMessage {
	if sizes == nil {
		return null
	}
	b := []byte{'['}
	for i, s := range sizes {
		if i > 0 {
			b = append(b, ',')
		}
		if s.Count == 1 {
			b = appendNum(b, numOf(s.Bytes))
			continue
		}
		b = append(appendNum(append(b, '['), numOf(s.Bytes)), ',')
		b = append(appendNum(b, numOf(s.Count)), ']')
	}
	return append(b, ']')
}

// encodePoints writes each instant as milliseconds since the previous point, the first since at, and durations in
// nanoseconds.
func encodePoints(points []dag.GroupPoint, at dag.Instant) json.RawMessage {
	var b []byte
	before := firstBase(at)
	for _, p := range points {
		b = append(b, opening(b), '[')
		if p.At.Known() {
			b = strconv.AppendInt(b, int64(p.At-before), 10)
			before = p.At
		} else {
			b = append(b, null...)
		}
		b = appendNum(append(b, ','), numOf(p.Bytes))
		b = strconv.AppendInt(append(b, ','), int64(p.Took), 10)
		if p.Count != 1 {
			b = appendNum(append(b, ','), numOf(p.Count))
		}
		b = append(b, ']')
	}
	return closeList(b)
}

func firstBase(at dag.Instant) dag.Instant {
	if at.Known() {
		return at
	}
	return 0
}
