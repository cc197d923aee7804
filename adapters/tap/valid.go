package tap

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// valid returns the error of an invalid batch, with the JSON field.
func (b Batch) valid() error {
	a, err := ParseAttempt(b.Attempt)
	switch {
	case b.Version != Version:
		return fmt.Errorf("v: version %d is not known, %d is", b.Version, Version)
	case err != nil:
		return fmt.Errorf("att: %w", err)
	case b.Job != a.Job:
		return fmt.Errorf("job: %.80q, but the attempt is of %s", b.Job, a.Job)
	case b.Seq < 0 || b.Seq > 1<<31-1:
		return fmt.Errorf("seq: %d is not within 0 to 2147483647", b.Seq)
	case len(b.Points) > MaxPoints:
		return fmt.Errorf("pts: %d points, %d at most", len(b.Points), MaxPoints)
	case a.Reduce && b.Map != nil:
		return fmt.Errorf("map: a profile of a map, but the attempt is a reduce's")
	case !a.Reduce && (len(b.Points) > 0 || b.Open != nil):
		return fmt.Errorf("pts: groups of a reduce, but the attempt is a map's")
	case len(b.Note) > MaxNote || !printable(b.Note):
		return fmt.Errorf("note: not up to %d bytes of printable text", MaxNote)
	}
	if b.Map != nil {
		if err := b.Map.valid(); err != nil {
			return err
		}
	}
	for i, p := range b.Points {
		if err := p.valid(); err != nil {
			return fmt.Errorf("pts[%d].%w", i, err)
		}
	}
	if b.Open != nil {
		return b.Open.valid()
	}
	return nil
}

func (m MapProfile) valid() error {
	switch {
	case m.Reduces < 1 || m.Reduces > MaxReduces:
		return fmt.Errorf("map.r: %d reduces; 1 to %d are possible", m.Reduces, MaxReduces)
	case len(m.Bytes) != m.Reduces:
		return fmt.Errorf("map.b: %d sizes for %d reduces", len(m.Bytes), m.Reduces)
	case m.Lambda < 1 || m.Lambda > MaxKeys:
		return fmt.Errorf("map.l: %d keys; 1 to %d are possible", m.Lambda, MaxKeys)
	case len(m.Top) > m.Lambda:
		return fmt.Errorf("map.top: %d keys, but l says %d at most", len(m.Top), m.Lambda)
	}
	if err := within(m.Records, 0, MaxCount); err != nil {
		return fmt.Errorf("map.n: %w", err)
	}
	for r, bytes := range m.Bytes {
		if err := within(bytes, 0, MaxBytes); err != nil {
			return fmt.Errorf("map.b[%d]: %w", r, err)
		}
	}
	left := append([]float64(nil), m.Bytes...)
	named := make(map[string]bool, len(m.Top))
	for i, k := range m.Top {
		if err := checkName(k.Name); err != nil {
			return fmt.Errorf("map.top[%d].k: %w", i, err)
		}
		if named[k.Name] {
			return fmt.Errorf("map.top[%d].k: %q is there twice", i, k.Name)
		}
		named[k.Name] = true
		if k.Reduce < 0 || k.Reduce >= m.Reduces {
			return fmt.Errorf("map.top[%d].r: reduce %d of %d", i, k.Reduce, m.Reduces)
		}
		if err := within(k.Bytes, 0, MaxBytes); err != nil {
			return fmt.Errorf("map.top[%d].b: %w", i, err)
		}
		if i > 0 && k.Bytes > m.Top[i-1].Bytes {
			return fmt.Errorf("map.top[%d].b: the largest come first", i)
		}
		left[k.Reduce] -= k.Bytes
		// Sums of floats may differ in their last digits.
		if left[k.Reduce] < -1e-6*m.Bytes[k.Reduce] {
			return fmt.Errorf("map.top[%d].b: the keys of reduce %d have more bytes than b says", i, k.Reduce)
		}
	}
	return nil
}

func (p Point) valid() error {
	if err := within(p.Age, 0, MaxSeconds); err != nil {
		return fmt.Errorf("a: %w", err)
	}
	if err := within(p.Bytes, 0, MaxBytes); err != nil {
		return fmt.Errorf("b: %w", err)
	}
	if err := within(p.Seconds, 0, MaxSeconds); err != nil {
		return fmt.Errorf("s: %w", err)
	}
	if err := within(p.Count, 1, MaxCount); err != nil {
		return fmt.Errorf("n: %w", err)
	}
	return nil
}

func (o Open) valid() error {
	if err := checkName(o.Name); err != nil {
		return fmt.Errorf("open.k: %w", err)
	}
	if err := within(o.Bytes, 0, MaxBytes); err != nil {
		return fmt.Errorf("open.b: %w", err)
	}
	if err := within(o.Seconds, 0, MaxSeconds); err != nil {
		return fmt.Errorf("open.s: %w", err)
	}
	return nil
}

// within returns an error for NaN too.
func within(v, least, most float64) error {
	if v >= least && v <= most {
		return nil
	}
	if math.IsNaN(v) {
		return errors.New("missing")
	}
	return fmt.Errorf("%v is not within %v to %v", v, least, most)
}

func checkName(name string) error {
	if name == "" || len(name) > MaxName || !printable(name) {
		return fmt.Errorf("not 1 to %d bytes of printable text", MaxName)
	}
	return nil
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
