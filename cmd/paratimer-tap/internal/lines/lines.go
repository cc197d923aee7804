// Package lines splits a byte stream into the records that Hadoop Streaming sees. It keeps at most 64 KiB of a line,
// even of a line of a gigabyte.
package lines

import "bytes"

// Most is how much is kept of a line, in bytes. A key that is longer counts as its beginning.
const Most = 64 << 10

// Format describes how a line is a record.
type Format struct {
	Separator []byte // between fields; not empty
	Fields    int    // number of fields of the key, including the separators between them; below 1 means 1
	// Return reports whether a line may also end with "\r" or "\r\n", as Hadoop reads a command's output. Hadoop
	// itself writes only "\n".
	Return bool
}

// Split returns the end of a line's key, and the length of its value: -1 if the line has too few fields, so that all of
// it is the key. size is the line's size in bytes; line may be only its beginning.
func (f Format) Split(line []byte, size int64) (key, value int) {
	at := 0
	for field := 1; ; field++ {
		i := bytes.Index(line[at:], f.Separator)
		if i < 0 {
			return len(line), -1
		}
		at += i
		if field >= f.Fields {
			return at, int(size) - at - len(f.Separator)
		}
		at += len(f.Separator)
	}
}

// A Taker receives a line without its terminator: its first Most bytes, its size in bytes, and the position in the
// stream after its terminator, as far as that has been read. The line is valid only during the call.
type Taker func(line []byte, size, end int64)

// A Cutter splits one stream into lines.
type Cutter struct {
	format Format
	to     Taker
	fed    int64
	part   []byte // the beginning of an unfinished line, at most Most bytes
	size   int64  // of the unfinished line
	// A "\r" ended a line at the end of the last piece. A "\n" that follows belongs to it.
	returned bool
}

// New returns a cutter at the beginning of a stream.
func New(f Format, to Taker) *Cutter { return &Cutter{format: f, to: to} }

// Fed returns the number of bytes processed.
func (c *Cutter) Fed() int64 { return c.fed }

// Feed passes on the lines that end in the next piece of the stream.
func (c *Cutter) Feed(piece []byte) {
	at := 0
	if c.returned && len(piece) > 0 {
		c.returned = false
		if piece[0] == '\n' {
			at = 1
		}
	}
	// back is the position of the next "\r". It is not searched again for each line.
	back := -1
	if c.format.Return {
		back = index(piece, at, '\r')
	}
	for at < len(piece) {
		end := index(piece, at, '\n')
		next := end + 1
		if back >= 0 && (end < 0 || back < end) {
			end, next = back, back+1
			switch {
			case next == len(piece):
				c.returned = true
			case piece[next] == '\n':
				next++
			}
			back = index(piece, next, '\r')
		}
		if end < 0 {
			c.keep(piece[at:])
			break
		}
		if line := piece[at:end]; c.size > 0 || len(line) > Most {
			c.keep(line)
			c.finish(c.fed + int64(next))
		} else {
			c.to(line, int64(len(line)), c.fed+int64(next))
		}
		at = next
	}
	c.fed += int64(len(piece))
}

// End passes on the unfinished last line. Do not use the cutter afterwards.
func (c *Cutter) End() {
	if c.size > 0 {
		c.finish(c.fed)
	}
}

// keep appends to the unfinished line.
func (c *Cutter) keep(piece []byte) {
	c.size += int64(len(piece))
	c.part = append(c.part, piece[:min(len(piece), Most-len(c.part))]...)
}

func (c *Cutter) finish(end int64) {
	c.to(c.part, c.size, end)
	c.part, c.size = c.part[:0], 0
}

func index(b []byte, from int, c byte) int {
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return -1
}
