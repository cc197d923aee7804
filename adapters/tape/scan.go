package tape

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

// A scan reads lists of flat JSON lists without allocations. Its input is a json.RawMessage without spaces, from a
// line that this package wrote. Anything else is an error, never a panic.
type scan struct {
	b   []byte
	i   int
	err error
}

var errRows = errors.New("not a list of rows")

// is consumes c if it comes next, and reports whether it did.
func (s *scan) is(c byte) bool {
	if s.err == nil && s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

func (s *scan) must(c byte) {
	if !s.is(c) && s.err == nil {
		s.err = errRows
	}
}

// next moves to the next element of the outer list. It returns false at the list's end and after an error.
func (s *scan) next() bool {
	switch {
	case s.err != nil || len(s.b) == 0:
		return false
	case s.i == 0:
		s.must('[')
		if s.is(']') {
			return s.end()
		}
	case s.is(']'):
		return s.end()
	default:
		s.must(',')
	}
	return s.err == nil
}

func (s *scan) end() bool {
	if s.i != len(s.b) {
		s.err = errRows
	}
	return false
}

// token consumes a number, string, literal or object of strings.
func (s *scan) token() []byte {
	from, depth, quoted := s.i, 0, false
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case quoted && c == '\\':
			s.i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			depth--
		case depth == 0 && (c == ',' || c == ']'):
			return s.b[from:s.i]
		}
	}
	if s.err == nil {
		s.err = errRows
	}
	return nil
}

func (s *scan) int(bits int) int64 {
	t := s.token()
	if s.err != nil {
		return 0
	}
	i, err := strconv.ParseInt(string(t), 10, bits)
	if err != nil {
		s.err = fmt.Errorf("%w: %w", errRows, err)
	}
	return i
}

func (s *scan) float() float64 {
	t := s.token()
	if s.err != nil {
		return 0
	}
	n, err := parseNum(t)
	if err != nil {
		s.err = fmt.Errorf("%w: %w", errRows, err)
	}
	return n.float()
}

// instant reads milliseconds relative to base, or null.
func (s *scan) instant(base dag.Instant) dag.Instant {
	if null := "null"; len(s.b)-s.i >= len(null) && string(s.b[s.i:s.i+len(null)]) == null {
		s.i += len(null)
		return dag.NoInstant
	}
	return base + dag.Instant(s.int(64))
}

func (s *scan) key() key {
	task := s.int(32)
	s.must(',')
	return key{task: int32(task), number: int32(s.int(32))}
}

// A row describes count attempts with equal values in some fields.
type row struct {
	first     key
	count     int32
	mask      uint32
	nulls     uint32 // instant fields that are null
	vals      [fields]uint64
	diagnosis string
}

// row reads one row into r.
func (s *scan) row(r *row) {
	s.must('[')
	r.first, r.count, r.nulls = key{task: int32(s.int(32))}, 1, 0
	s.must(',')
	r.mask = uint32(s.int(32))
	if r.mask&(1<<fMany) != 0 {
		s.must(',')
		r.first.number = int32(s.int(32))
		s.must(',')
		r.count = int32(s.int(32))
	}
	for f := 0; f <= fDiagnosis && s.err == nil; f++ {
		if r.mask&(1<<f) != 0 {
			s.must(',')
			s.value(f, r)
		}
	}
	s.must(']')
	if s.err == nil && (r.first.task < 0 || r.count < 1 || r.mask >= 1<<(fMany+1) ||
		int64(r.first.task)+int64(r.count)-1 > math.MaxInt32) {
		s.err = errRows
	}
}

func (s *scan) value(f int, r *row) {
	switch t := s.token(); {
	case s.err != nil:
	case f == fDiagnosis:
		r.diagnosis, s.err = parseText(t)
	case fieldKinds[f] == floatField:
		var n num
		n, s.err = parseNum(t)
		r.vals[f] = uint64(n)
	case fieldKinds[f] == instantField && string(t) == "null":
		r.nulls |= 1 << f
	default:
		var i int64
		i, s.err = strconv.ParseInt(string(t), 10, 64)
		r.vals[f] = uint64(i)
	}
}

// apply sets those of the fields from..to-1 of w that are in r.
func (r *row) apply(w *flat, from, to int, at dag.Instant) {
	for f := from; f < to; f++ {
		switch {
		case r.mask&(1<<f) == 0:
		case r.nulls&(1<<f) != 0:
			w[f] = uint64(unknown)
		case fieldKinds[f] == instantField:
			w[f] = r.vals[f] + uint64(base(w, f, at))
		default:
			w[f] = r.vals[f]
		}
	}
}
