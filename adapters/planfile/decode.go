package planfile

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
)

// A decoder fills a struct from a file and reports every value that its tags do not allow. The strict decoding of
// goccy/go-yaml is not sufficient. It stops at the first unknown field and suggests none, and reads 1.5 into an int
// as 1 and .nan into a text. It takes 200 bytes of memory per byte of JSON, and plans may have 64 MB.
type decoder struct {
	isPlan bool   // clean texts as names, and know the fields of other tools
	whole  string // the file in messages
	faults []*fault
	more   int // faults beyond maxKept
}

// A fault is an error at a position of the file.
type fault struct {
	at   item // the value, without its parts
	path []string
	why  string
	err  error
	// A fault that was found after decoding has no position until locate finds its path, or a line and column within
	// the text there.
	unplaced         bool
	inLine, inColumn int
}

// maxKept bounds the faults of a file that are kept to be reported.
const maxKept = 1000

func (d *decoder) add(at item, path []string, why string) {
	if len(d.faults) == maxKept {
		d.more++
		return
	}
	at.each = nil
	d.faults = append(d.faults, &fault{at: at, path: slices.Clone(path), why: why})
}

// wrong reports a value that is not what its field must be.
func (d *decoder) wrong(it item, path []string, want string) {
	d.add(it, path, fmt.Sprintf("%s is %s: it must be %s", pathString(path), it.shown(), want))
}

// value decodes an item into a field at a path.
func (d *decoder) value(it item, v reflect.Value, f *field, path []string) {
	if it.kind == null && f.null {
		return
	}
	ok := true
	switch to := v.Addr().Interface().(type) {
	case *time.Duration:
		*to, ok = duration(it)
	case *dag.Series:
		*to = d.series(it, f, path)
	case *dag.GroupSize:
		*to, ok = groupSize(it)
	case *dag.GroupPoint:
		*to, ok = groupPoint(it)
	case *map[string]string:
		*to = d.texts(it, f, path)
	case encoding.TextUnmarshaler:
		if v.Kind() == reflect.Struct && it.kind == mapping {
			d.mapping(it, v, path)
			return
		}
		ok = it.kind == text && to.UnmarshalText([]byte(it.text)) == nil
	default:
		switch v.Kind() {
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			if v.Elem().Kind() == reflect.Struct {
				preset(v.Elem())
			}
			d.value(it, v.Elem(), f, path)
		case reflect.Slice:
			d.list(it, v, f, path)
		case reflect.Struct:
			if ok = it.kind == mapping; ok {
				d.mapping(it, v, path)
			}
		default:
			ok = d.scalar(it, v, f, path)
		}
	}
	if !ok {
		d.wrong(it, path, f.title)
	}
}

func (d *decoder) scalar(it item, v reflect.Value, f *field, path []string) (ok bool) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.text(it))
		if f.time {
			_, ok := parseTime(it.text)
			return it.kind == text && ok || it.kind == number && it.num >= 0
		}
		return it.kind == text && f.allows(it.text)
	case reflect.Bool:
		i := slices.Index(f.words, it.text)
		v.SetBool(i == 1)
		return i >= 0 && it.text != "" && (it.kind == text || it.kind == boolean)
	case reflect.Int:
		if f.mb {
			mb, why, ok := parseMemory(it.text)
			v.SetInt(int64(mb))
			if ok = ok && it.kind == text; ok && why != "" {
				d.add(it, path, fmt.Sprintf("%s is %s: it %s", pathString(path), it.shown(), why))
			}
			return ok
		}
		v.SetInt(int64(it.num))
		return it.kind == number && it.num == math.Trunc(it.num) && it.num >= f.low && it.num <= f.high
	case reflect.Float64:
		n, ok := it.num, it.kind == number
		if f.ms {
			n, ok = milliseconds(it)
		}
		v.SetFloat(n)
		return ok && n >= f.low && n <= f.high && !(n <= f.bound("above", -1) && f.tag.Get("above") != "")
	}
	panic("planfile: a field of type " + v.Type().String())
}

func (d *decoder) text(it item) string {
	if d.isPlan {
		return dag.Clean(it.text)
	}
	return it.text
}

// allows reports whether a string has a field's form.
func (f *field) allows(s string) bool {
	if len(f.words) > 0 && !slices.Contains(f.words, s) || f.pattern != nil && !f.pattern.MatchString(s) {
		return false
	}
	least, most, ok := f.length()
	n := utf8.RuneCountInString(s)
	return !ok || n >= least && n <= most
}

