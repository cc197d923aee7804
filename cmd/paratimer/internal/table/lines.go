package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
)

// A record has a line's fields.
type record struct {
	line   int
	fields []field
}

// A field is a cleaned text without its quotes and surrounding spaces, with the column where it begins, from 1.
type field struct {
	text string
	col  int
}

// lines reads records. comma separates the fields, 0 before it is known.
type lines struct {
	in    *bufio.Reader
	file  string
	line  int
	read  int64
	comma byte

	csv    *csv.Reader // nil before comma is known
	source strings.Reader
}

// start reads up to the first record. head is the last comment before it, parsed as a record, or nil.
func (l *lines) start() (first record, head *record, err error) {
	var comment string
	var commentAt int
	for {
		text, err := l.text()
		switch {
		case errors.Is(err, io.EOF):
			return first, nil, &Error{File: l.file, Why: "there is no row"}
		case err != nil:
			return first, nil, err
		case strings.TrimSpace(text) == "":
			continue
		case isComment(text):
			comment, commentAt = strings.Replace(text, "#", " ", 1), l.line
			continue
		}
		l.comma = separator(text)
		if first, err = l.split(text, l.line); err != nil {
			return first, nil, err
		}
		if comment != "" {
			if h, err := l.split(comment, commentAt); err == nil { // otherwise it is only a comment
				head = &h
			}
		}
		return first, head, nil
	}
}

// next reads a record, and returns io.EOF after the last one.
func (l *lines) next() (record, error) {
	for {
		text, err := l.text()
		if err != nil {
			return record{}, err
		}
		if strings.TrimSpace(text) != "" && !isComment(text) {
			return l.split(text, l.line)
		}
	}
}

func isComment(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "#") }

// text reads a line without its end.
func (l *lines) text() (string, error) {
	l.line++
	var long []byte
	for {
		part, err := l.in.ReadSlice('\n')
		long = append(long, part...)
		if l.read += int64(len(part)); l.read > maxBytes {
			return "", &Error{File: l.file, Line: l.line, Why: "the file is too large for a table of runs"}
		}
		switch {
		case len(long) > maxLine:
			return "", &Error{File: l.file, Line: l.line, Why: "the line is too long for a table of runs"}
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(long) == 0:
			return "", io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return "", &Error{File: l.file, Line: l.line, Why: "it cannot be read: " + err.Error(), Err: err}
		}
		break
	}
	if l.line == 1 {
		long = bytes.TrimPrefix(long, []byte("\xef\xbb\xbf"))
	}
	switch {
	case bytes.IndexByte(long, 0) >= 0:
		return "", &Error{File: l.file, Line: l.line, Why: "this is not text in UTF-8: save it as CSV in UTF-8"}
	case !utf8.Valid(long):
		long = bytes.ToValidUTF8(long, []byte("\uFFFD")) // a name in another encoding is still a name
	}
	text := strings.TrimRight(string(long), " \r\n")
	if strings.Contains(text, "\r") {
		return "", &Error{
			File: l.file, Line: l.line,
			Why: "lines end with carriage returns alone: save it with line feeds",
		}
	}
	return text, nil
}

// separator returns the separator of a line's fields: a tab, else a semicolon, else a comma, because commas may be
// part of a field. A tab after another separator counts as a space.
func separator(text string) byte {
	quoted := false
	var seen [3]bool
	for i := range len(text) {
		if text[i] == '"' {
			quoted = !quoted
		}
		at := strings.IndexByte("\t;,", text[i])
		if at < 0 || quoted || at == 0 && i > 0 && strings.IndexByte(";, ", text[i-1]) >= 0 {
			continue
		}
		seen[at] = true
	}
	for i, s := range seen {
		if s {
			return "\t;,"[i]
		}
	}
	return ','
}

// split splits a line into fields. encoding/csv rejects blanks after a closing quote, and quotes within an unquoted
// field. In these cases split parses the line in parts.
func (l *lines) split(text string, line int) (record, error) {
	r := record{line: line}
	for from := 0; from <= len(text); {
		end, rest := len(text), ""
		fields, err := l.parse(text[from:])
		if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
			stop := min(from+bad.Column, len(text))
			blanks := strings.Trim(" \t", string(rune(l.comma)))
			switch behind := strings.TrimLeft(text[stop:], blanks); {
			case errors.Is(err, csv.ErrBareQuote):
				stop--
				if n := strings.IndexByte(text[stop:], l.comma); n >= 0 {
					end = stop + n
				}
				rest = text[stop:end]
			case stop == len(text):
				fields, _ = l.parse(text[from:] + `"`)
				_, col := l.csv.FieldPos(len(fields) - 1)
				at, why := column(text, from+col-1), "the quote is not closed on its line"
				return r, &Error{File: l.file, Line: line, Col: at, Why: why}
			case behind != "" && behind[0] != l.comma:
				at, why := column(text, stop), "there is something behind the closing quote"
				return r, &Error{File: l.file, Line: line, Col: at, Why: why}
			default:
				end -= len(behind)
			}
			fields, _ = l.parse(text[from:stop])
			fields[len(fields)-1] += rest
		}
		for i, f := range fields {
			_, col := l.csv.FieldPos(i)
			r.fields = append(r.fields, field{text: dag.Clean(strings.TrimSpace(f)), col: column(text, from+col-1)})
		}
		from = end + 1
	}
	return r, nil
}

// parse parses the fields of a part of a line. The source ends with it, so no quote can extend to the next line.
func (l *lines) parse(part string) ([]string, error) {
	if part == "" {
		part = `""` // encoding/csv skips empty lines
	}
	if l.csv == nil {
		l.csv = csv.NewReader(&l.source)
		l.csv.Comma, l.csv.FieldsPerRecord, l.csv.ReuseRecord = rune(l.comma), -1, true
		l.csv.TrimLeadingSpace = l.comma != '\t'
	}
	l.source.Reset(part)
	return l.csv.Read()
}

// column returns a column in characters, from 1.
func column(text string, at int) int { return utf8.RuneCountInString(text[:at]) + 1 }
