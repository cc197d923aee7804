package planfile

import (
	"cmp"
	"fmt"
	"math"
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
func (d *Document) value(it *item, v reflect.Value, f *Spec, path []string) {
	if it.kind == null && f.Is("null") {
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(f.Type))
		v = v.Elem()
		f.preset(v)
	}
	switch {
	case f.Type == seriesType && it.kind == list:
		values := slices.Repeat([]float64{math.NaN()}, len(it.parts))
		d.items(it, reflect.ValueOf(values), f, path)
		v.Set(reflect.ValueOf(dag.Each(values)))
	case f.form.read != nil && f.form.read(it, v):
		if d.noun == "plan" && v.Kind() == reflect.String {
			v.SetString(dag.Clean(v.String()))
		}
	case f.form.read != nil:
		d.wrong(it, path, f.Title)
	case v.Kind() == reflect.Slice:
		d.list(it, v, f, path)
	case it.kind == mapping && v.Kind() == reflect.Map && float64(len(it.parts)/2) <= f.High:
		v.Set(reflect.MakeMap(v.Type()))
		for key, value := range it.fields() {
			one := reflect.New(v.Type().Elem()).Elem()
			d.value(value, one, f.Item, append(path, key.text))
			v.SetMapIndex(reflect.ValueOf(key.text), one)
		}
	case it.kind == mapping && v.Kind() == reflect.Struct:
		d.mapping(it, v, f, path)
	case it.kind == text && slices.Contains(f.Words, it.text):
		v.Field(0).SetString(it.text)
	default:
		d.wrong(it, path, f.Title)
	}
}

// list decodes a list.
func (d *Document) list(it *item, v reflect.Value, f *Spec, path []string) {
	n := len(it.parts)
	switch {
	case f.Is("single") && it.kind == text:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		d.value(it, v.Index(0), f.Item, path)
	case it.kind != list, float64(n) < f.Low:
		d.wrong(it, path, f.Title)
	case float64(n) > f.High:
		d.add(it, path, fmt.Sprintf("%s has %d items: it must be a list of at most %.0f", pathString(path), n, f.High))
	case n > 0:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		d.items(it, v, f, path)
	}
}

// items decodes the items of a list. After the first fault of an item that is no mapping it stops, because those of
// the others are likely the same.
func (d *Document) items(it *item, v reflect.Value, f *Spec, path []string) {
	before := len(d.faults)
	for i := range it.parts {
		part := &it.parts[i]
		f.Item.preset(v.Index(i))
		d.value(part, v.Index(i), f.Item, append(path, strconv.Itoa(i)))
		if d.full() || part.kind != mapping && len(d.faults) > before {
			return
		}
	}
}

// mapping decodes the fields of a struct.
func (d *Document) mapping(it *item, v reflect.Value, f *Spec, path []string) {
	given := map[string]*item{}
	meant := map[string]bool{} // fields that misspelt ones probably stand for
	for key, value := range it.fields() {
		at := append(path, key.text)
		given[key.text] = value
		if i := slices.IndexFunc(f.Fields, func(part *Spec) bool { return part.Name == key.text }); i >= 0 {
			part := f.Fields[i]
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
	for _, part := range f.Fields {
		if given[part.Name] == nil {
			if part.Is("required") && !meant[part.Name] && given[part.Tag.Get("unless")] == nil {
				d.add(it, append(path, part.Name), fmt.Sprintf("%s has no %s, which it needs", name, quote(part.Name)))
			}
			continue
		}
		for _, other := range part.Without {
			if value := given[other]; value != nil {
				d.wrong(value, append(path, other), "left out beside "+part.Name)
			}
		}
	}
}
