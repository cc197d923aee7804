package planfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
)

type schema = map[string]any

const (
	wantNumber = "a number, 0 or more"
	wantTime   = "a time with its unit, such as 25ms"
	wantString = "a string (put it in quotes)"
	// timePattern matches a time. 0 needs no unit.
	timePattern = `^(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?(ns|us|µs|μs|ms|s|m|h))+$`
)

func aNumber() schema {
	return schema{"title": wantNumber, "type": []string{"number"}, "minimum": 0}
}

func aTime() schema {
	return schema{
		"title": wantTime + " or 2s", "type": []string{"string", "number"}, "pattern": timePattern, "minimum": 0,
		"maximum": 0,
	}
}

// A form is how a file writes a value: its schema with a title, which messages say that the value must be, how to
// read it (ok is false for another form) and how to write it (ok is false for a value that is left out).
type form struct {
	schema schema
	read   func(it item, v reflect.Value) (ok bool)
	write  func(v reflect.Value) (value any, ok bool)
}

// formOf returns the form of a field of a scalar type; its functions are nil for other types.
func (f *field) formOf() form {
	switch t := f.typ; {
	case t == reflect.TypeFor[time.Duration]():
		return form{aTime(), func(it item, v reflect.Value) bool {
			d, ok := duration(it)
			v.SetInt(int64(d))
			return ok
		}, func(v reflect.Value) (any, bool) { return time.Duration(v.Int()).String(), v.Int() != 0 }}
	case t == reflect.TypeFor[dag.Series]():
		return form{f.seriesSchema(), nil, func(v reflect.Value) (any, bool) {
			return encodeSeries(v.Interface().(dag.Series), f.ms)
		}}
	case t == reflect.TypeFor[dag.GroupSize]():
		return form{schema{
			"title": "a size in bytes, or [bytes, count]", "type": []string{"number", "array"}, "minimum": 0,
			"minItems": 2, "maxItems": 2, "items": aNumber(),
		}, groupSize, sizeTuple}
	case t == reflect.TypeFor[dag.GroupPoint]():
		return form{schema{
			"title": "[bytes, seconds, count], or [bytes, seconds] of one group", "type": "array", "minItems": 2,
			"maxItems": 3, "items": aNumber(),
		}, groupPoint, pointTuple}
	case len(f.words) > 0 && t.Kind() != reflect.Slice && t.Kind() != reflect.Struct:
		return f.wordForm()
	case t.Kind() == reflect.String:
		return f.stringForm()
	case t.Kind() == reflect.Int && f.mb:
		return form{schema{
			"title": "an amount of memory with its unit, such as 3072MB or 3GB", "type": "string",
			"pattern": memoryText.String(),
		}, func(it item, v reflect.Value) bool {
			mb, ok := parseMemory(it.text)
			v.SetInt(int64(mb))
			return ok && it.kind == text
		}, func(v reflect.Value) (any, bool) {
			return strconv.FormatInt(v.Int(), 10) + "MB", v.Int() > 0 || v.Int() == 0 && f.optional
		}}
	case t.Kind() == reflect.Int:
		return f.intForm()
	case t.Kind() == reflect.Float64:
		return f.floatForm()
	}
	return form{}
}

// wordForm is the form of one of a field's words: a string, a number by its word, or a bool.
func (f *field) wordForm() form {
	s := schema{"title": sentence(f.words, "or"), "enum": f.words}
	if f.words[0] == "" {
		s = schema{"title": "true, or left out", "const": true}
	}
	return form{s, func(it item, v reflect.Value) bool {
		i := slices.Index(f.words, it.text)
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(i == 1)
			return i >= 0 && (it.kind == boolean || it.kind == text && it.text != "")
		case reflect.Uint8:
			v.SetUint(uint64(max(0, i)))
		default:
			v.SetString(it.text)
		}
		return i >= 0 && it.kind == text
	}, func(v reflect.Value) (any, bool) {
		switch v.Kind() {
		case reflect.Bool:
			return f.words[1], v.Bool()
		case reflect.Uint8:
			return fmt.Sprint(v.Interface()), v.Uint() != 0 || f.tag.Get("default") != ""
		}
		return v.String(), v.String() != ""
	}}
}

