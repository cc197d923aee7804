package delta

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
)

// leaf returns the codec of a type without parts: its text is the value.
func leaf(text func(b []byte, v reflect.Value) []byte, read func(*Reader, json.Token, reflect.Value)) codec {
	change := func(b []byte, old, v reflect.Value, whole bool) []byte {
		if !whole && same(old, v) {
			return b
		}
		return text(b, v)
	}
	return codec{change: change, read: read, isLeaf: true, isFlat: true}
}

// same compares two values without parts. Floats are compared bit by bit, so that NaN is NaN.
func same(a, b reflect.Value) bool {
	if a.Kind() == reflect.Float64 {
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	}
	return a.Equal(b)
}

// AppendText appends a string as JSON.
func AppendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			q, _ := json.Marshal(s) // a string always has a JSON form
			return append(b, q...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// wordOf returns the codec of a numbered type whose values have texts. A value without a text is its number.
func wordOf(t reflect.Type) codec {
	var words []string
	for v := reflect.New(t); v.Elem().Uint() < math.MaxUint8; v.Elem().SetUint(v.Elem().Uint() + 1) {
		text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil || v.Interface().(encoding.TextUnmarshaler).UnmarshalText(text) != nil {
			break
		}
		words = append(words, string(text))
	}
	text := func(b []byte, v reflect.Value) []byte {
		if i := v.Uint(); i < uint64(len(words)) {
			return strconv.AppendQuote(b, words[i])
		}
		return strconv.AppendUint(b, v.Uint(), 10)
	}
	return leaf(text, func(r *Reader, t json.Token, to reflect.Value) {
		word, ok := t.(string)
		i := slices.Index(words, word)
		switch {
		case !ok:
			readUint(r, t, to)
		case i < 0:
			r.fail("%q is none of %v", word, words)
		default:
			to.SetUint(uint64(i))
		}
	})
}

// An unknown instant is null.
func appendInstant(b []byte, v reflect.Value) []byte {
	if i := dag.Instant(v.Int()); i.Known() {
		return strconv.AppendInt(b, int64(i), 10)
	}
	return append(b, "null"...)
}

// nan is the NaN of package math: null. A NaN with other bits is its bits in hexadecimal.
var nan = math.Float64bits(math.NaN())

func appendFloat(b []byte, v reflect.Value) []byte {
	f := v.Float()
	switch {
	case math.Float64bits(f) == nan:
		return append(b, "null"...)
	case math.IsInf(f, 1):
		return append(b, `"inf"`...)
	case math.IsInf(f, -1):
		return append(b, `"-inf"`...)
	case math.IsNaN(f):
		return fmt.Appendf(b, `"0x%x"`, math.Float64bits(f))
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// seriesOf returns the codec of a series: null if it is unknown, a number if all tasks have the same value, and
// otherwise the list of its values.
func seriesOf(values *codec) codec {
	change := func(b []byte, old, v reflect.Value, whole bool) []byte {
		was, is := old.Interface().(dag.Series), v.Interface().(dag.Series)
		before, now := was.Values(), is.Values()
		uniform, second := was.At(0), is.At(0)
		switch {
		case now != nil:
			return values.change(b, reflect.ValueOf(before), reflect.ValueOf(now), whole)
		case !whole && before == nil && same(reflect.ValueOf(uniform), reflect.ValueOf(second)):
			return b
		}
		return appendFloat(b, reflect.ValueOf(second))
	}
	return codec{change: change, read: func(r *Reader, t json.Token, to reflect.Value) {
		series := to.Addr().Interface().(*dag.Series)
		if t == json.Delim('[') {
			list := series.Values()
			values.read(r, t, reflect.ValueOf(&list).Elem())
			*series = dag.Each(list)
			return
		}
		uniform := 0.0
		readFloat(r, t, reflect.ValueOf(&uniform).Elem())
		*series = dag.Uniform(uniform)
	}}
}
