package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of the elements of all lists in one response, in bytes. An element of a list in a service's response takes at
// most a few times the bytes of its text. A list of empty objects, which would take fifty times as many, is not a
// service's response; nor are many short lists of them.
const (
	freeLists   = 64 << 10 // allowed for any response
	timesText   = 4
	mostOfLists = 32 << 20
)

// Lists returns the most bytes that the elements of all lists may take in a response of this length in bytes.
func Lists(bytes int) int { return min(freeLists+timesText*bytes, mostOfLists) }

// mostNested bounds how deep the objects and lists of a response may be nested: the length of a list is counted before
// it is read, once at each level.
const mostNested = 200

// lenient are the texts that services send: of duplicate keys the last one counts, and bytes that are not UTF-8 are
// replaced.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
	jsonv2.MatchCaseInsensitiveNames(true))

// Decode reads a response into v, a struct of fields that accept values of a wrong type, such as a List or a Box. The
// elements of all lists may take lists bytes; more are ErrTooBig. Text that is not JSON is an error; of duplicate keys
// the last one counts. If the first field of v is a Box, it is the root that every response to the request has, with
// empty lists as well: a response without it, such as {} or null, is an error. what begins the text of errors.
func Decode(what string, body []byte, v any, lists int) error {
	if !json.Valid(body) {
		return fmt.Errorf("%s is not JSON: %w (it begins %s)", what, json.Unmarshal(body, v), excerpt(body))
	}
	type loose interface {
		read(d *jsontext.Decoder, r *reader) error
	}
	r := &reader{left: lists}
	err := jsonv2.Unmarshal(body, v, lenient, jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(
		func(d *jsontext.Decoder, list loose) error { return list.read(d, r) })))
	switch {
	case r.err != nil:
		return fmt.Errorf("%s: %w", what, r.err)
	case err != nil:
		return fmt.Errorf("%s sent an unexpected answer: %w (it begins %s)", what, err, excerpt(body))
	}
	to := reflect.ValueOf(v).Elem()
	if to.Kind() == reflect.Struct && to.NumField() > 0 {
		if root, ok := to.Field(0).Addr().Interface().(interface{ present() bool }); ok && !root.present() {
			return fmt.Errorf("%s sent an unexpected answer (it begins %s)", what, excerpt(body))
		}
	}
	return nil
}

// Read decodes the response to a request, which may have failed with err, as Decode does.
func Read[T any](what string, body []byte, err error) (v T, _ error) {
	if err == nil {
		err = Decode(what, body, &v, Lists(len(body)))
	}
	return v, err
}

// excerpt quotes the beginning of a body for an error.
func excerpt(b []byte) string { return strconv.Quote(string(b[:min(len(b), 60)])) }

// A List is an array; null, "", {} and a missing one are empty, a single object is a list of one. Elements of a wrong
// type are left out.
type List[T any] []T

func (l *List[T]) read(d *jsontext.Decoder, r *reader) error {
	*l = nil
	kind, n := d.PeekKind(), 0
	if kind == '[' || kind == '{' {
		text := d.UnreadBuffer()
		n = r.members(text[bytes.IndexByte(text, byte(kind)):])
	}
	if n == 0 {
		return d.SkipValue()
	}
	if kind == '{' {
		n = 1
	} else if _, err := d.ReadToken(); err != nil {
		return err
	}
	if r.left -= n * int(reflect.TypeFor[T]().Size()); r.left < 0 {
		r.err = fmt.Errorf("%w: its lists have too many elements for its size", ErrTooBig)
		return r.err
	}
	*l = make([]T, 0, n)
	for range n {
		*l = append(*l, *new(T))
		last := len(*l) - 1
		isUsable, err := r.try(d, &(*l)[last])
		if err != nil {
			return err
		}
		if !isUsable {
			*l = (*l)[:last]
		}
	}
	if kind == '{' {
		return nil
	}
	_, err := d.ReadToken()
	return err
}

// A Box is an object; any other value counts as an empty one.
type Box[T any] struct {
	V   T
	Set bool // the key was there, with any value
}

func (b *Box[T]) read(d *jsontext.Decoder, r *reader) error {
	b.V, b.Set = *new(T), true
	if d.PeekKind() != '{' {
		return d.SkipValue()
	}
	isUsable, err := r.try(d, &b.V)
	if !isUsable {
		b.V = *new(T)
	}
	return err
}

func (b *Box[T]) present() bool { return b.Set }

// A reader reads the loose values of one response.
type reader struct {
	left  int // bytes that the elements of lists may still take
	err   error
	ahead jsontext.Decoder // counts the elements of a list before they are read
}

// try reads the next value into what v points to, and reports whether it is of that type. The decoder ends behind the
// value. An error is that of the reader.
func (r *reader) try(d *jsontext.Decoder, v any) (isUsable bool, err error) {
	depth := d.StackDepth()
	if depth >= mostNested {
		r.err = fmt.Errorf("%w: it is nested more than %d levels deep", ErrTooBig, mostNested)
		return false, r.err
	}
	_, before := d.StackIndex(depth)
	err = jsonv2.UnmarshalDecode(d, v)
	if err == nil || r.err != nil {
		return err == nil, r.err
	}
	for d.StackDepth() > depth { // the wrong value was inside
		if _, err := d.ReadToken(); err != nil {
			return false, err
		}
	}
	if _, after := d.StackIndex(depth); after > before {
		return false, nil
	}
	return false, d.SkipValue()
}

// members returns the number of values in a list, and of keys and values in an object, with which a valid text begins.
func (r *reader) members(text []byte) (n int) {
	r.ahead.Reset(bytes.NewBuffer(text), lenient)
	for _, err := r.ahead.ReadToken(); err == nil && r.ahead.PeekKind() != ']' && r.ahead.PeekKind() != '}'; n++ {
		err = r.ahead.SkipValue()
	}
	return n
}
