// Package lines cuts a stream of bytes into the records that Hadoop Streaming sees in it. It keeps little of a line:
// one of a gigabyte costs no more memory than one of 64 KiB.
package lines

import "bytes"

// Most is how long a line may be to be handed over as a whole, in bytes.
const Most = 64 << 10

// Format says how a line is a record.
type Format struct {
	Separator []byte // between fields; not empty
	Fields    int    // of the key, the separators between them included; below 1 is 1
	// Return says that a line may end with "\r" and "\r\n" too, as Hadoop reads what a command writes. What Hadoop
	// itself writes ends with "\n" alone.
	Return bool
}

// KeyEnd is where the key of a line ends: before the separator that follows its last field. A line that has fewer
// fields is all key.
func (f Format) KeyEnd(line []byte) (end int, found bool) {
	if len(f.Separator) == 1 && f.Fields <= 1 {
		if i := bytes.IndexByte(line, f.Separator[0]); i >= 0 {
			return i, true
		}
		return len(line), false
	}
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

// A Taker takes the lines of a stream. end is how many bytes of the stream there are up to the line's end, its
// terminator included as far as it has been seen. Whatever is given is the cutter's again afterwards.
type Taker interface {
	Line(line []byte, end int64) // without its terminator
	Long(record *Long, end int64)
}

// A Cutter cuts one stream.
type Cutter struct {
	format Format
	fed    int64
	part   []byte // the beginning of a line, at most Most bytes
	long   *Long  // a line that is longer than that; nil where there is none
	open   bool   // part or long is the beginning of a line
	// A "\r" has ended a line at the end of what was fed: a "\n" that follows belongs to it.
	returned bool
}

// New returns a cutter at the beginning of a stream.
func New(f Format) *Cutter { return &Cutter{format: f} }

// Fed is how many bytes the cutter has seen.
func (c *Cutter) Fed() int64 { return c.fed }

// Feed hands over the lines that end in the next piece of the stream.
func (c *Cutter) Feed(piece []byte, to Taker) {
	at := 0
	if c.returned && len(piece) > 0 {
		c.returned = false
		if piece[0] == '\n' {
			at = 1
		}
	}
	// Where the next "\r" is; it is looked for once, not once a line.
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

// End hands over the line that the stream ends within. A cutter is of no use afterwards.
func (c *Cutter) End(to Taker) {
	if c.open {
		c.finish(to, c.fed)
	}
}

// keep adds to the line that has begun.
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
