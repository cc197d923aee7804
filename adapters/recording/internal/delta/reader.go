package delta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

// A Reader reads one JSON text. After an error it reads zero values, and Err returns the error.
type Reader struct {
	json *json.Decoder
	err  error
	left *int // bytes of memory that lists may still take
}

// ErrLarge means that a snapshot is larger than a recording may have.
var ErrLarge = errors.New("its lists take more memory than a recording may")

// NewReader returns a reader of a text. left is how many bytes lists may still take; the reader reduces it.
func NewReader(text []byte, left *int) *Reader {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return &Reader{json: d, left: left}
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Fail records an error, if it is the first one.
func (r *Reader) Fail(err error) {
	if r.err == nil && err != nil {
		r.err = err
	}
}

func (r *Reader) fail(format string, args ...any) { r.Fail(fmt.Errorf(format, args...)) }

// Read applies the change that comes next to the value that a pointer refers to: a snapshot, or a part of one. Old
// snapshots that share parts of the value do not change.
func (r *Reader) Read(to any) { r.ReadFrom(r.Token(), to) }

// ReadFrom is Read for a value whose first token was read.
func (r *Reader) ReadFrom(t json.Token, to any) {
	v := reflect.ValueOf(to).Elem()
	all()[v.Type()].read(r, t, v)
}

// Token returns the first token of the next value: a json.Delim, a string, a json.Number, a bool or nil.
func (r *Reader) Token() json.Token {
	if r.err != nil {
		return nil
	}
	t, err := r.json.Token()
	r.Fail(err)
	return t
}

// Allow reports whether a list may grow by n items of a size. If not, it records an error.
func (r *Reader) Allow(n, size int) bool {
	if *r.left -= n * size; *r.left < 0 {
		r.Fail(ErrLarge)
	}
	return r.err == nil
}

// Object visits the members of an object whose first token is t. visit must read each value.
func (r *Reader) Object(t json.Token, visit func(key string)) {
	r.each(t, '{', func() {
		if key, ok := r.Token().(string); ok {
			visit(key)
		}
	})
}

// List visits the items of a list whose first token is t. visit must read each item.
func (r *Reader) List(t json.Token, visit func()) { r.each(t, '[', visit) }

func (r *Reader) each(t json.Token, first json.Delim, visit func()) {
	if t != first {
		r.fail("%v instead of %v", t, first)
		return
	}
	for r.err == nil && r.json.More() {
		visit()
	}
	r.Token() // the end
}

// Decode reads a value as package json does, numbers as json.Number.
func (r *Reader) Decode(to any) {
	if r.err == nil {
		r.Fail(r.json.Decode(to))
	}
}

// Skip reads over a value.
func (r *Reader) Skip() { r.Decode(&json.RawMessage{}) }

func readText(r *Reader, t json.Token, to reflect.Value) {
	s, ok := t.(string)
	if !ok {
		r.fail("%v is not a text", t)
	}
	to.SetString(dag.Clean(s)) // a recording may come from others
}

func readBool(r *Reader, t json.Token, to reflect.Value) {
	b, ok := t.(bool)
	if !ok {
		r.fail("%v is not true or false", t)
	}
	to.SetBool(b)
}

func readInt(r *Reader, t json.Token, to reflect.Value) {
	n, _ := t.(json.Number)
	i, err := strconv.ParseInt(n.String(), 10, to.Type().Bits())
	if err != nil {
		r.fail("%v is not an integer of %d bits", t, to.Type().Bits())
	}
	to.SetInt(i)
}

func readUint(r *Reader, t json.Token, to reflect.Value) {
	n, _ := t.(json.Number)
	i, err := strconv.ParseUint(n.String(), 10, to.Type().Bits())
	if err != nil {
		r.fail("%v is not a number from 0 to 255", t)
	}
	to.SetUint(i)
}

func readInstant(r *Reader, t json.Token, to reflect.Value) {
	if to.SetInt(int64(dag.NoInstant)); t != nil {
		readInt(r, t, to)
	}
}

func readFloat(r *Reader, t json.Token, to reflect.Value) {
	text := ""
	switch t := t.(type) {
	case nil:
		to.SetFloat(math.Float64frombits(nan))
		return
	case json.Number:
		text = t.String()
	case string:
		if text = t; len(t) > 2 && t[:2] == "0x" {
			bits, err := strconv.ParseUint(t[2:], 16, 64)
			to.SetFloat(math.Float64frombits(bits))
			r.Fail(err)
			return
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	r.Fail(err)
	to.SetFloat(f)
}
