package input

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
)

// The types of this file read JSON values that may have the wrong type. Such a value is unknown, never an error.

// A Number is a number, with or without quotes; NaN if there is none.
type Number float64

// UnmarshalJSON reads any value.
func (n *Number) UnmarshalJSON(b []byte) error {
	*n = Number(ParseOptional(string(bytes.Trim(b, `"`))).Float())
	return nil
}

// Count returns the value as a count from 0 to most.
func (n Number) Count(most int) int {
	if !(n > 0) {
		return 0
	}
	return int(min(float64(n), float64(most)))
}

// ID returns an identifier, -1 if there is none.
func (n Number) ID() int {
	if !(n >= 0) || n > math.MaxInt32 {
		return -1
	}
	return int(n)
}

// Instant returns milliseconds since the epoch; 0 and -1 are "not yet". Times from the year 2248 on are implausible,
// thus unknown.
func (n Number) Instant() dag.Instant {
	if !(n > 0) || n >= 1<<43 {
		return dag.NoInstant
	}
	return dag.Instant(n)
}

// A Moment is an instant: a number of milliseconds since the epoch, or a date as in RFC 3339 or in responses of Spark.
// 0 is unknown.
type Moment dag.Instant

// UnmarshalJSON reads any value.
func (m *Moment) UnmarshalJSON(b []byte) error {
	s := string(bytes.Trim(b, `"`))
	n := ParseOptional(s)
	for _, form := range []string{"2006-01-02T15:04:05.000MST", time.RFC3339} {
		if n.Known {
			break
		}
		if t, err := time.Parse(form, s); err == nil {
			n = Some(float64(t.UnixMilli()))
		}
	}
	*m = Moment(max(0, n.Instant()))
	return nil
}

// At returns the instant, or NoInstant if it is unknown.
func (m Moment) At() dag.Instant { return Number(m).Instant() }

// The types of Hadoop's responses accept every variant of facts/hadoop.md A1.

// An Optional is a number, also one in quotes, that may be missing.
type Optional struct {
	V     float64 // 0 if it is missing
	Known bool
}

// Some returns a known number.
func Some(v float64) Optional { return Optional{v, true} }

// UnmarshalJSON reads any value.
func (n *Optional) UnmarshalJSON(b []byte) error {
	*n = ParseOptional(string(bytes.Trim(b, `"`)))
	return nil
}

// ParseOptional parses a number in a text.
func ParseOptional(s string) Optional {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return Optional{}
	}
	return Some(v)
}

// Float returns the number, NaN if it is missing.
func (n Optional) Float() float64 {
	if !n.Known {
		return math.NaN()
	}
	return n.V
}

// Count returns a number of things: 0 if it is missing or negative, at most limit.
func (n Optional) Count(limit int) int { return Number(n.Float()).Count(limit) }

// Instant returns epoch milliseconds. 0 and -1 are "not yet".
func (n Optional) Instant() dag.Instant { return Number(n.Float()).Instant() }

// Ratio returns a percentage as 0..1, NaN if it is missing. Values out of range are cut.
func (n Optional) Ratio() float64 { return math.Min(math.Max(n.Float()/100, 0), 1) }

// A Label is a string, cleaned. Numbers and booleans keep their text (the 3.5.0 history server types values by
// content).
type Label string

// UnmarshalJSON reads any value.
func (t *Label) UnmarshalJSON(b []byte) error {
	var r Raw
	err := r.UnmarshalJSON(b)
	*t = Label(dag.Clean(string(r)))
	return err
}

// A Raw is an uncleaned text, for lists and several lines. Numbers and booleans keep their text; null, objects and
// lists are "". Callers clean each part that they use.
type Raw string

// UnmarshalJSON reads any value.
func (r *Raw) UnmarshalJSON(b []byte) error {
	*r = ""
	switch b[0] {
	case '"':
		if bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) {
			*r = Raw(b[1 : len(b)-1])
			break
		}
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*r = Raw(s)
	case 'n', '{', '[':
	default:
		*r = Raw(b)
	}
	return nil
}

// A Diagnosis is the first line of a text that is not empty, as FirstLine returns it. The rest, which may have a
// megabyte, is dropped.
type Diagnosis string

// UnmarshalJSON reads any value.
func (d *Diagnosis) UnmarshalJSON(b []byte) error {
	var r Raw
	err := r.UnmarshalJSON(b)
	*d = Diagnosis(FirstLine(string(r)))
	return err
}

// stamped is the time that YARN puts before each line of a container's diagnostics.
var stamped = regexp.MustCompile(`^\[\d{4}-\d\d-\d\d [^]]*\]`)

// FirstLine returns the first line that is not empty, cut to 200 bytes and cleaned. It does not retain s.
func FirstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(stamped.ReplaceAllString(line, "")); line != "" {
			if len(line) > 200 {
				line = strings.ToValidUTF8(line[:200], "") + "…"
			}
			return dag.Clean(strings.Clone(line))
		}
	}
	return ""
}
