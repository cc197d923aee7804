package hadoop

import (
	"iter"
	"reflect"
	"strings"
	"sync"
)

// Bounds of the memory of the elements of all lists in one response, in bytes. An element of a list in Hadoop's
// responses takes at most a few times the bytes of its text. A list of empty objects, which would take fifty times
// as many, is not a response of Hadoop's; nor are many short lists of them.
const (
	freeLists   = 64 << 10 // allowed for any response
	timesText   = 4
	mostOfLists = 32 << 20
)

// tooHeavy reports whether the elements of the lists in a text would take more memory than allowed, if decoded into
// a value of type t.
func tooHeavy(text []byte, t reflect.Type) bool {
	s, ok := shapes.Load(t)
	if !ok {
		s, _ = shapes.LoadOrStore(t, shapeOf(t, map[reflect.Type]*shape{}))
	}
	root := s.(*shape) //nolint:forcetypeassert // nothing else is stored
	if root == nil {
		return false
	}
	w := weigher{text: text, most: min(freeLists+timesText*len(text), mostOfLists)}
	w.value(root)
	return w.sum > w.most
}

// shapes caches the shapes of the types of responses, each a *shape.
var shapes sync.Map

// A shape is where a wire type has lists; nil if it has none.
type shape struct {
	size    int               // of an element of a list; 0 for anything but a list
	element *shape            // of a list; nil if there are no lists in its elements
	fields  map[string]*shape // of an object, by its key in lower case
}

// A lister is a list in a response. element returns the type of its elements, and of the object that may replace
// the list.
type lister interface {
	element() (of, object reflect.Type)
}

// A wrapper is a type that is decoded as another one.
type wrapper interface{ wrapped() reflect.Type }

// shapeOf returns the shape of a wire type. begun has the shapes of lists that are done or in progress, since
// queues contain queues.
func shapeOf(t reflect.Type, begun map[reflect.Type]*shape) *shape {
	switch v := reflect.Zero(t).Interface().(type) {
	case wrapper:
		return shapeOf(v.wrapped(), begun)
	case lister:
		s := begun[t]
		if s == nil {
			of, object := v.element()
			s = &shape{size: int(of.Size())}
			begun[t] = s
			s.element = shapeOf(of, begun)
			if o := shapeOf(object, begun); o != nil {
				s.fields = o.fields
			}
		}
		return s
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	fields := map[string]*shape{}
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Anonymous {
			continue
		}
		if s := shapeOf(f.Type, begun); s != nil {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields[strings.ToLower(name)] = s
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return &shape{fields: fields}
}

// A weigher sums the memory of the lists of a text. If the text is broken, the sum means nothing.
type weigher struct {
	text      []byte
	at        int
	sum, most int
}

// value walks over a value of a shape.
func (w *weigher) value(s *shape) {
	w.space()
	switch {
	case w.at >= len(w.text) || w.sum > w.most:
		w.at = len(w.text)
	case s != nil && w.text[w.at] == '{':
		w.sum += s.size
		w.object(s)
	case s != nil && s.size > 0 && w.text[w.at] == '[':
		w.array(s)
	default:
		w.at += valueEnd(w.text[w.at:])
	}
}

func (w *weigher) array(s *shape) {
	for w.at++; w.more(']'); {
		w.sum += s.size
		w.value(s.element)
	}
}

func (w *weigher) object(s *shape) {
	for w.at++; w.more('}'); {
		n := valueEnd(w.text[w.at:])
		key := w.text[w.at : w.at+n]
		w.at += n
		w.space()
		if w.at < len(w.text) && w.text[w.at] == ':' {
			w.at++
			w.value(byKey(s.fields, key))
		}
	}
}

// more moves to the next element or key, and reports whether there is one. If not, it moves behind the end.
func (w *weigher) more(end byte) bool {
	for w.at < len(w.text) {
		switch c := w.text[w.at]; {
		case c == end:
			w.at++
			return false
		case c == ',' || c <= ' ':
			w.at++
		case c == ']' || c == '}' || c == ':':
			w.at = len(w.text) // it is broken
		default:
			return true
		}
	}
	return false
}

func (w *weigher) space() {
	for w.at < len(w.text) && w.text[w.at] <= ' ' {
		w.at++
	}
}

// valueEnd returns the length of the value at the start of a text: a whole array or object, a string with its
// quotes.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
			continue
		case ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			continue
		default: // a sign of a number, true, false or null, which the next case ends
			continue
		}
		if depth == 0 {
			return min(i+1, len(text))
		}
	}
	return len(text)
}

// elements returns the texts of an array's elements.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		w := weigher{text: array, at: 1}
		for w.more(']') {
			n := valueEnd(w.text[w.at:])
			if !yield(w.text[w.at:w.at+n]) || n == 0 {
				return
			}
			w.at += n
		}
	}
}
