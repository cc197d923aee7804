package planfile

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/dag"
)

// A field is a field of a file: a field of a struct with the tag plan. The tag has the field's name and options:
//
//	required  it must be given
//	null      it may be null, as if it were not given; an int is then -1
//	optional  not given differs from 0: an int is -1, a float64 NaN
//	single    a list of one item may be written as the item
//	time      a string is a time as the file writes it, or a number
//	ms        a float64 or the values of a Series are times in milliseconds
//	MB        an int is an amount of memory in megabytes
//
// More tags bound and describe it: default, min and max (of a number, or of the items of a list), above (a minimum
// that is excluded), length (of a string: its bounds), pattern (of a string), words (of a string its values, of a bool
// the words for false and true), fields (of a stage: a key of stageFields), without (fields that must not stand
// beside it), unless (required, if that field is not given), title (what messages say that it must be), item (the same
// for the items of a list) and itemmax.
type field struct {
	name  string
	index []int
	typ   reflect.Type // of a pointer, its element's
	tag   reflect.StructTag
	is    map[string]bool // options

	words     []string // all valid values
	pattern   *regexp.Regexp
	low, high float64
	title     string // what the field must be
	form      form
	item      *field   // of a list or map
	fields    []*field // of a struct
	without   []string
}

// titles are tags that would make too long a line, by the field's name.
var titles = map[string]string{
	"policy": "fifo (map slots and reduce slots), yarn (containers by memory), executors (cores), " +
		"or a mapping of slots and order",
	"slots":       "separate (map slots and reduce slots) or containers (by memory)",
	"order":       "a list of some of submit, priority, size, remaining and running, each once",
	"mode":        "fifo (the earlier stage first) or fair (stages share the cores of the pool)",
	"input_sizes": "a list of at most 10000 numbers of records",
	"stages":      "a list of at least one stage",
}

// stageFields are the fields of a stage by its place in a file: the tag fields.
var stageFields = map[string]string{
	"map":    "tasks,records,cost,setup,out,bytes,extent",
	"reduce": "tasks,records,cost,copy,sort,reduce,setup,out,bytes,extent,groups,keys",
	"stages": "name,after,edge,slow_start,full_start,tasks,records,cost,memory,cores,max_running,pool,setup,out,bytes," +
		"extent,pause",
}

var roots sync.Map // fields that describe whole files, by the type of their struct

// rootOf returns a field that describes a whole file.
func rootOf(t reflect.Type) *field {
	root, known := roots.Load(t)
	if !known {
		root, _ = roots.LoadOrStore(t, fieldOf(reflect.StructField{Type: t}, ""))
	}
	return root.(*field)
}

// fieldOf returns a field of a file. aMapping is the title of a mapping.
func fieldOf(s reflect.StructField, aMapping string) *field {
	name, options, _ := strings.Cut(s.Tag.Get("plan"), ",")
	f := &field{
		name: name, index: s.Index, typ: s.Type, tag: s.Tag, is: map[string]bool{}, without: split(s.Tag.Get("without")),
		words: wordsOf(s.Type),
	}
	for option := range strings.SplitSeq(options, ",") {
		f.is[option] = true
	}
	if s.Type.Kind() == reflect.Pointer {
		f.typ = s.Type.Elem()
	}
	if f.words == nil {
		f.words = split(s.Tag.Get("words"))
	}
	if p := s.Tag.Get("pattern"); p != "" {
		f.pattern = regexp.MustCompile(p)
	}
	f.low, f.high = f.bound("min", f.bound("above", 0)), f.bound("max", math.Inf(1))
	if f.typ.Kind() == reflect.Int {
		f.high = f.bound("max", dag.MaxTasks)
	}
	switch f.form = f.formOf(); {
	case f.form.schema != nil:
	case f.typ.Kind() == reflect.Slice || f.typ.Kind() == reflect.Map:
		tag := reflect.StructTag(fmt.Sprintf("title:%q max:%q length:%q fields:%q", s.Tag.Get("item"),
			s.Tag.Get("itemmax"), s.Tag.Get("length"), s.Tag.Get("fields")))
		f.item = fieldOf(reflect.StructField{Type: f.typ.Elem(), Tag: tag},
			"a mapping that describes a "+strings.TrimSuffix(f.name, "s"))
		f.words = f.item.words
	case f.typ.Kind() == reflect.Struct:
		only := split(stageFields[s.Tag.Get("fields")])
		for _, part := range reflect.VisibleFields(f.typ) {
			name, _, _ := strings.Cut(part.Tag.Get("plan"), ",")
			if name != "" && (only == nil || slices.Contains(only, name)) {
				f.fields = append(f.fields, fieldOf(part, "a mapping that describes the "+name))
			}
		}
	}
	f.title = cmp.Or(s.Tag.Get("title"), titles[f.name], f.titleOf(aMapping))
	return f
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func (f *field) bound(tag string, otherwise float64) float64 {
	if v, err := strconv.ParseFloat(f.tag.Get(tag), 64); err == nil {
		return v
	}
	return otherwise
}

// wordsOf returns the texts of a type of numbered words, from 0.
func wordsOf(t reflect.Type) (words []string) {
	if t.Kind() != reflect.Uint8 || !t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return nil
	}
	for v := reflect.New(t).Elem(); v.Uint() < math.MaxUint8; v.SetUint(v.Uint() + 1) {
		word, _ := v.Interface().(encoding.TextMarshaler).MarshalText()
		if reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText(word) != nil {
			break
		}
		words = append(words, string(word))
	}
	return words
}

// titleOf describes the field's values.
func (f *field) titleOf(aMapping string) string {
	low, high := f.tag.Get("min"), f.tag.Get("max")
	names := f.names()
	switch {
	case f.form.schema != nil:
		title, _ := f.form.schema["title"].(string)
		return title
	case f.fields != nil && len(names) <= 6 && !slices.Contains(names, "name"):
		return "a mapping of " + sentence(names, "and")
	case f.fields != nil:
		return aMapping
	case len(f.words) > 0:
		return sentence(f.words, "or") + ", or a list of these"
	case low != "":
		return fmt.Sprintf("a list of %s to %s %s", low, high, f.name)
	case high != "":
		return fmt.Sprintf("a list of at most %s %s", high, f.name)
	}
	return "a list of names"
}

// names returns the names of the fields of a struct.
func (f *field) names() []string {
	names := make([]string, len(f.fields))
	for i, part := range f.fields {
		names[i] = part.name
	}
	return names
}

// sentence lists words as a sentence does.
func sentence(words []string, last string) string {
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// preset gives the fields of a struct their values for a file without them.
func (f *field) preset(v reflect.Value) {
	for _, part := range f.fields {
		to := v.FieldByIndex(part.index)
		word := part.tag.Get("default")
		switch kind := to.Kind(); {
		case kind == reflect.Struct:
			part.preset(to)
		case kind == reflect.Uint8:
			to.SetUint(uint64(max(0, slices.Index(part.words, word))))
		case kind == reflect.Int && word == "" && (part.is["optional"] || part.is["null"]):
			to.SetInt(-1)
		case kind == reflect.Int:
			to.SetInt(int64(part.bound("default", 0)))
		case kind == reflect.Float64 && part.is["optional"]:
			to.SetFloat(math.NaN())
		case kind == reflect.Float64:
			to.SetFloat(part.bound("default", 0))
		}
	}
}
