package planfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/xrash/smetrics"
)

// A Document is a file that has been read, with its positions. It is YAML or JSON, read by the rules of plans.
type Document struct {
	src        []byte
	name, noun string
	root       item
	values     int // of the file, aliases counted in full
	faults     []*Error
}

// maxReported bounds the reported faults of a document. People who edit a file need all of them, but the faults of a
// plan that a program has written are alike.
const maxReported = 40

// Decode reads a file of a noun, such as "rule file", into a struct with the tag plan on its fields. Its errors are
// like those of the function Read. The caller can add faults to the document with Fail.
func Decode(src []byte, name, noun string, into any) (*Document, error) {
	if len(src) > maxBytes {
		return nil, &Error{File: name, Message: fmt.Sprintf("the file is larger than %d MiB, more than a %s may have: "+
			"give one value instead of a list of equal ones", maxBytes>>20, noun)}
	}
	d, err := open(src, name, noun)
	if err != nil {
		return nil, err
	}
	switch d.root.kind {
	case mapping:
		v := reflect.ValueOf(into).Elem()
		f := Describe(v.Type())
		f.preset(v)
		d.mapping(&d.root, v, f, nil)
	case null:
		d.add(&d.root, nil, fmt.Sprintf("the file has no %s: it is empty", noun))
	}
	return d, d.Err()
}

// open parses a file. A root that is neither a mapping nor null is a fault of the document.
func open(src []byte, name, noun string) (d *Document, err error) {
	src = bytes.TrimPrefix(src, []byte("\xEF\xBB\xBF")) // the byte order mark
	d = &Document{src: src, name: name, noun: noun}
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case *Error:
			err = fault
		default: // goccy/go-yaml may panic on hostile input
			err = &Error{File: name, Message: fmt.Sprintf(
				"the YAML parser failed on this file (%v): write it more plainly, or as JSON", fault)}
		}
	}()
	if d.root = d.parse(); d.root.kind != mapping && d.root.kind != null {
		d.add(&d.root, nil, fmt.Sprintf("this is %s: a %s is a mapping", d.root.kind, noun))
	}
	return d, nil
}

// full reports whether there are more faults than can be reported.
func (d *Document) full() bool { return len(d.faults) > maxReported }

// add adds a fault of the value at a path.
func (d *Document) add(it *item, path []string, why string) {
	d.faults = append(d.faults,
		&Error{File: d.name, Line: it.line, Column: it.col, Field: pathString(path), Message: why})
}

// find returns the value at a path of keys and indices. Steps that the file does not have are left out, as those of
// the path that find returns.
func (d *Document) find(path []string) (at *item, found []string) {
	at = &d.root
	for _, step := range path {
		if next := at.part(step); next != nil {
			at, found = next, append(found, step)
		}
	}
	return at, found
}

// Fail adds a fault of the value at a path of keys and indices, or of the nearest existing value.
func (d *Document) Fail(path []string, why string) { d.report(path, errors.New(why)) }

// report adds an error at a path.
func (d *Document) report(path []string, err error) {
	at, found := d.find(path)
	d.add(at, found, strings.TrimPrefix(err.Error(), "dag: "))
	d.faults[len(d.faults)-1].Err = err
}