func (f *field) stringForm() form {
	var least, most int
	n, _ := fmt.Sscanf(f.tag.Get("length"), "%d-%d", &least, &most)
	s := schema{"title": wantString, "type": "string"}
	if n == 2 {
		s["maxLength"] = most
	}
	if least > 0 {
		s["title"], s["minLength"] = fmt.Sprintf("a string of %d to %d characters (put it in quotes)", least, most), least
	}
	if f.pattern != nil {
		s["pattern"] = f.pattern.String()
	}
	read := func(it item, v reflect.Value) bool {
		v.SetString(it.text)
		length := utf8.RuneCountInString(it.text)
		return it.kind == text && (n < 2 || length >= least && length <= most) &&
			(f.pattern == nil || f.pattern.MatchString(it.text))
	}
	if f.time {
		s = aTime()
		s["title"] = "a time, 0 or more, such as 5.1s or 250ms; a number alone is seconds"
		delete(s, "maximum")
		read = func(it item, v reflect.Value) bool {
			v.SetString(it.text)
			_, ok := parseTime(it.text)
			return it.kind == text && ok || it.kind == number && it.num >= 0
		}
	}
	return form{s, read, func(v reflect.Value) (any, bool) { return v.String(), v.String() != "" }}
}

func (f *field) intForm() form {
	s := schema{"title": f.bounds("a whole number"), "type": "integer", "minimum": f.low, "maximum": f.high}
	if f.low == f.high {
		s = schema{"const": f.low}
	}
	return form{s, func(it item, v reflect.Value) bool {
		v.SetInt(int64(it.num))
		return it.kind == number && it.num == math.Trunc(it.num) && it.num >= f.low && it.num <= f.high
	}, func(v reflect.Value) (any, bool) {
		if n := v.Int(); n >= 0 || !f.null && !f.optional {
			always := f.required || f.optional || f.tag.Get("default") != ""
			return json.Number(strconv.FormatInt(n, 10)), n != 0 || always
		}
		return nil, f.null
	}}
}

func (f *field) floatForm() form {
	s, one := aNumber(), plainNumber
	if f.ms {
		s, one = aTime(), milliseconds
	} else {
		s["title"], s["type"], s["minimum"] = f.bounds("a number"), "number", f.low
	}
	above := f.tag.Get("above") != ""
	if above {
		delete(s, "minimum")
		s["exclusiveMinimum"] = f.low
	}
	if f.tag.Get("max") != "" {
		s["maximum"] = f.high
	}
	return form{s, func(it item, v reflect.Value) bool {
		n, ok := one(it)
		v.SetFloat(n)
		return ok && n >= f.low && n <= f.high && !(above && n == f.low)
	}, func(v reflect.Value) (any, bool) {
		return numberText(v.Float()), !math.IsNaN(v.Float()) && (v.Float() != 0 || f.optional)
	}}
}

// bounds returns the title of a number with a field's bounds.
func (f *field) bounds(title string) string {
	switch high := f.tag.Get("max"); {
	case f.tag.Get("above") != "":
		title += fmt.Sprintf(", more than %s and at most %s", f.tag.Get("above"), high)
	case high != "":
		title += fmt.Sprintf(" from %d to %s", int(f.low), high)
	default:
		title += ", 0 or more"
	}
	if f.null {
		title += ", or null if unknown"
	}
	return title
}

// seriesSchema returns the schema of a value for all tasks, or a list with one for each. null is unknown.
func (f *field) seriesSchema() schema {
	one, want, all := aNumber(), wantNumber, wantNumber
	if f.ms {
		one, want, all = aTime(), wantTime, wantTime+" or 0.37us"
	}
	out, types := maps.Clone(one), one["type"].([]string)
	one["title"], one["type"] = want+orUnknown, append(slices.Clip(types), "null")
	out["title"], out["type"] = all+", or a list with one for each task", append(slices.Clip(types), "array", "null")
	out["items"] = one
	return out
}

const orUnknown = ", or null where it is unknown"

// sentence lists words as a sentence does.
func sentence(words []string, last string) string {
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

func plainNumber(it item) (float64, bool) { return it.num, it.kind == number }

// milliseconds reads a time. 0 needs no unit.
func milliseconds(it item) (float64, bool) {
	if it.kind != text {
		return 0, it.kind == number && it.num == 0
	}
	return parseTime(it.text)
}

func duration(it item) (time.Duration, bool) {
	if it.kind != text {
		return 0, it.kind == number && it.num == 0
	}
	return parseDuration(it.text)
}
