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
// the words for false and true), needs (fields that must stand beside it), without (fields that must not stand beside
// it, and beside explains that), unless (required, if that field is not given), title (what messages say that it must
// be), item (the same for the items of a list) and itemmax.
type field struct {
	name  string
	index []int
	typ   reflect.Type
	tag   reflect.StructTag

	required, null, optional, single, time, ms, mb bool

	words          []string // all valid values
	pattern        *regexp.Regexp
	low, high      float64
	title          string // what the field must be
	form           form
	item           *field // of a list
	needs, without []string
	beside         string
}

// titles and besides are tags that would make too long a line, by the field's name.
var (
	titles = map[string]string{
		"policy": "fifo (map slots and reduce slots), yarn (containers by memory), executors (cores), " +
			"or a mapping of slots and order",
		"slots":       "separate (map slots and reduce slots) or containers (by memory)",
		"order":       "a list of some of submit, priority, size, remaining and running, each once",
		"mode":        "fifo (the earlier stage first) or fair (stages share the cores of the pool)",
		"input_sizes": "a list of at most 10000 numbers of records",
		"stages":      "a list of at least one stage",
	}
	besides = map[string]string{
		"stages": "stages",
		"reduce": "copy and reduce, where records and cost stand",
		"keys":   "keys, which say it",
	}
)

var fieldsByType sync.Map // the fields of a struct, by its type

func fieldsOf(t reflect.Type) []*field {
	if known, ok := fieldsByType.Load(t); ok {
		return known.([]*field)
	}
	var fields []*field
	for _, f := range reflect.VisibleFields(t) {
		if tag := f.Tag.Get("plan"); tag != "" {
			fields = append(fields, fieldOf(f))
		}
	}
	fieldsByType.Store(t, fields)
	return fields
}

func fieldOf(s reflect.StructField) *field {
	options := strings.Split(s.Tag.Get("plan"), ",")
	f := &field{name: options[0], index: s.Index, typ: s.Type, tag: s.Tag}
	for name, option := range map[string]*bool{
		"required": &f.required, "null": &f.null, "optional": &f.optional, "single": &f.single,
		"time": &f.time, "ms": &f.ms, "MB": &f.mb,
	} {
		*option = slices.Contains(options[1:], name)
	}
	f.needs, f.without = split(s.Tag.Get("needs")), split(s.Tag.Get("without"))
	f.words = wordsOf(s.Type)
	if f.words == nil {
		f.words = split(s.Tag.Get("words"))
	}
	if p := s.Tag.Get("pattern"); p != "" {
		f.pattern = regexp.MustCompile(p)
	}
	f.low, f.high = f.bound("min", f.bound("above", 0)), f.bound("max", math.Inf(1))
	if s.Type.Kind() == reflect.Int {
		f.high = f.bound("max", dag.MaxTasks)
	}
	f.title = cmp.Or(s.Tag.Get("title"), titles[f.name])
	f.beside = cmp.Or(s.Tag.Get("beside"), besides[f.name])
	if kind := s.Type.Kind(); kind == reflect.Slice || kind == reflect.Map {
		tag := reflect.StructTag(fmt.Sprintf("title:%q max:%q length:%q", s.Tag.Get("item"), s.Tag.Get("itemmax"),
			s.Tag.Get("length")))
		f.item = fieldOf(reflect.StructField{Name: s.Name, Type: s.Type.Elem(), Tag: tag})
		f.item.name = strings.TrimSuffix(f.name, "s")
		f.item.describe("a mapping that describes a ")
		f.words = f.item.words
	}
	if f.name != "" {
		f.describe("a mapping that describes the ")
	}
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

// describe sets the form and the title of a field. aMapping begins the title of a mapping.
func (f *field) describe(aMapping string) {
	if f.typ.Kind() == reflect.Pointer {
		of := *f
		of.typ = f.typ.Elem()
		of.describe(aMapping)
		f.title = of.title
		return
	}
	f.form = f.formOf()
	title, _ := f.form.schema["title"].(string)
	low, high := f.tag.Get("min"), f.tag.Get("max")
	switch {
	case title != "":
	case f.typ.Kind() == reflect.Slice && len(f.words) > 0:
		title = sentence(f.words, "or") + ", or a list of these"
	case f.typ.Kind() == reflect.Slice && low != "":
		title = fmt.Sprintf("a list of %s to %s %s", low, high, f.name)
	case f.typ.Kind() == reflect.Slice && high != "":
		title = fmt.Sprintf("a list of at most %s %s", high, f.name)
	case f.typ.Kind() == reflect.Slice:
		title = "a list of names"
	case f.typ.Kind() == reflect.Struct:
		title = aMapping + f.name
		if names := namesOf(fieldsOf(f.typ)); len(names) <= 6 && !slices.Contains(names, "name") {
			title = "a mapping of " + sentence(names, "and")
		}
	}
	f.title = cmp.Or(f.title, title)
}

func namesOf(fields []*field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// preset gives the fields of a struct their values for a file without them.
func preset(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	for _, f := range fieldsOf(v.Type()) {
		to := v.FieldByIndex(f.index)
		word := f.tag.Get("default")
		switch kind := to.Kind(); {
		case kind == reflect.Struct:
			preset(to)
		case word != "" && kind == reflect.Uint8:
			to.SetUint(uint64(slices.Index(f.words, word)))
		case word != "" && kind == reflect.Int:
			to.SetInt(int64(f.bound("default", 0)))
		case word != "":
			to.SetFloat(f.bound("default", 0))
		case kind == reflect.Int && (f.optional || f.null):
			to.SetInt(-1)
		case kind == reflect.Float64 && f.optional:
			to.SetFloat(math.NaN())
		}
	}
}
