package tap

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A checker keeps the first fault of a batch.
type checker struct{ err error }

// require adds a fault with the JSON field, unless ok.
func (c *checker) require(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// within requires that a value lies within bounds, and is not NaN. at are the indices in the field.
func (c *checker) within(field string, v, least, most float64, at ...any) {
	if !(v >= least && v <= most) {
		c.require(false, "%s: %v is not within %v to %v", fmt.Sprintf(field, at...), v, least, most)
	}
}

// name requires a printable name.
func (c *checker) name(field, name string, at ...any) {
	if name == "" || len(name) > MaxName || !printable(name) {
		c.require(false, "%s: not 1 to %d bytes of printable text", fmt.Sprintf(field, at...), MaxName)
	}
}

// valid returns the error of an invalid batch, with the JSON field.
func (b Batch) valid() error {
	a, err := ParseAttempt(b.Attempt)
	if err != nil {
		return fmt.Errorf("att: %w", err)
	}
	c := &checker{}
	c.require(b.Version == Version, "v: version %d is not known, %d is", b.Version, Version)
	c.require(b.Job == a.Job, "job: %.80q, but the attempt is of %s", b.Job, a.Job)
	c.within("seq", float64(b.Seq), 0, math.MaxInt32)
	c.require(len(b.Points) <= MaxPoints, "pts: %d points, %d at most", len(b.Points), MaxPoints)
	c.require(!a.Reduce || b.Map == nil, "map: a profile of a map, but the attempt is a reduce's")
	c.require(a.Reduce || len(b.Points) == 0 && b.Open == nil, "pts: groups of a reduce, but the attempt is a map's")
	c.require(len(b.Note) <= MaxNote && printable(b.Note), "note: not up to %d bytes of printable text", MaxNote)
	for i, p := range b.Points {
		c.within("pts[%d].a", p.Age, 0, MaxSeconds, i)
		c.within("pts[%d].b", p.Bytes, 0, MaxBytes, i)
		c.within("pts[%d].s", p.Seconds, 0, MaxSeconds, i)
		c.within("pts[%d].n", p.Count, 1, MaxCount, i)
	}
	if o := b.Open; o != nil {
		c.name("open.k", o.Name)
		c.within("open.b", o.Bytes, 0, MaxBytes)
		c.within("open.s", o.Seconds, 0, MaxSeconds)
	}
	if b.Map != nil {
		c.profile(b.Map)
	}
	return c.err
}

func (c *checker) profile(m *MapProfile) {
	c.within("map.r", float64(m.Reduces), 1, MaxReduces)
	c.require(len(m.Bytes) == m.Reduces, "map.b: %d sizes for %d reduces", len(m.Bytes), m.Reduces)
	c.within("map.l", float64(m.Lambda), 1, MaxKeys)
	c.require(len(m.Top) <= m.Lambda, "map.top: %d keys, but l says %d at most", len(m.Top), m.Lambda)
	c.within("map.n", m.Records, 0, MaxCount)
	for r, bytes := range m.Bytes {
		c.within("map.b[%d]", bytes, 0, MaxBytes, r)
	}
	left := slices.Clone(m.Bytes)
	named := make(map[string]bool, len(m.Top))
	for i, k := range m.Top {
		c.name("map.top[%d].k", k.Name, i)
		c.require(!named[k.Name], "map.top[%d].k: %q is there twice", i, k.Name)
		c.within("map.top[%d].b", k.Bytes, 0, MaxBytes, i)
		c.require(i == 0 || k.Bytes <= m.Top[i-1].Bytes, "map.top[%d].b: the largest come first", i)
		c.require(k.Reduce >= 0 && k.Reduce < m.Reduces, "map.top[%d].r: reduce %d of %d", i, k.Reduce, m.Reduces)
		if c.err != nil {
			return
		}
		named[k.Name] = true
		left[k.Reduce] -= k.Bytes
		c.require(left[k.Reduce] >= -1e-6*m.Bytes[k.Reduce], // sums of floats may differ in their last digits
			"map.top[%d].b: the keys of reduce %d have more bytes than b says", i, k.Reduce)
	}
}

// printable reports whether a text is safe for a terminal.
func printable(s string) bool {
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}
