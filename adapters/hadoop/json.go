package hadoop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

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

// list is an array; null, "", {} and a missing one are empty, a single object is a list of one.
// Elements of a wrong type are left out.
type list[T any] []T

// errTooMany means that the lists of an answer have more elements than its text accounts for.
var errTooMany = fmt.Errorf("%w: its lists have too many elements for its size", errTooBig)

func (l list[T]) element() (of, object reflect.Type) {
	return reflect.TypeFor[T](), reflect.TypeFor[T]()
}

func (l *list[T]) UnmarshalJSON(b []byte) error { return readAll(b, l) }

func (l *list[T]) read(r *reader) {
	*l = nil
	switch r.next() {
	case '[':
		n := 0
		for range elements(r.text[r.at:]) {
			n++
		}
		all := make([]T, 0, n)
		for r.at++; r.more(']'); {
			all = append(all, *new(T))
			if last := len(all) - 1; !r.try(&all[last]) {
				all = all[:last]
			}
		}
		*l = all
	case '{':
		from := r.at
		var v T
		if r.try(&v) && !hollow(r.text[from:r.at]) {
			*l = list[T]{v}
		}
	default:
		r.take()
	}
}

// hollow reports whether an object has no keys.
func hollow(object []byte) bool { return len(bytes.TrimSpace(object[1:len(object)-1])) == 0 }

// box is an object; any other value counts as an empty one.
type box[T any] struct {
	v   T
	set bool // the key was there, with any value
}

func (o *box[T]) UnmarshalJSON(b []byte) error { return readAll(b, o) }

func (o *box[T]) read(r *reader) {
	var v T
	if r.next() != '{' {
		r.take()
	} else if !r.try(&v) {
		v = *new(T)
	}
	o.v, o.set = v, true
}

func (o box[T]) wrapped() reflect.Type { return reflect.TypeFor[T]() }

func (o *box[T]) there() bool { return o.set }

// mostNested bounds how deep the objects and arrays of a response may be nested: lists count their elements before
// they read them, once at each level. Each level of a tree of queues takes three.
const mostNested = 200

// nested returns how deep the objects and arrays of a text are nested.
func nested(text []byte) int {
	deepest, depth, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}

// decode reads body into v; what names the response in an error. The first field of v is the root that every
// response to the request has, with empty lists as well. A response without it, such as {} or null, is an error.
func decode(what string, body []byte, v any) error {
	if nested(body) > mostNested {
		return fmt.Errorf("hadoop: the answer to %s: %w: it is nested more than %d levels deep", what, errTooBig,
			mostNested)
	}
	if tooHeavy(body, reflect.TypeOf(v).Elem()) {
		return fmt.Errorf("hadoop: the answer to %s: %w", what, errTooMany)
	}
	if err := readValid(body, v); err != nil {
		return fmt.Errorf("hadoop: the answer to %s is not JSON: %w (it begins %s)", what, err, excerpt(body))
	}
	to := reflect.ValueOf(v).Elem()
	if to.Kind() != reflect.Struct || to.NumField() == 0 {
		return nil
	}
	if root, ok := to.Field(0).Addr().Interface().(interface{ there() bool }); ok && !root.there() {
		return fmt.Errorf("hadoop: the answer to %s answers something else (it begins %s)", what, excerpt(body))
	}
	return nil
}

// excerpt quotes the beginning of a body for an error.
func excerpt(b []byte) string { return strconv.Quote(string(b[:min(len(b), 60)])) }

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
