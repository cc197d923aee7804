package planfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// parseJSON parses a file in JSON. parseYAML could too, but takes ten times the memory.
func parseJSON(src []byte, noun string) (*node, *syntax) {
	p := jsonParser{builder: builder{noun: noun}, src: src, dec: json.NewDecoder(bytes.NewReader(src)), line: 1}
	p.dec.UseNumber()
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.skip()
	if p.done < len(src) {
		line, col := p.place(p.done)
		return nil, &syntax{line, col, "there is more after the end of the " + noun}
	}
	return n, nil
}

type jsonParser struct {
	builder
	src  []byte
	dec  *json.Decoder
	done int // bytes consumed
	// place counts lines from its last position, so that a file is only scanned once.
	at, line, start int
}

// place returns the line and column of an offset. Offsets must not decrease.
func (p *jsonParser) place(offset int) (line, col int) {
	for p.at < offset && p.at < len(p.src) {
		if p.src[p.at] == '\n' {
			p.line, p.start = p.line+1, p.at+1
		}
		p.at++
	}
	if offset-p.start > 4096 { // for a very long line, columns count bytes
		return p.line, offset - p.start + 1
	}
	return p.line, utf8.RuneCount(p.src[p.start:offset]) + 1
}

// skip moves past white space and separators to the next token.
func (p *jsonParser) skip() {
	for p.done < len(p.src) && bytes.IndexByte([]byte(" \t\r\n,:"), p.src[p.done]) >= 0 {
		p.done++
	}
}

func (p *jsonParser) token() (tok json.Token, line, col int, bad *syntax) {
	p.skip()
	line, col = p.place(p.done)
	tok, err := p.dec.Token()
	if err != nil {
		var s *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			line, col = p.place(len(p.src))
			return nil, line, col, &syntax{line, col, "the file ends in the middle of a value"}
		case errors.As(err, &s):
			line, col = p.place(max(p.done, int(s.Offset)-1))
		}
		return nil, line, col, &syntax{line, col, err.Error()}
	}
	p.done = int(p.dec.InputOffset())
	return tok, line, col, nil
}

func (p *jsonParser) value(depth int) (*node, *syntax) {
	tok, line, col, bad := p.token()
	if bad != nil {
		return nil, bad
	}
	switch v := tok.(type) {
	case nil:
		return p.scalar(null, line, col, "null")
	case bool:
		return p.scalar(boolean, line, col, strconv.FormatBool(v))
	case string:
		return p.scalar(text, line, col, v)
	case json.Number:
		n, err := p.scalar(number, line, col, string(v))
		if err == nil {
			n.num, err = finite(string(v), line, col)
		}
		return n, err
	case json.Delim:
		if v != '{' && v != '[' {
			return nil, &syntax{line, col, fmt.Sprintf("%v is out of place", v)}
		}
		if depth >= maxDepth {
			return nil, tooDeep(line, col)
		}
		return p.composed(v, line, col, depth)
	}
	return nil, &syntax{line, col, fmt.Sprintf("%v is out of place", tok)}
}

func (p *jsonParser) composed(open json.Delim, line, col, depth int) (*node, *syntax) {
	var keys, items []*node
	for p.dec.More() {
		if open == '{' {
			tok, line, col, bad := p.token()
			if bad != nil {
				return nil, bad
			}
			key, bad := p.scalar(text, line, col, tok.(string)) // the decoder only accepts strings as keys
			if bad != nil {
				return nil, bad
			}
			keys = append(keys, key)
		}
		item, bad := p.value(depth + 1)
		if bad != nil {
			return nil, bad
		}
		items = append(items, item)
	}
	if _, _, _, bad := p.token(); bad != nil {
		return nil, bad
	}
	k := list
	if open == '{' {
		k = mapping
	}
	return p.composite(k, line, col, keys, items)
}

// finite parses a decimal number.
func finite(s string, line, col int) (float64, *syntax) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, &syntax{line, col, quote(s) + " is not a number that can be handled"}
	}
	return v, nil
}
