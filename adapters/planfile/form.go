package planfile

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
)

type schema = map[string]any

const (
	wantNumber = "a number, 0 or more"
	wantTime   = "a time with its unit, such as 25ms"
	wantString = "a string (put it in quotes)"
	orUnknown  = ", or null where it is unknown"
)

func aNumber() schema {
	return schema{"title": wantNumber, "type": []string{"number"}, "minimum": 0}
}

// aTime is the schema of a time. 0 needs no unit.
func aTime() schema {
	return schema{
		"title": wantTime + " or 2s", "type": []string{"string", "number"}, "pattern": timeText.String(),
		"minimum": 0, "maximum": 0,
	}
}

// A form is how a file writes a value: its schema with a title, which messages say that the value must be, how to
// read it (ok is false for another form) and how to write it (nil is unknown).
type form struct {
	schema schema
	read   func(it *item, v reflect.Value) (ok bool)
	write  func(v reflect.Value) any
}

var seriesType = reflect.TypeFor[dag.Series]()

// formOf returns the form of a field; it is empty for lists and mappings.
func (f *field) formOf() form {
	switch kind := f.typ.Kind(); {
	case f.typ == reflect.TypeFor[time.Duration]():
		return form{aTime(), func(it *item, v reflect.Value) bool {
			ns := math.Round(milliseconds(it) * 1e6)
			v.SetInt(int64(ns))
			return ns < math.MaxInt64
		}, func(v reflect.Value) any { return time.Duration(v.Int()).String() }}
	case f.typ == seriesType:
		return form{f.seriesSchema(), nil, f.writeSeries}
	case f.typ == reflect.TypeFor[dag.GroupSize]():
		return groupSize
	case f.typ == reflect.TypeFor[dag.GroupPoint]():
		return groupPoint
	case len(f.words) > 0 && (kind == reflect.String || kind == reflect.Bool || kind == reflect.Uint8):
		return f.wordForm()
	case kind == reflect.String:
		return f.stringForm()
	case f.is["MB"]:
		return form{schema{
			"title": "a whole number of megabytes with its unit, such as 3072MB or 3GB", "type": "string",
			"pattern": memoryText.String(),
		}, func(it *item, v reflect.Value) bool {
			mb, ok := parseMemory(it.text)
			v.SetInt(int64(mb))
			return ok && it.kind == text
		}, func(v reflect.Value) any {
			if v.Int() < 0 {
				return nil
			}
			return strconv.FormatInt(v.Int(), 10) + "MB"
		}}
	case kind == reflect.Int || kind == reflect.Float64:
		return f.numberForm()
	}
	return form{}
}

// wordForm is the form of one of a field's words: a string, a number by its word, or a bool.
func (f *field) wordForm() form {
	s := schema{"title": sentence(f.words, "or"), "enum": f.words}
	if f.words[0] == "" {
		s = schema{"title": "true, or left out", "const": true}
	}
	return form{s, func(it *item, v reflect.Value) bool {
		i := slices.Index(f.words, it.text)
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(i == 1)
		case reflect.Uint8:
			v.SetUint(uint64(max(0, i)))
		default:
			v.SetString(it.text)
		}
		return i >= 0 && it.text != "" && (it.kind == text || it.kind == boolean)
	}, func(v reflect.Value) any {
		if v.Kind() == reflect.Bool {
			return f.words[1]
		}
		return fmt.Sprint(v.Interface())
	}}
}

func (f *field) stringForm() form {
	least, most := 0, math.MaxInt
	s := schema{"title": wantString, "type": "string"}
	if n, _ := fmt.Sscanf(f.tag.Get("length"), "%d-%d", &least, &most); n == 2 {
		s["maxLength"] = most
	}
	if least > 0 {
		s["title"], s["minLength"] = fmt.Sprintf("a string of %d to %d characters (put it in quotes)", least, most), least
	}
	if f.pattern != nil {
		s["pattern"] = f.pattern.String()
	}
	if f.is["time"] {
		s = aTime()
		s["title"] = "a time, 0 or more, such as 5.1s or 250ms; a number alone is seconds"
		delete(s, "maximum")
	}
	return form{s, func(it *item, v reflect.Value) bool {
		v.SetString(it.text)
		if f.is["time"] {
			_, ok := ParseTime(it.text)
			return it.kind == text && ok || it.number() >= 0
		}
		length := utf8.RuneCountInString(it.text)
		return it.kind == text && length >= least && length <= most &&
			(f.pattern == nil || f.pattern.MatchString(it.text))
	}, func(v reflect.Value) any { return v.String() }}
}

