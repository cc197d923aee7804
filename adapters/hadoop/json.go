package hadoop

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// The wire types accept every variant of docs/facts/hadoop.md A1: a value of the wrong type is unknown, never an
// error. Only text that is not JSON is an error. Of duplicate keys the last one counts.

// num is a number, also one in quotes; ok is false if there is none.
type num struct {
	v  float64
	ok bool
}

func (n *num) UnmarshalJSON(b []byte) error {
	*n = num{}
	s := string(bytes.Trim(b, `"`))
	if v, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		*n = num{v, true}
	}
	return nil
}

// float returns the number, NaN if there is none.
func (n num) float() float64 {
	if !n.ok {
		return math.NaN()
	}
	return n.v
}

// count returns a number of things: 0 if there is none or it is negative, at most limit.
func (n num) count(limit int) int {
	switch {
	case !n.ok || n.v <= 0:
		return 0
	case n.v >= float64(limit):
		return limit
	}
	return int(n.v)
}

// instant returns epoch milliseconds. 0 and -1 are Hadoop's "not yet".
func (n num) instant() dag.Instant {
	if !n.ok || n.v <= 0 || n.v >= 1<<53 {
		return dag.NoInstant
	}
	return dag.Instant(n.v)
}

// ratio returns a percentage as 0..1, NaN if there is none. Values out of range are cut.
func (n num) ratio() float64 {
	if !n.ok {
		return math.NaN()
	}
	return math.Min(math.Max(n.v/100, 0), 1)
}

// text is a string, cleaned. Numbers and booleans keep their text (the 3.5.0 history server types values by
// content).
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var r anyText
	err := r.UnmarshalJSON(b)
	*t = text(dag.Clean(string(r)))
	return err
}

// anyText is an uncleaned text, for lists and several lines. Numbers and booleans keep their text; null, objects
// and lists are "". Callers clean each part that they use.
type anyText string

func (r *anyText) UnmarshalJSON(b []byte) error {
	*r = ""
	switch b[0] {
	case '"':
		if bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) {
			*r = anyText(b[1 : len(b)-1])
			break
		}
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*r = anyText(s)
	case 'n', '{', '[':
	default:
		*r = anyText(b)
	}
	return nil
}

// diagnosis is the first line of a text that is not empty, as firstLine returns it. The rest, which may have a
// megabyte, is dropped.
type diagnosis string

func (d *diagnosis) UnmarshalJSON(b []byte) error {
	var r anyText
	err := r.UnmarshalJSON(b)
	*d = diagnosis(firstLine(string(r)))
	return err
}

// decode reads the body of a response to a request, which what names in errors.
func decode(what string, body []byte, v any) error {
	return rest.Decode("hadoop: the answer to "+what, body, v, rest.Lists(len(body))) //nolint:wrapcheck // it is named
}

// stamped is the time that YARN puts before each line of a container's diagnostics.
var stamped = regexp.MustCompile(`^\[\d{4}-\d\d-\d\d [^]]*\]`)

// firstLine returns the first line that is not empty, cut to 200 bytes and cleaned. It does not retain s.
func firstLine(s string) string {
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
