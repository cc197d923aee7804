package hadoop

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// A reader reads valid JSON into the wire types. encoding/json reads a value of a type with an UnmarshalJSON three
// times, and does so again at each level of nesting. A reader reads each level once.
type reader struct{ weigher }

// A readable is a wire type that contains others. read leaves the reader behind the value.
type readable interface{ read(r *reader) }

// readAll reads a text that is known to be valid.
func readAll(text []byte, v any) error {
	r := reader{weigher{text: text}}
	return r.into(reflect.ValueOf(v).Elem())
}

// readValid reads a text that may not be JSON.
func readValid(text []byte, v any) error {
	if !json.Valid(text) {
		return json.Unmarshal(text, v) //nolint:wrapcheck // it says what is wrong; decode says of what answer
	}
	return readAll(text, v)
}

// next returns the first byte of the next value.
func (r *reader) next() byte {
	r.space()
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// take consumes the next value and returns its text.
func (r *reader) take() []byte {
	r.space()
	from := r.at
	r.at += valueEnd(r.text[from:])
	return r.text[from:r.at]
}

// into reads the next value into v, which is addressable. After an error the reader may be anywhere in the value.
func (r *reader) into(v reflect.Value) error {
	switch p := v.Addr().Interface().(type) {
	case readable:
		p.read(r)
		return nil
	case json.Unmarshaler:
		return p.UnmarshalJSON(r.take()) //nolint:wrapcheck // decode says of what answer it is
	default:
		if v.Kind() != reflect.Struct || r.next() != '{' {
			return json.Unmarshal(r.take(), p) //nolint:wrapcheck // likewise
		}
		return r.object(v)
	}
}

func (r *reader) object(v reflect.Value) error {
	all := indexesOf(v.Type())
	for r.at++; r.more('}'); {
		f := byKey(all, r.take())
		r.space()
		r.at++ // the colon
		if f == nil {
			r.take()
		} else if err := r.into(v.FieldByIndex(f)); err != nil {
			return err
		}
	}
	return nil
}

// try reads the next value into v, and reports whether it is of v's type. The reader ends behind the value.
func (r *reader) try(v any) bool {
	r.space()
	from := r.at
	if r.into(reflect.ValueOf(v).Elem()) == nil {
		return true
	}
	r.at = from
	r.take()
	return false
}

// indexes are those of the fields of each struct type: a map[string][]int by key in lower case.
var indexes sync.Map

func indexesOf(t reflect.Type) map[string][]int {
	if known, ok := indexes.Load(t); ok {
		return known.(map[string][]int) //nolint:forcetypeassert // nothing else is stored
	}
	all := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		all[strings.ToLower(name)] = f.Index
	}
	indexes.Store(t, all)
	return all
}

// byKey returns the element of a map by keys in lower case for a quoted key. It ignores case, as encoding/json
// does.
func byKey[V any](m map[string]V, quoted []byte) (none V) {
	var known [48]byte
	lower := known[:0]
	if len(quoted) < 2 {
		return none
	}
	key := quoted[1 : len(quoted)-1]
	for _, c := range key {
		switch {
		case c == '\\' || c >= 0x80:
			var name string
			if json.Unmarshal(quoted, &name) != nil {
				return none
			}
			for field, v := range m {
				if strings.EqualFold(field, name) {
					return v
				}
			}
			return none
		case len(lower) == cap(lower):
			return none // no field has so long a name
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		lower = append(lower, c)
	}
	return m[string(lower)]
}
