package tap

import (
	"cmp"
	"fmt"
	"slices"
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
			return fmt.Errorf("map.%w", err)
		}
	}
	for i, p := range b.Points {
		if err := cmp.Or(within("a", p.Age, 0, MaxSeconds), within("b", p.Bytes, 0, MaxBytes),
			within("s", p.Seconds, 0, MaxSeconds), within("n", p.Count, 1, MaxCount)); err != nil {
			return fmt.Errorf("pts[%d].%w", i, err)
		}
	}
	if o := b.Open; o != nil {
		return cmp.Or(checkName("open.k", o.Name), within("open.b", o.Bytes, 0, MaxBytes),
			within("open.s", o.Seconds, 0, MaxSeconds))
	}
	return nil
}

func (m MapProfile) valid() error {
	switch {
	case m.Reduces < 1 || m.Reduces > MaxReduces:
		return fmt.Errorf("r: %d reduces; 1 to %d are possible", m.Reduces, MaxReduces)
	case len(m.Bytes) != m.Reduces:
		return fmt.Errorf("b: %d sizes for %d reduces", len(m.Bytes), m.Reduces)
	case m.Lambda < 1 || m.Lambda > MaxKeys:
		return fmt.Errorf("l: %d keys; 1 to %d are possible", m.Lambda, MaxKeys)
	case len(m.Top) > m.Lambda:
		return fmt.Errorf("top: %d keys, but l says %d at most", len(m.Top), m.Lambda)
	}
	if err := within("n", m.Records, 0, MaxCount); err != nil {
		return err
	}
	for r, bytes := range m.Bytes {
		if err := within("b", bytes, 0, MaxBytes); err != nil {
			return fmt.Errorf("%w: reduce %d", err, r)
		}
	}
	left := slices.Clone(m.Bytes)
	named := make(map[string]bool, len(m.Top))
	for i, k := range m.Top {
		err := cmp.Or(checkName("k", k.Name), within("b", k.Bytes, 0, MaxBytes))
		switch {
		case err != nil:
		case named[k.Name]:
			err = fmt.Errorf("k: %q is there twice", k.Name)
		case k.Reduce < 0 || k.Reduce >= m.Reduces:
			err = fmt.Errorf("r: reduce %d of %d", k.Reduce, m.Reduces)
		case i > 0 && k.Bytes > m.Top[i-1].Bytes:
			err = fmt.Errorf("b: the largest come first")
		default:
			named[k.Name] = true
			left[k.Reduce] -= k.Bytes
			if left[k.Reduce] < -1e-6*m.Bytes[k.Reduce] { // sums of floats may differ in their last digits
				err = fmt.Errorf("b: the keys of reduce %d have more bytes than b says", k.Reduce)
			}
		}
		if err != nil {
			return fmt.Errorf("top[%d].%w", i, err)
		}
	}
	return nil
}

// within returns an error for a value that is not within bounds, or NaN.
func within(field string, v, least, most float64) error {
	if v >= least && v <= most {
		return nil
	}
	return fmt.Errorf("%s: %v is not within %v to %v", field, v, least, most)
}

func checkName(field, name string) error {
	if name == "" || len(name) > MaxName || !printable(name) {
		return fmt.Errorf("%s: not 1 to %d bytes of printable text", field, MaxName)
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