// numberForm is the form of an int or a float64.
func (f *field) numberForm() form {
	isInt, above, high := f.typ.Kind() == reflect.Int, f.tag.Get("above"), f.tag.Get("max")
	title, typ := "a number", "number"
	if isInt {
		title, typ = "a whole number", "integer"
	}
	switch {
	case above != "":
		title += fmt.Sprintf(", more than %s and at most %s", above, high)
	case high != "":
		title += fmt.Sprintf(" from %d to %s", int(f.low), high)
	default:
		title += ", 0 or more"
	}
	if f.is["null"] {
		title += ", or null if unknown"
	}
	s := schema{"title": title, "type": typ, "minimum": f.low}
	if f.is["ms"] {
		s = aTime()
	}
	if above != "" {
		delete(s, "minimum")
		s["exclusiveMinimum"] = f.low
	}
	if high != "" || isInt {
		s["maximum"] = f.high
	}
	if f.low == f.high {
		s = schema{"const": f.low}
	}
	return form{s, func(it *item, v reflect.Value) bool {
		n := it.number()
		if f.is["ms"] {
			n = milliseconds(it)
		}
		if isInt {
			v.SetInt(int64(n))
		} else {
			v.SetFloat(n)
		}
		return n >= f.low && n <= f.high && !(isInt && n != math.Trunc(n)) && !(above != "" && n == f.low)
	}, func(v reflect.Value) any {
		if isInt && v.Int() < 0 && (f.is["null"] || f.is["optional"]) || !isInt && math.IsNaN(v.Float()) {
			return nil
		}
		return numberText(v.Convert(reflect.TypeFor[float64]()).Float())
	}}
}

// seriesSchema returns the schema of a value for all tasks, or a list with one for each. null is unknown.
func (f *field) seriesSchema() schema {
	one, want, all := aNumber(), wantNumber, wantNumber
	if f.is["ms"] {
		one, want, all = aTime(), wantTime, wantTime+" or 0.37us"
	}
	out, types := maps.Clone(one), one["type"].([]string)
	one["title"], one["type"] = want+orUnknown, append(slices.Clip(types), "null")
	out["title"], out["type"] = all+", or a list with one for each task", append(slices.Clip(types), "array", "null")
	out["items"] = one
	return out
}

func (f *field) writeSeries(v reflect.Value) any {
	s := v.Interface().(dag.Series)
	if !s.Known() {
		return nil
	}
	one := func(v float64) any { return numberText(v) }
	if f.is["ms"] {
		one = func(v float64) any { return formatTime(v) }
	}
	if s.IsUniform() {
		return one(s.At(0))
	}
	list := make([]any, len(s.Values()))
	for i, v := range s.Values() {
		if !math.IsNaN(v) {
			list[i] = one(v)
		}
	}
	return list
}

// groupSize is the form of the size of one group, or the size and number of several.
var groupSize = form{schema{
	"title": "a size in bytes, or [bytes, count]", "type": []string{"number", "array"}, "minimum": 0,
	"minItems": 2, "maxItems": 2, "items": aNumber(),
}, func(it *item, v reflect.Value) bool {
	if it.kind == number {
		v.Set(reflect.ValueOf(dag.GroupSize{Bytes: it.number(), Count: 1}))
		return it.number() >= 0
	}
	n, ok := it.numbers(2, 2)
	v.Set(reflect.ValueOf(dag.GroupSize{Bytes: n[0], Count: n[1]}))
	return ok
}, func(v reflect.Value) any {
	s := v.Interface().(dag.GroupSize)
	if s.Count == 1 {
		return numberText(s.Bytes)
	}
	return []any{numberText(s.Bytes), numberText(s.Count)}
}}

// groupPoint is the form of a size, the seconds of one group, and the number of groups.
var groupPoint = form{schema{
	"title": "[bytes, seconds, count], or [bytes, seconds] of one group", "type": "array", "minItems": 2,
	"maxItems": 3, "items": aNumber(),
}, func(it *item, v reflect.Value) bool {
	n, ok := it.numbers(2, 3)
	v.Set(reflect.ValueOf(dag.GroupPoint{At: dag.NoInstant, Bytes: n[0], Took: nanoseconds(n[1]), Count: n[2]}))
	return ok && n[1] <= dag.MaxLength.Seconds()
}, func(v reflect.Value) any {
	p := v.Interface().(dag.GroupPoint)
	out := []any{numberText(p.Bytes), numberText(p.Took.Seconds()), numberText(p.Count)}
	if p.Count == 1 {
		return out[:2]
	}
	return out
}}

// numbers returns the numbers of a list with least to most items. An absent last one is 1.
func (it *item) numbers(least, most int) (v [3]float64, ok bool) {
	v = [...]float64{0, 0, 1}
	if it.kind != list || len(it.parts) < least || len(it.parts) > most {
		return v, false
	}
	for i, part := range it.parts {
		if v[i] = part.number(); !(v[i] >= 0) {
			return v, false
		}
	}
	return v, true
}

// nanoseconds converts seconds to a Duration. Above a million, for which a float64 does not resolve nanoseconds, it
// rounds to milliseconds.
func nanoseconds(s float64) time.Duration {
	if s > 1e6 {
		return time.Duration(math.Round(s*1e3)) * time.Millisecond
	}
	return time.Duration(math.Round(s * 1e9))
}

// milliseconds returns a time, NaN for other values. 0 needs no unit.
func milliseconds(it *item) float64 {
	if ms, ok := ParseTime(it.text); ok && it.kind == text {
		return ms
	}
	if it.number() == 0 {
		return 0
	}
	return math.NaN()
}
