package planfile

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

// The decoding fills a struct and reports every value that its tags do not allow. The strict decoding of goccy/go-yaml
// is not sufficient. It stops at the first unknown field and suggests none, and reads 1.5 into an int as 1 and .nan
// into a text. It takes 200 bytes of memory per byte of JSON.

// wrong reports a value that is not what its field must be.
func (d *Document) wrong(it *item, path []string, want string) {
	d.add(it, path, fmt.Sprintf("%s is %s: it must be %s", pathString(path), it.shown(), want))
}

// value decodes an item into a field at a path.
func (d *Document) value(it *item, v reflect.Value, f *field, path []string) {
	if it.kind == null && f.is["null"] {
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(f.typ))
		v = v.Elem()
		f.preset(v)
	}
	ok := true
	switch word, hasWords := v.Addr().Interface().(encoding.TextUnmarshaler); {
	case f.form.read != nil:
		if ok = f.form.read(it, v); d.noun == "plan" && v.Kind() == reflect.String {
			v.SetString(dag.Clean(v.String()))
		}
	case f.typ == seriesType:
		d.series(it, v, f, path)
	case v.Kind() == reflect.Slice:
		d.items(it, v, f, path)
	case v.Kind() == reflect.Map:
		d.texts(it, v, f, path)
	case it.kind == mapping:
		d.mapping(it, v, f, path)
	default:
		ok = hasWords && it.kind == text && word.UnmarshalText([]byte(it.text)) == nil
	}
	if !ok {
		d.wrong(it, path, f.title)
	}
}

// items decodes a list. After the first fault of an item that is no mapping it stops, because those of the others are
// likely the same.
func (d *Document) items(it *item, v reflect.Value, f *field, path []string) {
	n := len(it.parts)
	switch {
	case f.is["single"] && it.kind == text:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		d.value(it, v.Index(0), f.item, path)
		return
	case it.kind != list, float64(n) < f.low:
		d.wrong(it, path, f.title)
		return
	case float64(n) > f.high:
		d.add(it, path, fmt.Sprintf("%s has %d items: it must be a list of at most %.0f", pathString(path), n, f.high))
		return
	case n == 0:
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	before := len(d.faults)
	for i := range it.parts {
		part := &it.parts[i]
		f.item.preset(v.Index(i))
		d.value(part, v.Index(i), f.item, append(path, strconv.Itoa(i)))
		if d.full() || part.kind != mapping && len(d.faults) > before {
			return
		}
	}
}

// texts decodes a mapping of names to strings.
func (d *Document) texts(it *item, v reflect.Value, f *field, path []string) {
	if it.kind != mapping || float64(len(it.parts)/2) > f.high {
		d.wrong(it, path, f.title)
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for key, value := range it.fields() {
		one := reflect.New(v.Type().Elem()).Elem()
		d.value(value, one, f.item, append(path, key.text))
		v.SetMapIndex(reflect.ValueOf(key.text), one)
	}
}

// series decodes a value for all tasks or a list with one for each. It reports only the first fault of a list,
// because the others are likely the same.
func (d *Document) series(it *item, v reflect.Value, f *field, path []string) {
	one, want := (*item).number, wantNumber
	if f.is["ms"] {
		one, want = milliseconds, wantTime
	}
	if it.kind != list {
		n := one(it)
		if !(n >= 0) {
			d.wrong(it, path, f.title)
		}
		v.Set(reflect.ValueOf(dag.Uniform(n)))
		return
	}
	values := make([]float64, len(it.parts))
	for i := range it.parts {
		part := &it.parts[i]
		if values[i] = one(part); !(values[i] >= 0) && part.kind != null {
			d.wrong(part, append(path, strconv.Itoa(i)), want+orUnknown)
			return
		}
	}
	v.Set(reflect.ValueOf(dag.Each(values)))
}

// mapping decodes the fields of a struct.
func (d *Document) mapping(it *item, v reflect.Value, f *field, path []string) {
	meant := map[string]bool{} // fields that misspelt ones probably stand for
	for key, value := range it.fields() {
		at := append(path, key.text)
		if i := slices.IndexFunc(f.fields, func(part *field) bool { return part.name == key.text }); i >= 0 {
			part := f.fields[i]
			d.value(value, v.FieldByIndex(part.index), part, at)
		} else {
			why, name := unknownField(key.text, path, f.names())
			meant[name] = true
			d.add(key, at, why)
		}
		if d.full() {
			return
		}
	}
	name := cmp.Or(pathString(path), "the "+d.noun)
	for _, part := range f.fields {
		if it.part(part.name) == nil {
			if part.is["required"] && !meant[part.name] && it.part(part.tag.Get("unless")) == nil {
				d.add(it, append(path, part.name), fmt.Sprintf("%s has no %s, which it needs", name, quote(part.name)))
			}
			continue
		}
		for _, other := range part.without {
			if value := it.part(other); value != nil {
				d.wrong(value, append(path, other), "left out beside "+part.name)
			}
		}
	}
}
