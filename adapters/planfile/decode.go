package planfile

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A decoder fills the structs of a file from its tree after the schema has checked the tree's shape. The strict
// decoding of goccy/go-yaml is not sufficient. It stops at the first unknown field and suggests none, and reads 1.5
// into an int as 1 and .nan into a text. It takes 200 bytes of memory per byte of JSON, and plans may have 64 MB.
type decoder struct {
	names  bool // clean texts as names; otherwise keep them, such as a rule's text of several lines
	faults []fault
}

func (d *decoder) text(n *node) string {
	if d.names {
		return dag.Clean(n.text)
	}
	return n.text
}

// A fault is an error at a position of the tree.
type fault struct {
	at    *node
	path  []string
	why   string
	meant string // the field that a misspelt one stands for
	err   error
}

func (d *decoder) fail(n *node, path []string, why string) {
	d.faults = append(d.faults, fault{at: n, path: append([]string(nil), path...), why: fmt.Sprintf("%s is %s: %s",
		pathString(path), n.shown(), why)})
}

const (
	wantTime   = "it must be a time with its unit, such as 25ms"
	wantNumber = "it must be a number, 0 or more"
)

func (d *decoder) value(n *node, v reflect.Value, path []string) {
	if n == nil || n.kind == null && v.Type() != reflect.TypeFor[*tasks]() {
		return // absent or unknown
	}
	switch to := v.Addr().Interface().(type) {
	case **tasks:
		*to = &tasks{n: int(n.num), known: n.kind == number}
	case *time.Duration:
		dur, ok := parseDuration(n.text)
		if !ok && n.num != 0 || n.kind == text && !ok {
			d.fail(n, path, wantTime)
		}
		*to = dur
	case *memory:
		mb, err := parseMemory(n.text)
		if err != nil {
			d.fail(n, path, "it "+err.Error())
		}
		*to = memory(mb)
	case *numbers:
		to.Series = d.series(n, path, wantNumber, func(n *node) (float64, bool) {
			return n.num, n.kind == number &&
				n.num >= 0
		})
	case *times:
		to.Series = d.series(n, path, wantTime, milliseconds)
	case *length:
		ms, ok := milliseconds(n)
		if !ok {
			d.fail(n, path, wantTime)
		}
		*to = length(ms)
	case *policy:
		d.policy(n, to, path)
	case *sizes:
		*to = d.sizes(n, path)
	case *points:
		*to = d.points(n, path)
	case *string:
		*to = d.text(n)
	case *int:
		*to = int(n.num)
	case *float64:
		*to = n.num
	case *bool:
		*to = n.text == "true"
	case *map[string]string:
		*to = make(map[string]string, len(n.items))
		for i, k := range n.keys {
			(*to)[k.text] = n.items[i].text
		}
	case *[]string:
		if n.kind == text {
			*to = []string{d.text(n)}
			return
		}
		for _, item := range n.items {
			*to = append(*to, d.text(item))
		}
	default:
		d.composed(n, v, path)
	}
}

func (d *decoder) composed(n *node, v reflect.Value, path []string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), len(n.items), len(n.items)))
		for i, item := range n.items {
			d.value(item, v.Index(i), append(path, strconv.Itoa(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			key := v.Type().Field(i).Tag.Get("plan")
			d.value(n.get(key), v.Field(i), append(path, key))
		}
	default:
		panic("planfile: a field of type " + v.Type().String())
	}
}

// series reports only the first fault of a list, because the others are likely the same.
func (d *decoder) series(n *node, path []string, want string, one func(*node) (float64, bool)) dag.Series {
	if n.kind != list {
		v, ok := one(n)
		if !ok {
			d.fail(n, path, want)
		}
		return dag.Uniform(v)
	}
	values := make([]float64, len(n.items))
	for i, item := range n.items {
		if values[i] = math.NaN(); item.kind == null {
			continue
		}
		v, ok := one(item)
		if !ok {
			d.fail(item, append(path, strconv.Itoa(i)), want)
			return dag.Series{}
		}
		values[i] = v
	}
	return dag.Each(values)
}

// milliseconds reads a time. 0 needs no unit.
func milliseconds(n *node) (float64, bool) {
	if n.kind == number {
		return 0, n.num == 0
	}
	return parseTime(n.text)
}
