// Package measure measures what a command of Hadoop Streaming reads or writes, from its bytes and from times that it is
// given. It reads no clock.
//
// MapOutput measures a map's output: its bytes for each reduce, and its largest keys. Groups measures the key groups
// that a reduce's command processes. Both see a stream as the records of its lines. They keep at most 64 KiB of a
// line, even of a gigabyte.
package measure

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/sketch"
)

// MaxLine is how much is kept of a line, in bytes. A key that is longer counts as its beginning.
const MaxLine = 64 << 10

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

// A cutter splits one stream into lines.
type cutter struct {
	format Format
	// to receives a line without its terminator: its first MaxLine bytes, its size in bytes, and the position in the
	// stream after its terminator, as far as that has been read. The line is valid only during the call.
	to   func(line []byte, size, end int64)
	fed  int64  // the number of bytes processed
	part []byte // the beginning of an unfinished line, at most MaxLine bytes
	size int64  // of the unfinished line
	// A "\r" ended a line at the end of the last piece. A "\n" that follows belongs to it.
	returned bool
}

// Feed passes on the lines that end in the next piece of the stream.
func (c *cutter) Feed(piece []byte) {
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
		if line := piece[at:end]; c.size > 0 || len(line) > MaxLine {
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
func (c *cutter) End() {
	if c.size > 0 {
		c.finish(c.fed)
	}
}

// keep appends to the unfinished line.
func (c *cutter) keep(piece []byte) {
	c.size += int64(len(piece))
	c.part = append(c.part, piece[:min(len(piece), MaxLine-len(c.part))]...)
}

func (c *cutter) finish(end int64) {
	c.to(c.part, c.size, end)
	c.part, c.size = c.part[:0], 0
}

func index(b []byte, from int, c byte) int {
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return -1
}

// Params control how a map's output is parsed and how many keys are reported.
type Params struct {
	Format  Format
	Reduces int // 1 to tap.MaxReduces
	Lambda  int // number of keys in the profile, 1 to tap.MaxKeys
	Show    bool
}

// spread is the number of Space-Saving entries for each reported key.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 8.
const spread = 35

// KeyMemory is a meter's largest memory for each reported key, in bytes, if keys are shown.
const KeyMemory = 450 * spread

// MapOutput measures one map's output. Its memory is limited to about 150 bytes for each of the 35 λ entries, and 2 MB.
type MapOutput struct {
	params  Params
	cutter  cutter
	heavy   *sketch.SpaceSaving[id]
	names   map[id]string // only if keys are shown
	bytes   []float64     // by reduce
	records float64
	isLost  bool // a key is too long to keep

	// Keys repeat often. Their bytes are summed before they go to the sketch, so that most records need neither a
	// SHA-256 nor a step of the sketch. That changes which keys a full sketch contains, but not its guaranteed bounds.
	recent []keyBytes
	places map[string]int // of keys in recent
	held   int            // bytes of these keys
}

// mostRecent and mostHeld bound the recent keys and their bytes.
const mostRecent, mostHeld = 1 << 14, 1 << 20

type keyBytes struct {
	key   string
	bytes float64
}

// An id represents a key by the first 8 bytes of its SHA-256, which are also its name.
type id struct {
	sum    uint64
	reduce int32
}

// NewMapOutput returns a meter at the beginning of a map's output.
func NewMapOutput(p Params) *MapOutput {
	m := &MapOutput{
		params: p,
		heavy:  sketch.New[id](spread * p.Lambda),
		bytes:  make([]float64, p.Reduces),
		places: map[string]int{},
	}
	m.cutter = cutter{format: p.Format, to: m.line}
	if p.Show {
		m.names = map[id]string{}
	}
	return m
}

// Feed measures the next piece of the output.
func (m *MapOutput) Feed(piece []byte) { m.cutter.Feed(piece) }

// line processes a record.
func (m *MapOutput) line(line []byte, size, _ int64) {
	k, value := m.params.Format.Split(line, size)
	m.isLost = m.isLost || value < 0 && size > int64(k)
	m.records++
	m.count(line[:k], float64(sketch.RecordBytes(k, max(value, 0))))
}

// count adds a record's bytes to its key.
func (m *MapOutput) count(key []byte, bytes float64) {
	if at, ok := m.places[string(key)]; ok {
		m.recent[at].bytes += bytes
		return
	}
	if len(m.recent) == mostRecent || m.held+len(key) > mostHeld {
		m.flush()
	}
	k := string(key)
	m.places[k] = len(m.recent)
	m.recent = append(m.recent, keyBytes{k, bytes})
	m.held += len(k)
}

// flush adds the recent keys to the sketch.
func (m *MapOutput) flush() {
	for _, r := range m.recent {
		text := []byte(r.key)
		sum := sha256.Sum256(text)
		key := id{binary.BigEndian.Uint64(sum[:8]), int32(sketch.Partition(text, m.params.Reduces))}
		m.name(key, text)
		m.bytes[key.reduce] += r.bytes
		m.heavy.Add(key, r.bytes)
	}
	clear(m.recent)
	clear(m.places)
	m.recent, m.held = m.recent[:0], 0
}

// name stores the name of a key if keys are shown. It drops the names of keys that have left the sketch when there
// are too many.
func (m *MapOutput) name(key id, text []byte) {
	if m.names == nil {
		return
	}
	if _, known := m.names[key]; known {
		return
	}
	if len(m.names) > 2*spread*m.params.Lambda {
		kept := make(map[id]string, len(m.names))
		for e := range m.heavy.All() {
			if name, ok := m.names[e.Key]; ok {
				kept[e.Key] = name
			}
		}
		m.names = kept
	}
	m.names[key] = sketch.KeyName(text, true)
}

// End returns the profile of the whole output, nil if the reduce of a key is unknown because the key is longer than
// MaxLine. Do not use the meter afterwards.
func (m *MapOutput) End() *tap.MapProfile {
	m.cutter.End()
	m.flush()
	if m.isLost {
		return nil
	}
	p := &tap.MapProfile{
		Reduces:  m.params.Reduces,
		Bytes:    m.bytes,
		Records:  m.records,
		Lambda:   m.params.Lambda,
		Complete: m.heavy.Len() <= m.params.Lambda,
	}
	// the λ entries with the most certain bytes, largest first; equal ones by the smaller hash
	top := slices.DeleteFunc(slices.Collect(m.heavy.All()), func(e sketch.Entry[id]) bool { return e.Sure() <= 0 })
	slices.SortFunc(top, func(a, b sketch.Entry[id]) int {
		return cmp.Or(cmp.Compare(b.Sure(), a.Sure()), cmp.Compare(a.Key.sum, b.Key.sum))
	})
	for _, e := range top[:min(len(top), m.params.Lambda)] {
		name, ok := m.names[e.Key]
		if !ok {
			name = fmt.Sprintf("#%016x", e.Key.sum)
		}
		p.Top = append(p.Top, tap.Key{Name: name, Reduce: int(e.Key.reduce), Bytes: e.Sure()})
	}
	return p
}
