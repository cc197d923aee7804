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
	"unsafe"

	"github.com/paratimer/paratimer/dag"
)

// Snapshots are written as JSON, and later snapshots as what changed since the one before. The code knows no field of
// package dag: the names are those that encoding/json uses. A type of package dag is viewed as a type of the same
// memory, whose numbers, instants and series have a form in JSON.

// A names has other names for the fields of structs: their words in lower case, as lost_at of LostAt, or those of a
// table, as pairs of words: "MemoryMB mb Jobs -". A field with the name "-" has no form.
type names struct {
	of    map[reflect.Type]string // nil: the names are those of encoding/json
	views sync.Map                // *view by its type
}

// ours are the names that snapshots have in package dag.
var ours names

// A view is the type with the memory of another type and with a form in JSON.
type view struct {
	reflect.Type
	names []string // of its fields; "-" if one has no form
}

// wordStart matches the start of a word in a name.
var wordStart = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)

// viewOf returns the view of a struct.
func (n *names) viewOf(t reflect.Type) *view {
	if known, ok := n.views.Load(t); ok {
		return known.(*view)
	}
	others := strings.Fields(n.of[t])
	var v view
	var fields []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if n.of != nil && name == "" {
			name = strings.ToLower(wordStart.ReplaceAllString(f.Name, "${1}${3}_${2}${4}"))
		}
		if at := slices.Index(others, f.Name); at >= 0 {
			name = others[at+1]
		}
		name = cmp.Or(name, f.Name)
		v.names = append(v.names, name)
		fields = append(fields, reflect.StructField{
			Name: f.Name, Type: n.typeOf(f.Type), Tag: reflect.StructTag(fmt.Sprintf("json:%q", name)),
		})
	}
	v.Type = reflect.StructOf(fields)
	n.views.Store(t, &v)
	return &v
}

// typeOf returns the type that stands for another one in a view.
func (n *names) typeOf(t reflect.Type) reflect.Type {
	switch t {
	case reflect.TypeFor[dag.Instant]():
		return reflect.TypeFor[instant]()
	case reflect.TypeFor[dag.Series]():
		return reflect.TypeFor[series]()
	case reflect.TypeFor[float64]():
		return reflect.TypeFor[number]()
	case reflect.TypeFor[string]():
		return reflect.TypeFor[text]()
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return t
	}
	switch t.Kind() {
	case reflect.Slice:
		return reflect.SliceOf(n.typeOf(t.Elem()))
	case reflect.Array:
		return reflect.ArrayOf(t.Len(), n.typeOf(t.Elem()))
	case reflect.Pointer:
		return reflect.PointerTo(n.typeOf(t.Elem()))
	case reflect.Struct:
		return n.viewOf(t).Type
	}
	return t
}

// unmarshal reads a value.
func (n *names) unmarshal(b []byte, pointer any) error {
	v := reflect.ValueOf(pointer)
	return json.Unmarshal(b, reflect.NewAt(n.typeOf(v.Type().Elem()), v.UnsafePointer()).Interface())
}

// appended ends the name of a list whose new items follow.
const appended = "+"

// patch reads the fields of a struct that an object has. It replaces what they refer to, because other values may share
// it.
func (n *names) patch(object []byte, pointer any) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		return err
	}
	p := reflect.ValueOf(pointer)
	as := n.viewOf(p.Type().Elem())
	v := reflect.NewAt(as.Type, p.UnsafePointer()).Elem()
	for name, value := range values {
		name, isMore := strings.CutSuffix(name, appended)
		i := slices.Index(as.names, name)
		if i < 0 || name == "-" {
			continue // of a later version
		}
		to := v.Field(i)
		next := reflect.New(to.Type())
		if err := json.Unmarshal(value, next.Interface()); err != nil {
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
	as, start := ours.viewOf(reflect.TypeFor[T]()), len(b)
	from := reflect.NewAt(as.Type, unsafe.Pointer(old)).Elem() //nolint:gosec // the view has the same memory
	to := reflect.NewAt(as.Type, unsafe.Pointer(now)).Elem()   //nolint:gosec // likewise
	for i, name := range as.names {
		was, is := from.Field(i), to.Field(i)
		if name == "-" || sameMemory(was, is) {
			continue
		}
		var value []byte
		if more, ok := added(was, is); ok {
			name, value = name+appended, encoded(more)
		} else if value = encoded(is); refers(is) && string(value) == string(encoded(was)) {
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

// refers reports whether equal values may have other bytes in memory.
func refers(v reflect.Value) bool {
	return v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer || v.Kind() == reflect.String
}

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
	b, err := json.Marshal(v.Addr().Interface())
	if err != nil {
		panic(err) // each view has a form
	}
	return b
}

// A number is null for NaN, and a text for an infinity.
type number float64

// MarshalJSON writes a number.
func (n number) MarshalJSON() ([]byte, error) {
	switch f := float64(n); {
	case math.IsNaN(f):
		return []byte("null"), nil
	case math.IsInf(f, 0):
		return fmt.Appendf(nil, `"%f"`, f), nil
	default:
		return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
	}
}

// UnmarshalJSON reads a number.
func (n *number) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if s == "null" {
		s = "nan"
	}
	f, err := strconv.ParseFloat(s, 64)
	*n = number(f)
	return err
}

// An instant is null if it is unknown.
type instant dag.Instant

// MarshalJSON writes an instant.
func (i instant) MarshalJSON() ([]byte, error) {
	if !dag.Instant(i).Known() {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(i), 10), nil
}

// UnmarshalJSON reads an instant.
func (i *instant) UnmarshalJSON(b []byte) error {
	if *i = instant(dag.NoInstant); string(b) == "null" {
		return nil
	}
	return json.Unmarshal(b, (*int64)(i))
}

// A series is null if it is unknown, a number if all tasks have the same value, and otherwise the list of its values.
type series dag.Series

// MarshalJSON writes a series.
func (s series) MarshalJSON() ([]byte, error) {
	if each := dag.Series(s).Values(); each != nil {
		return json.Marshal(*(*[]number)(unsafe.Pointer(&each))) //nolint:gosec // a view of the same memory
	}
	return number(dag.Series(s).At(0)).MarshalJSON()
}

// UnmarshalJSON reads a series.
func (s *series) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		each := []float64{}
		err := json.Unmarshal(b, (*[]number)(unsafe.Pointer(&each))) //nolint:gosec // likewise
		*s = series(dag.Each(each))
		return err
	}
	var all number
	err := all.UnmarshalJSON(b)
	*s = series(dag.Uniform(float64(all)))
	return err
}

// A text is cleaned, because a recording may come from others.
type text string

// UnmarshalJSON reads a text.
func (t *text) UnmarshalJSON(b []byte) error {
	err := json.Unmarshal(b, (*string)(t))
	*t = text(dag.Clean(string(*t)))
	return err
}
