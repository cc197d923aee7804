package planfile

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

const (
	wantNumber = "a number, 0 or more"
	wantTime   = "a time with its unit, such as 25ms"
	// wantSeconds describes a time of at most 1e7 seconds, 115 days.
	wantSeconds = "a time of 0 to 10000000s, such as 5.1s or 250ms; a number alone is seconds"
	wantMemory  = "a whole number of megabytes with its unit, such as 3072MB or 3GB"
	wantString  = "a string (put it in quotes)"
)

// A form is how a file writes a scalar: what it must be, for messages, how to read it (false for another form) and
// how to write it (null is unknown). Lists and mappings have no form.
type form struct {
	title string
	read  func(it *item, v reflect.Value) bool
	write func(v reflect.Value) item
}

var seriesType = reflect.TypeFor[dag.Series]()

// formOf returns the form of a field.
func (f *Spec) formOf() form {
	switch kind := f.Type.Kind(); {
	case f.Type == reflect.TypeFor[time.Duration]():
		f.Pattern = timeText
		return form{wantTime + " or 2s", func(it *item, v reflect.Value) bool {
			ns := math.Round(milliseconds(it) * 1e6)
			v.SetInt(int64(ns))
			return ns < math.MaxInt64
		}, func(v reflect.Value) item { return textItem(time.Duration(v.Int()).String()) }}
	case f.Type == seriesType:
		return f.seriesForm()
	case f.Type == reflect.TypeFor[dag.GroupSize]():
		return groupSize
	case f.Type == reflect.TypeFor[dag.GroupPoint]():
		return groupPoint
	case len(f.Words) > 0 && (kind == reflect.String || kind == reflect.Bool || kind == reflect.Uint8):
		return f.wordForm()
	case kind == reflect.String:
		return f.stringForm()
	case kind == reflect.Int || kind == reflect.Float64:
		return f.numberForm()
	}
	return form{}
}

// wordForm is the form of one of a field's words: a string, a number by its word, or a bool.
func (f *Spec) wordForm() form {
	title := "true, or left out"
	if f.Words[0] != "" {
		title = sentence(f.Words, "or")
	}
	return form{title, func(it *item, v reflect.Value) bool {
		i := slices.Index(f.Words, it.text)
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(i == 1)
		case reflect.Uint8:
			v.SetUint(uint64(max(0, i)))
			if older, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok && i < 0 {
				return it.kind == text && older.UnmarshalText([]byte(it.text)) == nil // a word of older files
			}
		default:
			v.SetString(it.text)
		}
		return i >= 0 && it.text != "" && (it.kind == text || it.kind == boolean)
	}, func(v reflect.Value) item {
		if v.Kind() == reflect.Bool {
			return textItem(f.Words[1])
		}
		return textItem(fmt.Sprint(v.Interface()))
	}}
}

func (f *Spec) stringForm() form {
	least, most, title := 0, math.MaxInt, wantString
	if _, err := fmt.Sscanf(f.Tag.Get("length"), "%d-%d", &least, &most); err == nil && least > 0 {
		title = fmt.Sprintf("a string of %d to %d characters (put it in quotes)", least, most)
	}
	return form{title, func(it *item, v reflect.Value) bool {
		v.SetString(it.text)
		length := utf8.RuneCountInString(it.text)
		return it.kind == text && length >= least && length <= most &&
			(f.Pattern == nil || f.Pattern.MatchString(it.text))
	}, func(v reflect.Value) item { return textItem(v.String()) }}
}

// numberForm is the form of an int or a float64.
func (f *Spec) numberForm() form {
	isInt, above, high := f.Type.Kind() == reflect.Int, f.Tag.Get("above"), f.Tag.Get("max")
	title, read, write := "a number", (*item).number, numberItem
	if isInt {
		title = "a whole number"
	}
	switch {
	case f.Is("ms"):
		title, read, write, f.Pattern = wantTime+" or 2s", milliseconds, timeItem, timeText
	case f.Is("time"):
		title, read, f.Pattern = wantSeconds, seconds, timeText
		write = func(s float64) item { return textItem(strconv.FormatFloat(s, 'g', -1, 64) + "s") }
	case f.Is("MB"):
		title, read, f.Pattern, f.High = wantMemory, megabytes, memoryText, math.Inf(1)
		write = func(mb float64) item { return textItem(numberItem(mb).text + "MB") }
	case above != "":
		title += fmt.Sprintf(", more than %s and at most %s", above, high)
	case high != "":
		title += fmt.Sprintf(" from %d to %s", int(f.Low), high)
	default:
		title += ", 0 or more"
	}
	if f.Is("null") {
		title += ", or null if unknown"
	}
	return form{title, func(it *item, v reflect.Value) bool {
		n := read(it)
		if isInt {
			v.SetInt(int64(n))
		} else {
			v.SetFloat(n)
		}
		return n >= f.Low && n <= f.High && !(isInt && n != math.Trunc(n)) && !(above != "" && n == f.Low)
	}, func(v reflect.Value) item {
		n := v.Convert(reflect.TypeFor[float64]()).Float()
		if math.IsNaN(n) || n < 0 && isInt && (f.Is("null") || f.Is("optional") || f.Is("MB")) {
			return item{}
		}
		return write(n)
	}}
}

