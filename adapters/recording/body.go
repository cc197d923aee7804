package recording

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
)

// A body is the text of a response. Long texts (task lists, configurations) are compressed, because an hour of a wide
// job is half a gigabyte.
type body struct {
	text string
	zip  string // compressed, if text is ""
}

// packFrom is the length from which a body is compressed.
const packFrom = 16 << 10

func pack(text string) body {
	if len(text) < packFrom {
		return body{text: strings.Clone(text)}
	}
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err == nil {
		_, err = io.WriteString(z, text)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil || b.Len() >= len(text) {
		return body{text: text}
	}
	return body{zip: b.String()}
}

func (b body) String() string {
	if b.zip == "" {
		return b.text
	}
	var out strings.Builder
	// The data comes from pack, so it is valid.
	_, _ = io.Copy(&out, flate.NewReader(strings.NewReader(b.zip)))
	return out.String()
}

// size returns the bytes that the body uses in memory.
func (b body) size() int { return len(b.text) + len(b.zip) }
