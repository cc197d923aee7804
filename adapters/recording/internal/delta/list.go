package delta

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/paratimer/paratimer/dag"
)

// arrayOf returns the codec of an array of floats: all of them if one has changed.
func (all table) arrayOf(t reflect.Type) codec {
	of := all.build(t.Elem())
	change := func(b []byte, old, v reflect.Value, whole bool) []byte {
		for i := 0; i < v.Len() && !whole; i++ {
			whole = !same(old.Index(i), v.Index(i))
		}
		if !whole {
			return b
		}
		return appendAll(b, of, v)
	}
	return codec{isFlat: true, change: change, read: func(r *Reader, token json.Token, to reflect.Value) {
		i := 0
		r.List(token, func() {
			if i == t.Len() {
				r.fail("more than %d items", t.Len())
				return
			}
			of.read(r, r.Token(), to.Index(i))
			i++
		})
	}}
}

func appendAll(b []byte, of *codec, v reflect.Value) []byte {
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		b = of.change(b, of.model(v, i), v.Index(i), true)
	}
	return append(b, ']')
}

// model returns the value from which a new item of a list is a change.
func (of *codec) model(list reflect.Value, i int) reflect.Value {
	if i > 0 && of.isFlat {
		return list.Index(i - 1)
	}
	return reflect.Zero(list.Type().Elem())
}

// listOf returns the codec of a slice.
func (all table) listOf(t reflect.Type) codec {
	of := all.build(t.Elem())
	change := func(b []byte, old, v reflect.Value, whole bool) []byte {
		switch {
		case v.IsNil() && (whole || !old.IsNil()):
			return append(b, "null"...)
		case whole, old.IsNil() != v.IsNil(), (old.Len() == 0) != (v.Len() == 0), of.isLeaf && !sameItems(old, v):
			return appendAll(b, of, v)
		case of.isLeaf, v.Len() == old.Len() && v.Pointer() == old.Pointer():
			return b
		}
		return appendChanges(b, of, old, v, matched(old, v))
	}
	return codec{change: change, read: func(r *Reader, token json.Token, to reflect.Value) {
		switch token {
		case json.Delim('['):
			readItems(r, token, of, to)
		case json.Delim('{'):
			readChanges(r, token, of, to)
		default:
			if to.SetZero(); token != nil {
				r.fail("%v is not a list", token)
			}
		}
	}}
}

func sameItems(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !same(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}

// appendChanges appends the object of a list that changed. from has the index in old of each item of v, ascending, or
// -1 for a new item.
func appendChanges(b []byte, of *codec, old, v reflect.Value, from []int) []byte {
	var cut, added []int
	next := 0
	for i, k := range from {
		if k < 0 {
			added = append(added, i)
			continue
		}
		for ; next < k; next++ {
			cut = append(cut, next)
		}
		next = k + 1
	}
	for ; next < old.Len(); next++ {
		cut = append(cut, next)
	}
	start := len(b)
	b = member(b, start, `"cut":`, func(b []byte) []byte { return appendInts(b, cut) })
	b = member(b, start, `"new":`, func(b []byte) []byte { return appendInts(b, added) })
	// Snapshots never change: items at the same place in memory are equal.
	isPrefix := old.Pointer() == v.Pointer()
	for i, k := range from {
		var before reflect.Value
		if k < 0 {
			before = of.model(v, i)
		} else if before = old.Index(k); isPrefix && i == k || identical(before, v.Index(i)) {
			continue
		}
		b = member(b, start, `"`+strconv.Itoa(i)+`":`, func(b []byte) []byte {
			return of.change(b, before, v.Index(i), false)
		})
	}
	return end(b, start, false)
}

// identical reports whether two items of lists have the same bytes in memory. Then they are equal, and most of a
// hundred thousand attempts are.
func identical(a, b reflect.Value) bool {
	memory := func(v reflect.Value) []byte {
		at := (*byte)(v.Addr().UnsafePointer())
		return unsafe.Slice(at, v.Type().Size()) //nolint:gosec // of this item, and only read
	}
	return bytes.Equal(memory(a), memory(b))
}

func appendInts(b []byte, list []int) []byte {
	for i, n := range list {
		b = strconv.AppendInt(append(b, "[,"[min(i, 1)]), int64(n), 10)
	}
	if len(list) > 0 {
		b = append(b, ']')
	}
	return b
}

// matched returns the index in old of each item of v, or -1. It decides the size of a recording and not its content.
// Items keep their indices, but attempts come and go in the middle of their lists, which are ordered by task.
func matched(old, v reflect.Value) []int {
	before, isAttempts := old.Interface().([]dag.Attempt)
	attempts, _ := v.Interface().([]dag.Attempt)
	from, k := make([]int, v.Len()), 0
	for i := range from {
		if isAttempts {
			for k < len(before) && order(&before[k], &attempts[i]) < 0 {
				k++
			}
			if k < len(before) && order(&before[k], &attempts[i]) > 0 {
				from[i] = -1
				continue
			}
		}
		if from[i] = k; k >= old.Len() {
			from[i] = -1
		}
		k++
	}
	return from
}

func order(a, b *dag.Attempt) int {
	return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
}

func readItems(r *Reader, token json.Token, of *codec, to reflect.Value) {
	items, size := reflect.MakeSlice(to.Type(), 0, 0), int(to.Type().Elem().Size())
	*r.left += to.Len() * size
	r.List(token, func() {
		if r.Allow(1, size) {
			i := items.Len()
			items = reflect.Append(items, of.model(items, i))
			of.read(r, r.Token(), items.Index(i))
		}
	})
	to.Set(items)
}

func readChanges(r *Reader, token json.Token, of *codec, to reflect.Value) {
	var cut, added []int
	arranged, next := false, 0
	// arrange makes the list, and then the new items up to an index, since those before them do not change any more.
	arrange := func(until int) {
		if !arranged {
			arrangeItems(r, to, cut, added)
			arranged = true
		}
		for ; r.err == nil && len(added) > 0 && added[0] <= until; added = added[1:] {
			to.Index(added[0]).Set(of.model(to, added[0]))
		}
	}
	r.Object(token, func(key string) {
		switch key {
		case "cut":
			r.Decode(&cut)
			return
		case "new":
			r.Decode(&added)
			return
		}
		i, err := strconv.Atoi(key)
		if arrange(i); err != nil || i < next || i >= to.Len() {
			r.fail("no item %q in a list of %d, or not in order", key, to.Len())
			return
		}
		next = i + 1
		of.read(r, r.Token(), to.Index(i))
	})
	arrange(to.Len() + len(added))
}

// arrangeItems replaces a list by a copy without the items of cut and with zero items at the indices of added.
func arrangeItems(r *Reader, to reflect.Value, cut, added []int) {
	old := to.Slice(0, to.Len())
	length := old.Len() - len(cut) + len(added)
	if length < 0 || !r.Allow(len(added)-len(cut), int(to.Type().Elem().Size())) {
		r.fail("a list of %d items cannot become one of %d", old.Len(), length)
		return
	}
	to.Set(reflect.MakeSlice(to.Type(), length, length))
	k := 0
	leaveOut := func() {
		for ; len(cut) > 0 && cut[0] == k; k++ {
			cut = cut[1:]
		}
	}
	for i := range length {
		if len(added) > 0 && added[0] == i {
			added = added[1:]
			continue
		}
		if leaveOut(); k >= old.Len() {
			break
		}
		to.Index(i).Set(old.Index(k))
		k++
	}
	if leaveOut(); k != old.Len() || len(added)+len(cut) > 0 {
		r.fail("the indices of a list are not in order")
	}
}