// seriesForm is the form of a value for all tasks. A list has one for each task, which are those of f.Item.
func (f *Spec) seriesForm() form {
	tag, want, all := reflect.StructTag(`plan:",null"`), wantNumber, wantNumber
	if f.Is("ms") {
		tag, want, all = `plan:",null,ms"`, wantTime, wantTime+" or 0.37us"
	}
	f.Item = fieldOf(reflect.StructField{Type: reflect.TypeFor[float64](), Tag: tag}, "")
	f.Item.Title = want + ", or null where it is unknown"
	f.options, f.Pattern = append(f.options, "null"), f.Item.Pattern
	one := f.Item.form
	return form{all + ", or a list with one for each task", func(it *item, v reflect.Value) bool {
		n := math.NaN()
		ok := one.read(it, reflect.ValueOf(&n).Elem())
		v.Set(reflect.ValueOf(dag.Uniform(n)))
		return ok
	}, func(v reflect.Value) item {
		s := v.Interface().(dag.Series)
		if s.IsUniform() {
			return one.write(reflect.ValueOf(s.At(0)))
		}
		return item{kind: list, parts: units.Each(s.Values(), func(v float64) item {
			return one.write(reflect.ValueOf(v))
		})}
	}}
}

// groupSize is the form of the size of one group, or the size and number of several.
var groupSize = form{"a size in bytes, or [bytes, count]", func(it *item, v reflect.Value) bool {
	n := it.numbers()
	if it.kind == number {
		n = []float64{it.number(), 1}
	}
	if len(n) != 2 || !(n[0] >= 0) {
		return false
	}
	v.Set(reflect.ValueOf(dag.GroupSize{Bytes: n[0], Count: n[1]}))
	return true
}, func(v reflect.Value) item {
	s := v.Interface().(dag.GroupSize)
	if s.Count == 1 {
		return numberItem(s.Bytes)
	}
	return item{kind: list, parts: []item{numberItem(s.Bytes), numberItem(s.Count)}}
}}

// groupPoint is the form of a size, the seconds of one group, and the number of groups.
var groupPoint = form{
	"[bytes, seconds, count], or [bytes, seconds] of one group",
	func(it *item, v reflect.Value) bool {
		n := it.numbers()
		if len(n) == 2 {
			n = append(n, 1)
		}
		if len(n) != 3 || n[1] > dag.MaxLength.Seconds() {
			return false
		}
		v.Set(reflect.ValueOf(dag.GroupPoint{At: dag.NoInstant, Bytes: n[0], Took: nanoseconds(n[1]), Count: n[2]}))
		return true
	}, func(v reflect.Value) item {
		p := v.Interface().(dag.GroupPoint)
		out := item{kind: list, parts: []item{numberItem(p.Bytes), numberItem(p.Took.Seconds()), numberItem(p.Count)}}
		if p.Count == 1 {
			out.parts = out.parts[:2]
		}
		return out
	},
}

// numbers returns the numbers of a list, nil for other values. Lists of groups have at most 3.
func (it *item) numbers() (all []float64) {
	if it.kind != list || len(it.parts) > 3 {
		return nil
	}
	for i := range it.parts {
		n := it.parts[i].number()
		if !(n >= 0) {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// nanoseconds converts seconds to a Duration. Above a million, for which a float64 does not resolve nanoseconds, it
// rounds to milliseconds.
func nanoseconds(s float64) time.Duration {
	if s > 1e6 {
		return time.Duration(math.Round(s*1e3)) * time.Millisecond
	}
	return time.Duration(math.Round(s * 1e9))
}

var (
	timeText   = regexp.MustCompile(`^(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?(ns|us|µs|μs|ms|s|m|h))+$`)
	timePart   = regexp.MustCompile(`([0-9.]+)(?:[eE]([-+]?[0-9]+))?([^0-9.]+)`)
	memoryText = regexp.MustCompile(`^[0-9]+(\.[0-9]+)? ?([kKmMgGtT][iI]?[bB]?)$`)
)

// decimals are the powers of ten between a unit and a millisecond. Minutes and hours have none.
var decimals = map[string]int{"ns": -6, "us": -3, "µs": -3, "μs": -3, "s": 3}

// ParseTime parses a time of a plan, such as 0.37ms or 1m30s. It returns milliseconds; ok is false for other texts.
// In decimal units the result is the float64 nearest to the written number. A time.Duration could not represent a
// cost such as 0.0128us exactly.
func ParseTime(s string) (ms float64, ok bool) {
	if !timeText.MatchString(s) {
		return 0, false
	}
	for _, part := range timePart.FindAllStringSubmatch(s, -1) {
		mantissa, exponent, unit := part[1], 0, part[3]
		if part[2] != "" {
			var err error
			if exponent, err = strconv.Atoi(part[2]); err != nil {
				return 0, false
			}
		}
		v, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(exponent+decimals[unit]), 64)
		if err != nil {
			return 0, false
		}
		switch unit {
		case "m":
			v *= 60_000
		case "h":
			v *= 3_600_000
		}
		ms += v
	}
	return ms, !math.IsInf(ms, 0)
}

// seconds returns a time in seconds, NaN for other values. Seconds are exact: from milliseconds they would be rounded.
func seconds(it *item) float64 {
	digits, hasUnit := strings.CutSuffix(it.text, "s")
	if v, err := strconv.ParseFloat(digits, 64); err == nil && hasUnit && it.kind == text {
		return v
	}
	if ms, ok := ParseTime(it.text); ok && it.kind == text {
		return ms / 1000
	}
	return it.number()
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

func timeItem(ms float64) item { return textItem(strconv.FormatFloat(ms, 'g', -1, 64) + "ms") }

// megabytes returns an amount of memory, at most 2^52, NaN for other values.
func megabytes(it *item) float64 {
	parts := memoryText.FindStringSubmatch(it.text)
	if parts == nil || it.kind != text {
		return math.NaN()
	}
	unit := parts[2]
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(it.text, unit)), 64)
	if err != nil {
		return math.NaN()
	}
	return min(v*map[string]float64{"k": 1.0 / 1024, "m": 1, "g": 1024, "t": 1024 * 1024}[strings.ToLower(unit[:1])], 1<<52)
}
