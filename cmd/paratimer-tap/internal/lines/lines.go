// Package lines splits a byte stream into the records that Hadoop Streaming sees. It keeps at most 64 KiB of a line,
// even of a line of a gigabyte.
package lines

import "bytes"

// Most is the longest line that is passed on as a whole, in bytes.
const Most = 64 << 10

// Format describes how a line is a record.
type Format struct {
	Separator []byte // between fields; not empty
	Fields    int    // number of fields of the key, including the separators between them; below 1 means 1
	// Return reports whether a line may also end with "\r" or "\r\n", as Hadoop reads a command's output. Hadoop
	// itself writes only "\n".
	Return bool
}

// KeyEnd returns the end of a line's key: the separator after its last field. If the line has fewer fields, the whole
// line is the key.
func (f Format) KeyEnd(line []byte) (end int, found bool) {
	at := 0
	for field := 1; ; field++ {
		i := bytes.Index(line[at:], f.Separator)
		if i < 0 {
			return len(line), false
		}
		if field >= f.Fields {
			return at + i, true
		}
		at += i + len(f.Separator)
	}
}

// A Taker receives the lines of a stream. end is the position after the line's end, including its terminator as far
// as it has been read. The arguments are valid only during the call.
type Taker interface {
	Line(line []byte, end int64) // without its terminator
	Long(record *Long, end int64)
}

// A Cutter splits one stream into lines.
type Cutter struct {
	format Format
	fed    int64
	part   []byte // the beginning of an unfinished line, at most Most bytes
	long   *Long  // an unfinished line that is longer than that, or nil
	open   bool   // part or long contains an unfinished line
	// A "\r" ended a line at the end of the last piece. A "\n" that follows belongs to it.
	returned bool
}

// New returns a cutter at the beginning of a stream.
func New(f Format) *Cutter { return &Cutter{format: f} }

// Fed returns the number of bytes processed.
func (c *Cutter) Fed() int64 { return c.fed }

// Feed passes on the lines that end in the next piece of the stream.
func (c *Cutter) Feed(piece []byte, to Taker) {
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
		if c.open {
			c.keep(piece[at:end])
			c.finish(to, c.fed+int64(next))
		} else {
			to.Line(piece[at:end], c.fed+int64(next))
		}
		at = next
	}
	c.fed += int64(len(piece))
}

// End passes on the unfinished last line. Do not use the cutter afterwards.
func (c *Cutter) End(to Taker) {
	if c.open {
		c.finish(to, c.fed)
	}
}

// keep appends to the unfinished line.
func (c *Cutter) keep(piece []byte) {
	c.open = c.open || len(piece) > 0
	if c.long == nil {
		if len(c.part)+len(piece) <= Most {
			c.part = append(c.part, piece...)
			return
		}
		c.long = newLong(c.format)
		c.long.add(c.part)
		c.part = c.part[:0]
	}
	c.long.add(piece)
}

func (c *Cutter) finish(to Taker, end int64) {
	if c.long != nil {
		c.long.end()
		to.Long(c.long, end)
		c.long = nil
	} else {
		to.Line(c.part, end)
	}
	c.part, c.open = c.part[:0], false
}

func index(b []byte, from int, c byte) int {
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return -1
}
