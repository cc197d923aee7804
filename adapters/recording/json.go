package recording

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/paratimer/paratimer/dag"
)

// Snapshots are written as JSON, and later snapshots as changes since the one before. The code depends on no field of
// package dag: the names are those that encoding/json uses. Numbers, instants, series and texts have forms of their
// own.

// A names has other names for the fields of structs: their words in lower case, as lost_at of LostAt, or those of a
// table, as pairs of words: "MemoryMB mb Jobs -". A field with the name "-" has no form.
type names struct {
	of     map[reflect.Type]string // nil: the names are those of encoding/json
	fields sync.Map                // []string by the type of a struct
	forms  jsonv2.Options
}

// ours are the names that snapshots have in package dag.
var ours = names{forms: forms(readers)}

// newNames returns names by a table.
func newNames(of map[reflect.Type]string) *names {
	n := &names{of: of}
	n.forms = forms(jsonv2.JoinUnmarshalers(readers, jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, to any) error {
		_, isWord := to.(encoding.TextUnmarshaler)
		if isWord || reflect.TypeOf(to).Elem().Kind() != reflect.Struct {
			return jsonv2.SkipFunc
		}
		b, err := d.ReadValue()
		if err != nil {
			return err
		}
		return n.patch(b, to)
	})))
	return n
}

// wordStart matches the start of a word in a name.
var wordStart = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)

// fieldsOf returns the names of the fields of a struct.
func (n *names) fieldsOf(t reflect.Type) (all []string) {
	if known, ok := n.fields.Load(t); ok {
		return known.([]string)
	}
	others := strings.Fields(n.of[t])
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if n.of != nil && name == "" {
			name = strings.ToLower(wordStart.ReplaceAllString(f.Name, "${1}${3}_${2}${4}"))
		}
		if at := slices.Index(others, f.Name); at >= 0 {
			name = others[at+1]
		}
		all = append(all, cmp.Or(name, f.Name))
	}
	n.fields.Store(t, all)
	return all
}

// appended is the last character of a field's name if the field has only the new items of a list.
const appended = "+"

// patch reads the fields of a struct that an object has. It replaces what they refer to, because other values may share
// it.
func (n *names) patch(object []byte, pointer any) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		return err
	}
	v := reflect.ValueOf(pointer).Elem()
	fields := n.fieldsOf(v.Type())
	for name, value := range values {
		name, isMore := strings.CutSuffix(name, appended)
		i := slices.Index(fields, name)
		if i < 0 || name == "-" {
			continue // of a later version
		}
		to := v.Field(i)
		next := reflect.New(to.Type())
		if err := jsonv2.Unmarshal(value, next.Interface(), n.forms); err != nil {
			return err
		}
		if isMore && to.Kind() == reflect.Slice {
			next.Elem().Set(reflect.AppendSlice(to.Slice3(0, to.Len(), to.Len()), next.Elem()))
		}
		to.Set(next.Elem())
	}
	return nil
}

// changes appends the fields of a struct that differ from those of an older one, as an object. It appends nothing if
// they are equal.
func changes[T any](b []byte, old, now *T) []byte {
	from, to, start := reflect.ValueOf(old).Elem(), reflect.ValueOf(now).Elem(), len(b)
	for i, name := range ours.fieldsOf(to.Type()) {
		was, is := from.Field(i), to.Field(i)
		if name == "-" || sameMemory(was, is) {
			continue
		}
		var value []byte
		if more, ok := added(was, is); ok {
			name, value = name+appended, encoded(more)
		} else if value = encoded(is); slices.Contains(refers, is.Kind()) && string(value) == string(encoded(was)) {
			continue
		}
		b = append(b, "{,"[min(len(b)-start, 1)])
		b = append(append(strconv.AppendQuote(b, name), ':'), value...)
	}
	if len(b) > start {
		b = append(b, '}')
	}
	return b
}

// refers are the kinds of values that may be equal with other bytes in memory.
var refers = []reflect.Kind{reflect.Slice, reflect.Pointer, reflect.String}

// added returns the items of a list that follow those of an older one.
func added(old, now reflect.Value) (more reflect.Value, ok bool) {
	if now.Kind() != reflect.Slice || old.Len() == 0 || old.Len() >= now.Len() {
		return more, false
	}
	for i := range old.Len() {
		if !sameMemory(old.Index(i), now.Index(i)) {
			return more, false
		}
	}
	more = reflect.New(now.Type()).Elem()
	more.Set(now.Slice(old.Len(), now.Len()))
	return more, true
}

func encoded(v reflect.Value) []byte {
	b, err := jsonv2.Marshal(v.Addr().Interface(), ours.forms)
	if err != nil {
		panic(err) // each type has a form
	}
	return b
}

// forms writes a number as null for NaN, and as a text for an infinity; an unknown instant as null; a series as a
// number if all tasks have the same value, and otherwise as the list of its values.
func forms(readers *jsonv2.Unmarshalers) jsonv2.Options {
	return jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv2.WithUnmarshalers(readers),
		jsonv2.WithMarshalers(jsonv2.JoinMarshalers(
			jsonv2.MarshalToFunc(func(e *jsontext.Encoder, f float64) error {
				switch {
				case math.IsNaN(f):
					return e.WriteToken(jsontext.Null)
				case math.IsInf(f, 0):
					return e.WriteToken(jsontext.String(fmt.Sprintf("%f", f)))
				}
				return e.WriteValue(strconv.AppendFloat(e.AvailableBuffer(), f, 'g', -1, 64))
			}),
			jsonv2.MarshalToFunc(func(e *jsontext.Encoder, i dag.Instant) error {
				if !i.Known() {
					return e.WriteToken(jsontext.Null)
				}
				return e.WriteToken(jsontext.Int(int64(i)))
			}),
			jsonv2.MarshalToFunc(func(e *jsontext.Encoder, s dag.Series) error {
				if each := s.Values(); each != nil {
					return jsonv2.MarshalEncode(e, each)
				}
				return jsonv2.MarshalEncode(e, s.At(0))
			}),
		)))
}

// readers read what forms writes. A text is cleaned, because a recording may come from others.
var readers = jsonv2.JoinUnmarshalers(
	jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, f *float64) error {
		b, err := d.ReadValue()
		s := strings.Trim(string(b), `"`)
		if s == "null" {
			s = "nan"
		}
		if err == nil {
			*f, err = strconv.ParseFloat(s, 64)
		}
		return err
	}),
	jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, i *dag.Instant) error {
		if *i = dag.NoInstant; d.PeekKind() == 'n' {
			return d.SkipValue()
		}
		return jsonv2.UnmarshalDecode(d, (*int64)(i))
	}),
	jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, s *dag.Series) (err error) {
		each, all := []float64{}, 0.0
		if d.PeekKind() == '[' {
			err = jsonv2.UnmarshalDecode(d, &each)
			*s = dag.Each(each)
		} else {
			err = jsonv2.UnmarshalDecode(d, &all)
			*s = dag.Uniform(all)
		}
		return err
	}),
	jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, s *string) error {
		if d.PeekKind() != '"' {
			return jsonv2.SkipFunc
		}
		t, err := d.ReadToken()
		*s = dag.Clean(t.String())
		return err
	}),
)
