// Package delta writes values of package dag as JSON, and later values as what changed since the value before. It knows
// no field of these types: a new field is written and read without a change here.
//
// A struct is an object of its changed fields, by the names that encoding/json gives them. A list is either a JSON
// list of all its items, or an object:
//
//	cut   indices of the list before whose items were removed
//	new   indices of the list whose items were not in the list before
//	"17"  what changed in item 17 of the list
//
// A new item is written as a change from the item before it, if it refers to no other list, and else from the zero
// value. Without a change nothing is written, so unchanged lists cost nothing, and share their memory when they are
// read.
package delta

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/dag"
)

// Append appends the change from old to v. It appends nothing if they are equal, bit by bit.
func Append[T any](b []byte, old, v *T) []byte {
	return all()[reflect.TypeFor[T]()].change(b, reflect.ValueOf(old).Elem(), reflect.ValueOf(v).Elem(), false)
}

// A codec writes and reads values of one type.
type codec struct {
	// change appends the change from old to v, or nothing if they are equal; at least an empty change if whole is set.
	change func(b []byte, old, v reflect.Value, whole bool) []byte
	// read applies a change, whose first token is given, to a value. What the value refers to is replaced, never
	// modified, because older snapshots share it.
	read   func(r *Reader, t json.Token, to reflect.Value)
	isLeaf bool // values have no parts
	isFlat bool // values refer to no list or pointer
}

// A table has the codecs of all types that a snapshot consists of.
type table map[reflect.Type]*codec

var (
	building sync.Once
	built    table
)

// all returns the table. It is built at its first use: most commands neither write nor read a recording.
func all() table {
	building.Do(func() {
		built = table{}
		built.build(reflect.TypeFor[dag.Snapshot]())
	})
	return built
}

func (all table) build(t reflect.Type) *codec {
	c := all[t]
	if c == nil {
		c = &codec{}
		all[t] = c
		*c = all.codecOf(t)
	}
	return c
}

func (all table) codecOf(t reflect.Type) codec {
	switch {
	case t == reflect.TypeFor[dag.Series]():
		return seriesOf(all.build(reflect.TypeFor[[]float64]()))
	case t == reflect.TypeFor[dag.Instant]():
		return leaf(appendInstant, readInstant)
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return wordOf(t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return all.structOf(t)
	case reflect.Slice:
		return all.listOf(t)
	case reflect.Array:
		return all.arrayOf(t)
	case reflect.Pointer:
		return all.pointerOf(t)
	case reflect.String:
		return leaf(func(b []byte, v reflect.Value) []byte { return AppendText(b, v.String()) }, readText)
	case reflect.Bool:
		return leaf(func(b []byte, v reflect.Value) []byte { return strconv.AppendBool(b, v.Bool()) }, readBool)
	case reflect.Float64:
		return leaf(appendFloat, readFloat)
	case reflect.Uint8:
		return leaf(func(b []byte, v reflect.Value) []byte { return strconv.AppendUint(b, v.Uint(), 10) }, readUint)
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		return leaf(func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }, readInt)
	}
	panic("delta: no codec for the type " + t.String())
}

// structOf returns the codec of a struct. Fields with the tag json:"-" are left out.
func (all table) structOf(t reflect.Type) codec {
	type field struct {
		key   string // with quotes and colon
		index int    // in the struct
		order int    // in fields
		codec *codec
	}
	var fields []field
	byName, isFlat := map[string]field{}, true
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" {
			name = t.Field(i).Name
		}
		f := field{strconv.Quote(name) + ":", i, len(fields), all.build(t.Field(i).Type)}
		fields, byName[name], isFlat = append(fields, f), f, isFlat && f.codec.isFlat
	}
	change := func(b []byte, old, v reflect.Value, whole bool) []byte {
		start := len(b)
		for i := range fields {
			f := &fields[i]
			b = member(b, start, f.key, func(b []byte) []byte {
				return f.codec.change(b, old.Field(f.index), v.Field(f.index), false)
			})
		}
		return end(b, start, whole)
	}
	return codec{isFlat: isFlat, change: change, read: func(r *Reader, t json.Token, to reflect.Value) {
		seen := make([]bool, len(byName)) // a list that changes twice in a line would be copied twice
		r.Object(t, func(name string) {
			f, known := byName[name]
			switch {
			case !known:
				r.Skip() // a field of a later version
			case seen[f.order]:
				r.fail("%s is there twice", name)
			default:
				seen[f.order] = true
				f.codec.read(r, r.Token(), to.Field(f.index))
			}
		})
	}}
}

// member appends a member to the object that begins at start, unless its value is empty.
func member(b []byte, start int, key string, value func([]byte) []byte) []byte {
	before := len(b)
	if b = append(b, ','); before == start {
		b[start] = '{'
	}
	b = append(b, key...)
	length := len(b)
	if b = value(b); len(b) == length {
		return b[:before]
	}
	return b
}

// end appends the end of the object that begins at start, if there is one or must be one.
func end(b []byte, start int, whole bool) []byte {
	switch {
	case len(b) > start:
		return append(b, '}')
	case whole:
		return append(b, "{}"...)
	}
	return b
}

// pointerOf returns the codec of a pointer: null, or the change of what it refers to.
func (all table) pointerOf(t reflect.Type) codec {
	of := all.build(t.Elem())
	change := func(b []byte, old, v reflect.Value, whole bool) []byte {
		switch {
		case !whole && old.Pointer() == v.Pointer():
			return b
		case v.IsNil():
			return append(b, "null"...)
		case old.IsNil():
			return of.change(b, reflect.Zero(t.Elem()), v.Elem(), true)
		}
		return of.change(b, old.Elem(), v.Elem(), whole)
	}
	return codec{change: change, read: func(r *Reader, token json.Token, to reflect.Value) {
		next := reflect.New(t.Elem())
		switch {
		case token == nil:
			to.SetZero()
			return
		case !to.IsNil():
			next.Elem().Set(to.Elem())
		case !r.Allow(1, int(t.Elem().Size())):
			return
		}
		of.read(r, token, next.Elem())
		to.Set(next)
	}}
}
