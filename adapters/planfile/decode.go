package planfile

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

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
	switch word, hasWords := v.Addr().Interface().(encoding.TextUnmarshaler); {
	case f.form.read != nil && v.Kind() != reflect.Pointer:
		if ok = f.form.read(it, v); d.isPlan && v.Kind() == reflect.String {
			v.SetString(dag.Clean(v.String()))
		}
		if !ok && f.mb && memoryText.MatchString(it.text) {
			d.add(it, path, fmt.Sprintf("%s is %s: it is not a whole number of megabytes", pathString(path), it.shown()))
			return
		}
	case v.Type() == reflect.TypeFor[dag.Series]():
		d.series(it, v, f, path)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		preset(v.Elem())
		d.value(it, v.Elem(), f, path)
	case v.Kind() == reflect.Slice:
		d.list(it, v, f, path)
	case v.Kind() == reflect.Map:
		d.texts(it, v, f, path)
	case it.kind == mapping:
		d.mapping(it, v, path)
	default:
		ok = hasWords && it.kind == text && word.UnmarshalText([]byte(it.text)) == nil
	}
	if !ok {
		d.wrong(it, path, f.title)
	}
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
		preset(one)
		d.value(part, one, f.item, path)
		v.Set(reflect.Append(v, one))
	}
	switch {
	case it.kind == list:
		for _, part := range it.each {
			if len(d.faults)+d.more > before && f.tuples() {
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

// tuples reports whether the items of a list are key groups, short lists of numbers.
func (f *field) tuples() bool {
	return f.item.typ == reflect.TypeFor[dag.GroupSize]() || f.item.typ == reflect.TypeFor[dag.GroupPoint]()
}

// texts decodes a mapping of names to strings.
func (d *decoder) texts(it item, v reflect.Value, f *field, path []string) {
	v.Set(reflect.MakeMap(v.Type()))
	if it.kind == mapping {
		for key, value := range it.each {
			one := reflect.New(v.Type().Elem()).Elem()
			d.value(value, one, f.item, append(path, key.text))
			v.SetMapIndex(reflect.ValueOf(key.text), one)
		}
	}
	if it.kind != mapping || float64(v.Len()) > f.high {
		d.wrong(it, path, f.title)
	}
}

// series decodes a value for all tasks or a list with one for each. It reports only the first fault of a list,
// because the others are likely the same.
func (d *decoder) series(it item, v reflect.Value, f *field, path []string) {
	one, want := plainNumber, wantNumber
	if f.ms {
		one, want = milliseconds, wantTime
	}
	if it.kind != list {
		n, ok := one(it)
		if !ok || n < 0 {
			d.wrong(it, path, f.title)
		}
		v.Set(reflect.ValueOf(dag.Uniform(n)))
		return
	}
	var values []float64
	for _, part := range it.each {
		n, ok := one(part)
		if part.kind == null {
			n, ok = math.NaN(), true
		}
		if !ok || n < 0 {
			d.wrong(part, append(path, strconv.Itoa(len(values))), want+orUnknown)
			break
		}
		values = append(values, n)
	}
	v.Set(reflect.ValueOf(dag.Each(values)))
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
