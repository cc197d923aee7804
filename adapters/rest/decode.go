package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
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

// Decode reads a response into v, a struct of fields that accept values of a wrong type, such as a List or a Box. The
// elements of all lists may take lists bytes; more are ErrTooBig. Text that is not JSON is an error; of duplicate keys
// the last one counts. If the first field of v is a Box, it is the root that every response to the request has, with
// empty lists as well: a response without it, such as {} or null, is an error. what begins the text of errors.
func Decode(what string, body []byte, v any, lists int) error {
	if !json.Valid(body) {
		return fmt.Errorf("%s is not JSON: %w (it begins %s)", what, json.Unmarshal(body, v), excerpt(body))
	}
	to := reflect.ValueOf(v).Elem()
	r := reader{text: body, left: lists}
	err := r.into(to)
	switch {
	case r.err != nil:
		return fmt.Errorf("%s: %w", what, r.err)
	case err != nil:
		return fmt.Errorf("%s is not JSON: %w (it begins %s)", what, err, excerpt(body))
	}
	if to.Kind() == reflect.Struct && to.NumField() > 0 {
		if root, ok := to.Field(0).Addr().Interface().(interface{ present() bool }); ok && !root.present() {
			return fmt.Errorf("%s answers something else (it begins %s)", what, excerpt(body))
		}
	}
	return nil
}

// excerpt quotes the beginning of a body for an error.
func excerpt(b []byte) string { return strconv.Quote(string(b[:min(len(b), 60)])) }

// A List is an array; null, "", {} and a missing one are empty, a single object is a list of one. Elements of a wrong
// type are left out.
type List[T any] []T

func (l *List[T]) read(r *reader) {
	*l = nil
	switch r.next() {
	case '[':
		n := r.count()
		if !r.takes(n, reflect.TypeFor[T]()) {
			return
		}
		*l = make([]T, 0, n)
		for r.enter(); r.more(']'); {
			*l = append(*l, *new(T))
			if last := len(*l) - 1; !r.try(&(*l)[last]) {
				*l = (*l)[:last]
			}
		}
	case '{':
		from := r.at
		if !r.takes(1, reflect.TypeFor[T]()) {
			return
		}
		*l = make([]T, 1)
		if !r.try(&(*l)[0]) || len(bytes.TrimSpace(r.text[from+1:r.at-1])) == 0 {
			*l = nil
		}
	default:
		r.take()
	}
}

// A Box is an object; any other value counts as an empty one.
type Box[T any] struct {
	V   T
	Set bool // the key was there, with any value
}

func (b *Box[T]) read(r *reader) {
	b.V, b.Set = *new(T), true
	if r.next() != '{' {
		r.take()
	} else if !r.try(&b.V) {
		b.V = *new(T)
	}
}

func (b *Box[T]) present() bool { return b.Set }

// A reader reads valid JSON. encoding/json reads a value of a type with an UnmarshalJSON three times, and does so
// again at each level of nesting. A reader reads each level once.
type reader struct {
	text  []byte
	at    int
	depth int // of objects and lists around the next value
	left  int // bytes that the elements of lists may still take
	err   error
}

// fail ends the reading.
func (r *reader) fail(err error) { r.err, r.at = err, len(r.text) }

// takes draws the memory of n elements of a list, and reports whether there is enough.
func (r *reader) takes(n int, of reflect.Type) bool {
	if r.left -= n * int(of.Size()); r.left < 0 {
		r.fail(fmt.Errorf("%w: its lists have too many elements for its size", ErrTooBig))
	}
	return r.left >= 0
}

// enter begins an object or a list.
func (r *reader) enter() {
	r.at++
	if r.depth++; r.depth > mostNested {
		r.fail(fmt.Errorf("%w: it is nested more than %d levels deep", ErrTooBig, mostNested))
	}
}

// more moves to the next element or key, and reports whether there is one. If not, it moves behind the end.
func (r *reader) more(end byte) bool {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == end:
			r.at++
			r.depth--
			return false
		case c == ',' || c <= ' ':
			r.at++
		default:
			return true
		}
	}
	return false
}

// next returns the first byte of the next value.
func (r *reader) next() byte {
	for r.at < len(r.text) && r.text[r.at] <= ' ' {
		r.at++
	}
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// take consumes the next value and returns its text.
func (r *reader) take() []byte {
	r.next()
	from := r.at
	r.at += valueEnd(r.text[from:])
	return r.text[from:r.at]
}

// count returns the number of elements of the list that comes next.
func (r *reader) count() (n int) {
	ahead := reader{text: r.text, at: r.at + 1}
	for ahead.more(']') {
		ahead.take()
		n++
	}
	return n
}

// into reads the next value into v, which is addressable. After an error the reader may be anywhere in the value.
func (r *reader) into(v reflect.Value) error {
	p := v.Addr().Interface()
	if own, ok := p.(interface{ read(*reader) }); ok {
		own.read(r)
		return nil
	}
	own, ok := p.(json.Unmarshaler)
	if !ok && v.Kind() == reflect.Struct && r.next() == '{' {
		return r.object(v)
	}
	text := r.take()
	if !ok {
		return json.Unmarshal(text, p) //nolint:wrapcheck // Decode names the response
	}
	return own.UnmarshalJSON(text) //nolint:wrapcheck // likewise
}

func (r *reader) object(v reflect.Value) error {
	all := fieldsOf(v.Type())
	for r.enter(); r.more('}'); {
		f := all.of(r.take())
		r.next()
		r.at++ // the colon
		if f == nil {
			r.take()
		} else if err := r.into(v.FieldByIndex(f)); err != nil {
			return err
		}
	}
	return nil
}

// try reads the next value into what v points to, and reports whether it is of that type. The reader ends behind the
// value.
func (r *reader) try(v any) bool {
	r.next()
	from, depth := r.at, r.depth
	err := r.into(reflect.ValueOf(v).Elem())
	if err != nil {
		r.at, r.depth = from, depth
		r.take()
	}
	return err == nil
}

// fields are the indexes of a struct's fields, by key, and by key in lower case.
type fields map[string][]int

// types caches the fields of struct types.
var types sync.Map

func fieldsOf(t reflect.Type) fields {
	if known, ok := types.Load(t); ok {
		return known.(fields) //nolint:forcetypeassert // nothing else is stored
	}
	all := fields{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && !f.Anonymous {
			if name == "" {
				name = f.Name
			}
			all[name], all[strings.ToLower(name)] = f.Index, f.Index
		}
	}
	types.Store(t, all)
	return all
}

// of returns the field for a quoted key, nil if there is none. Like encoding/json it ignores case.
func (all fields) of(quoted []byte) []int {
	key := quoted[1 : len(quoted)-1]
	if f, ok := all[string(key)]; ok {
		return f
	}
	if bytes.IndexByte(key, '\\') < 0 {
		return all[strings.ToLower(string(key))]
	}
	var name string
	_ = json.Unmarshal(quoted, &name) // the text is valid
	return all[strings.ToLower(name)]
}

// valueEnd returns the length of the value at the start of a valid text: a whole array or object, a string with its
// quotes.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth <= 1 {
				return i + depth // of the value itself, or of what it is in
			}
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}
