package planfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// A jsonWalk walks through a file in JSON by its tokens.
type jsonWalk struct {
	*cursor
	src  []byte
	dec  *json.Decoder
	done int // bytes consumed
	// place counts lines from its last position, so that a file is only scanned once.
	at, line, start int
}

func newJSON(c *cursor, src []byte) *jsonWalk {
	w := &jsonWalk{cursor: c, src: src, dec: json.NewDecoder(bytes.NewReader(src)), line: 1}
	w.dec.UseNumber()
	return w
}

func (w *jsonWalk) walk(visit func(root item)) {
	root := w.value(1)
	if w.bad == nil {
		visit(root)
		root.drain()
	}
	w.skip()
	if line, col := w.place(w.done); w.done < len(w.src) {
		w.fail(line, col, "there is more after the end of the "+w.noun)
	}
}

// place returns the line and column of an offset. Offsets must not decrease.
func (w *jsonWalk) place(offset int) (line, col int) {
	for w.at < offset && w.at < len(w.src) {
		if w.src[w.at] == '\n' {
			w.line, w.start = w.line+1, w.at+1
		}
		w.at++
	}
	if offset-w.start > 4096 { // for a very long line, columns count bytes
		return w.line, offset - w.start + 1
	}
	return w.line, utf8.RuneCount(w.src[w.start:offset]) + 1
}

// skip moves past white space and separators to the next token.
func (w *jsonWalk) skip() {
	for w.done < len(w.src) && bytes.IndexByte([]byte(" \t\r\n,:"), w.src[w.done]) >= 0 {
		w.done++
	}
}

func (w *jsonWalk) token() (tok json.Token, line, col int) {
	w.skip()
	line, col = w.place(w.done)
	tok, err := w.dec.Token()
	var s *json.SyntaxError
	switch {
	case err == nil:
		w.done = int(w.dec.InputOffset())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		line, col = w.place(len(w.src))
		w.fail(line, col, "the file ends in the middle of a value")
	case errors.As(err, &s):
		line, col = w.place(max(w.done, int(s.Offset)-1))
		fallthrough
	default:
		w.fail(line, col, err.Error())
	}
	return tok, line, col
}

func (w *jsonWalk) value(depth int) item {
	tok, line, col := w.token()
	switch v := tok.(type) {
	case bool:
		return w.item(boolean, line, col, strconv.FormatBool(v))
	case string:
		return w.item(text, line, col, v)
	case json.Number:
		return w.number(line, col, string(v))
	case json.Delim:
		switch v {
		case '{':
			return w.composite(mapping, line, col, depth, false, func(yield func(key, value item)) {
				keys := map[string]int{}
				for w.bad == nil && w.dec.More() {
					tok, line, col := w.token()
					key, _ := tok.(string) // the decoder accepts no other keys
					name := w.item(text, line, col, key)
					w.given(keys, name)
					yield(name, w.value(depth+1))
				}
				w.close()
			})
		case '[':
			return w.composite(list, line, col, depth, !w.dec.More(), func(yield func(key, value item)) {
				for w.bad == nil && w.dec.More() {
					yield(item{}, w.value(depth+1))
				}
				w.close()
			})
		}
		w.fail(line, col, fmt.Sprintf("%v is out of place", v))
	}
	return w.item(null, line, col, "null")
}

func (w *jsonWalk) close() {
	if w.bad == nil {
		w.token()
	}
}
