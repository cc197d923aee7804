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

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
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

// A Spec is a field of a file: a field of a struct with the tag plan. The tag has the field's name and options:
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
// the words for false and true, of a struct those that its first field has in place of a mapping), fields (of a stage:
// a key of stageFields), without (fields that must not stand beside it), unless (required, if that field is not given),
// title (what it must be, for messages), item (the same for the items of a list) and itemmax.
type Spec struct {
	Name      string
	Type      reflect.Type // of a pointer, its element's
	Tag       reflect.StructTag
	Words     []string // all valid values
	Pattern   *regexp.Regexp
	Low, High float64
	Title     string  // what the field must be
	Item      *Spec   // of a list or map
	Fields    []*Spec // of a struct
	Without   []string

	index   []int
	options []string
	form    form // of a scalar
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
	"stages": "name,title,after,edge,slow_start,full_start,tasks,records,cost,memory,cores,max_running,pool,setup,out," +
		"bytes,extent,pause",
}

// Describe returns a field that describes a whole file, which Decode reads into a type.
func Describe(t reflect.Type) *Spec { return fieldOf(reflect.StructField{Type: t}, "") }

// fieldOf returns a field of a file. aMapping is the title of a mapping.
func fieldOf(s reflect.StructField, aMapping string) *Spec {
	options := strings.Split(s.Tag.Get("plan"), ",")
	f := &Spec{
		Name: options[0], Type: s.Type, Tag: s.Tag, Words: wordsOf(s.Type), Without: split(s.Tag.Get("without")),
		index: s.Index, options: options[1:],
	}
	if s.Type.Kind() == reflect.Pointer {
		f.Type = s.Type.Elem()
	}
	if f.Words == nil {
		f.Words = split(s.Tag.Get("words"))
	}
	if p := s.Tag.Get("pattern"); p != "" {
		f.Pattern = regexp.MustCompile(p)
	}
	f.Low, f.High = f.bound("min", f.bound("above", 0)), f.bound("max", math.Inf(1))
	if f.Type.Kind() == reflect.Int {
		f.High = f.bound("max", dag.MaxTasks)
	}
	kind := f.Type.Kind()
	switch f.form = f.formOf(); {
	case f.form.read != nil:
	case kind == reflect.Slice || kind == reflect.Map:
		tag := reflect.StructTag(fmt.Sprintf("title:%q max:%q length:%q fields:%q", s.Tag.Get("item"),
			s.Tag.Get("itemmax"), s.Tag.Get("length"), s.Tag.Get("fields")))
		f.Item = fieldOf(reflect.StructField{Type: f.Type.Elem(), Tag: tag},
			"a mapping that describes a "+strings.TrimSuffix(f.Name, "s"))
		f.Words = f.Item.Words
	case kind == reflect.Struct:
		only := split(stageFields[s.Tag.Get("fields")])
		for _, part := range reflect.VisibleFields(f.Type) {
			name, _, _ := strings.Cut(part.Tag.Get("plan"), ",")
			if name != "" && (only == nil || slices.Contains(only, name)) {
				f.Fields = append(f.Fields, fieldOf(part, "a mapping that describes the "+name))
			}
		}
	}
	f.Title = cmp.Or(s.Tag.Get("title"), titles[f.Name], f.form.title, f.titleOf(aMapping))
	return f
}

// Is reports whether the field has an option.
func (f *Spec) Is(option string) bool { return slices.Contains(f.options, option) }

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func (f *Spec) bound(tag string, otherwise float64) float64 {
	if v, err := strconv.ParseFloat(f.Tag.Get(tag), 64); err == nil {
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

// titleOf describes the values of a list or mapping.
func (f *Spec) titleOf(aMapping string) string {
	low, high := f.Tag.Get("min"), f.Tag.Get("max")
	names := f.names()
	switch {
	case f.Fields != nil && len(names) <= 6 && !slices.Contains(names, "name"):
		return "a mapping of " + sentence(names, "and")
	case f.Fields != nil:
		return aMapping
	case len(f.Words) > 0:
		return sentence(f.Words, "or") + ", or a list of these"
	case low != "":
		return fmt.Sprintf("a list of %s to %s %s", low, high, f.Name)
	case high != "":
		return fmt.Sprintf("a list of at most %s %s", high, f.Name)
	}
	return "a list of names"
}

// names returns the names of the fields of a struct.
func (f *Spec) names() []string {
	return units.Each(f.Fields, func(part *Spec) string { return part.Name })
}

// sentence lists words as a sentence does.
func sentence(words []string, last string) string {
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// preset gives the fields of a struct their values for a file without them.
func (f *Spec) preset(v reflect.Value) {
	for _, part := range f.Fields {
		to, kind := v.FieldByIndex(part.index), part.Type.Kind()
		switch word := part.Tag.Get("default"); {
		case to.Kind() == reflect.Struct:
			part.preset(to)
		case word != "" && kind == reflect.Uint8:
			to.SetUint(uint64(slices.Index(part.Words, word))) //nolint:gosec // a test reads each default
		case word != "":
			part.form.read(&item{kind: number, text: word}, to)
		case kind == reflect.Int && (part.Is("optional") || part.Is("null")):
			to.SetInt(-1)
		case kind == reflect.Float64 && part.Is("optional"):
			to.SetFloat(math.NaN())
		}
	}
}