// length returns the bounds of a string's characters.
func (f *field) length() (least, most int, ok bool) {
	n, err := fmt.Sscanf(f.tag.Get("length"), "%d-%d", &least, &most)
	return least, most, err == nil && n == 2
}

// list decodes the items of a list up to its bound, and counts the others.
func (d *decoder) list(it item, v reflect.Value, f *field, path []string) {
	before := len(d.faults) + d.more
	n := 0
	add := func(part item, path []string) {
		if n++; float64(n) > f.high {
			return
		}
		one := reflect.New(v.Type().Elem()).Elem()
		if one.Kind() == reflect.Struct {
			preset(one)
		}
		d.value(part, one, f.item, path)
		v.Set(reflect.Append(v, one))
	}
	switch {
	case it.kind == list:
		tuples := f.item.title == wantSize || f.item.title == wantPoint
		for _, part := range it.each {
			if tuples && len(d.faults)+d.more > before {
				break // a list of numbers has one fault, because the others are likely the same
			}
			add(part, append(path, strconv.Itoa(n)))
		}
	case f.single && it.kind == text:
		add(it, path)
	default:
		d.wrong(it, path, f.title)
		return
	}
	switch {
	case float64(n) < f.low:
		d.wrong(it, path, f.title)
	case float64(n) > f.high && len(d.faults)+d.more == before:
		d.add(it, path, fmt.Sprintf("%s: %d %s are more than the supported %.0f", pathString(path), n, f.name, f.high))
	}
}

func (d *decoder) texts(it item, f *field, path []string) map[string]string {
	if it.kind != mapping {
		d.wrong(it, path, f.title)
		return nil
	}
	out := map[string]string{}
	for key, value := range it.each {
		if value.kind != text || !f.allows(value.text) {
			d.wrong(value, append(path, key.text), "a string (put it in quotes)")
		}
		out[key.text] = value.text
	}
	if float64(len(out)) > f.high {
		d.wrong(it, path, f.title)
	}
	return out
}

// series decodes a value for all tasks or a list with one for each. It reports only the first fault of a list,
// because the others are likely the same.
func (d *decoder) series(it item, f *field, path []string) dag.Series {
	one, want := plainNumber, "a number, 0 or more"
	if f.ms {
		one, want = milliseconds, wantTime
	}
	if it.kind != list {
		v, ok := one(it)
		if !ok {
			d.wrong(it, path, f.title)
		}
		return dag.Uniform(v)
	}
	var values []float64
	for _, part := range it.each {
		v, ok := one(part)
		if part.kind == null {
			v, ok = math.NaN(), true
		}
		if !ok {
			d.wrong(part, append(path, strconv.Itoa(len(values))), want+", or null where it is unknown")
			break
		}
		values = append(values, v)
	}
	return dag.Each(values)
}

func plainNumber(it item) (float64, bool) { return it.num, it.kind == number && it.num >= 0 }

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

// mapping decodes the fields of a struct.
func (d *decoder) mapping(it item, v reflect.Value, path []string) {
	fields := fieldsOf(v.Type())
	given := make(map[string]item, len(fields))
	meant := map[string]bool{} // fields that misspelt ones probably stand for
	for key, value := range it.each {
		i := slices.IndexFunc(fields, func(f *field) bool { return f.name == key.text })
		if i < 0 {
			if len(d.faults) < maxKept {
				why, name := d.unknownField(key.text, path, fields)
				meant[name] = true
				d.add(key, append(path, key.text), why)
			} else {
				d.more++
			}
			continue
		}
		given[key.text] = value
		d.value(value, v.FieldByIndex(fields[i].index), fields[i], append(path, key.text))
	}
	name := pathString(path)
	if name == "" {
		name = d.whole
	}
	missing := func(field, why string) {
		if _, ok := given[field]; !ok && !meant[field] {
			meant[field] = true // report it once
			d.add(it, append(path, field), why)
		}
	}
	for _, f := range fields {
		if _, ok := given[f.name]; !ok {
			if _, instead := given[f.tag.Get("unless")]; f.required && !instead {
				missing(f.name, fmt.Sprintf("%s has no %s, which it needs", name, quote(f.name)))
			}
			continue
		}
		for _, other := range f.needs {
			missing(other, fmt.Sprintf("%s has %s but no %s: each needs the other", name, quote(f.name), quote(other)))
		}
		for _, other := range f.without {
			if value, ok := given[other]; ok {
				d.wrong(value, append(path, other), "left out beside "+f.beside)
			}
		}
	}
}