// Err returns the document's faults in the order of the file, or nil.
func (d *Document) Err() error {
	slices.SortStableFunc(d.faults, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var errs []error
	for i, e := range d.faults {
		if i == maxReported {
			errs = append(errs, &Error{File: d.name, Message: "and more"})
			break
		}
		e.Excerpt = excerpt(d.src, place{e.Line, e.Column})
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

var indices = regexp.MustCompile(`\.([0-9]+)\b`)

// pathString formats a path as jobs[0].map.cost[3].
func pathString(path []string) string {
	return indices.ReplaceAllString(strings.Join(path, "."), "[$1]")
}

// A Field is a field of a file with one flat mapping.
type Field struct {
	Name   string
	Line   int      // from 1
	Values []string // as in the file: the items of a list, or one value
}

// Fields reads a file that maps names to scalars or lists of scalars, in its order and with the bounds of a plan
// file. noun is the kind of file in error messages. A file with only comments has no fields. Errors are one *Error or
// several, joined.
func Fields(src []byte, name, noun string) ([]Field, error) {
	d, err := open(src, name, noun)
	if err != nil {
		return nil, err
	}
	var fields []Field
	for key, value := range d.root.fields() {
		f := Field{Name: key.text, Line: key.line}
		values := []item{*value}
		if value.kind == list {
			values = value.parts
		}
		for _, one := range values {
			if one.kind == null || one.kind >= list {
				d.add(&one, []string{f.Name}, fmt.Sprintf("%s is %s here: give a value, or a list of values", f.Name,
					one.kind))
			}
			f.Values = append(f.Values, one.text)
		}
		fields = append(fields, f)
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	return fields, nil
}

// An Error is a fault of a plan file, with its position.
type Error struct {
	File         string
	Line, Column int    // from 1; columns count characters. 0: the file as a whole
	Field        string // such as jobs[0].map.cost; "" for syntax errors
	Message      string
	Excerpt      string // the previous line, the line, and a caret; "" without a position
	Err          error  // the fault of the plan, e.g. a *dag.CycleError; may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": " + e.Message)
	if e.Excerpt != "" {
		b.WriteString("\n" + e.Excerpt)
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// shownWidth is the length of a line's part in an excerpt.
const shownWidth = 100

// excerpt returns a line with a caret under a column, and the line before it. Lines end with \n, \r\n or \r.
func excerpt(src []byte, at place) string {
	if at.line < 1 {
		return ""
	}
	var before, here []byte
	rest := src
	for range at.line {
		end := bytes.IndexAny(rest, "\r\n")
		if end < 0 {
			end = len(rest)
		}
		before, here = here, rest[:end]
		rest = bytes.TrimPrefix(bytes.TrimPrefix(rest[end:], []byte("\r")), []byte("\n"))
	}
	var b strings.Builder
	if at.line > 1 {
		shown, _ := window(before, 1)
		fmt.Fprintf(&b, "  %4d | %s\n", at.line-1, shown)
	}
	shown, caret := window(here, at.col)
	fmt.Fprintf(&b, "> %4d | %s\n       | %s^", at.line, shown, strings.Repeat(" ", caret))
	return b.String()
}

// window cuts a line to the part around a column and makes it printable. caret is the column's index in the part,
// from 0.
func window(line []byte, col int) (shown string, caret int) {
	const most = shownWidth + 20
	before, after := "", ""
	caret = col - 1
	runes := []rune(string(line[:min(len(line), (col+most)*utf8.UTFMax)]))
	if from := col - 1 - shownWidth/2; len(line) > most && from > 0 {
		before, caret = "… ", shownWidth/2+2
		runes = runes[min(from, len(runes)):]
	}
	if len(runes) > most {
		runes, after = runes[:most], " …"
	}
	shown = strings.TrimRight(before+strings.Map(safe, string(runes))+after, " ")
	return shown, min(caret, len(runes)+len(before))
}

func safe(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case !unicode.IsPrint(r):
		return '·'
	}
	return r
}

func printable(s string) string { return strings.Map(safe, strings.ReplaceAll(s, "\t", `\t`)) }

// quote quotes and shortens a text of a file, so that it cannot send commands to a terminal.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.Quote(strings.ToValidUTF8(s[:most], "")+"…") + fmt.Sprintf(" (%d bytes)", len(s))
	}
	return strconv.Quote(s)
}

// unknownField returns the message for an unknown field at a path, and the field that it probably stands for.
func unknownField(name string, path, known []string) (why, meant string) {
	slices.Sort(known)
	why = "unknown field " + quote(name)
	if len(path) > 0 {
		why += " in " + pathString(path)
	}
	if meant = Nearest(name, known); meant != "" {
		return fmt.Sprintf("%s; did you mean %s?", why, quote(meant)), meant
	}
	return fmt.Sprintf("%s; known here: %s", why, strings.Join(known, ", ")), ""
}

// similar is the least similarity between a misspelt name and a suggestion.
const similar = 0.8

// Nearest returns the most similar candidate for a misspelt name, or "" if none is similar.
func Nearest(name string, candidates []string) string {
	best, most := "", similar
	plain := func(s string) string { return strings.ToLower(s[:min(len(s), 100)]) }
	for _, c := range candidates {
		// The measure of Jaro and Winkler for names: at most 4 equal letters at the beginning raise it.
		if s := smetrics.JaroWinkler(plain(name), plain(c), 0.7, 4); s > most {
			best, most = c, s
		}
	}
	return best
}
