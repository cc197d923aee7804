// Package mapoutput measures a map's output: its bytes for each reduce, and its largest keys.
package mapoutput

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/lines"
	"github.com/paratimer/paratimer/sketch"
)

// Params control how a map's output is parsed and how many keys are reported.
type Params struct {
	Format  lines.Format
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

// A Meter measures one map's output. Its memory is limited to about 150 bytes for each of the 35 λ entries, and 2 MB.
type Meter struct {
	params  Params
	cutter  *lines.Cutter
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

// New returns a meter at the beginning of a map's output.
func New(p Params) *Meter {
	m := &Meter{
		params: p,
		heavy:  sketch.New[id](spread * p.Lambda),
		bytes:  make([]float64, p.Reduces),
		places: map[string]int{},
	}
	m.cutter = lines.New(p.Format, m.line)
	if p.Show {
		m.names = map[id]string{}
	}
	return m
}

// Feed measures the next piece of the output.
func (m *Meter) Feed(piece []byte) { m.cutter.Feed(piece) }

// line processes a record.
func (m *Meter) line(line []byte, size, _ int64) {
	k, value := m.params.Format.Split(line, size)
	m.isLost = m.isLost || value < 0 && size > int64(k)
	m.records++
	m.count(line[:k], float64(tap.RecordBytes(k, max(value, 0))))
}

// count adds a record's bytes to its key.
func (m *Meter) count(key []byte, bytes float64) {
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
func (m *Meter) flush() {
	for _, r := range m.recent {
		text := []byte(r.key)
		sum := sha256.Sum256(text)
		key := id{binary.BigEndian.Uint64(sum[:8]), int32(tap.Partition(text, m.params.Reduces))}
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
func (m *Meter) name(key id, text []byte) {
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
	m.names[key] = tap.KeyName(text, true)
}

// End returns the profile of the whole output, nil if the reduce of a key is unknown because the key is longer than
// lines.Most. Do not use the meter afterwards.
func (m *Meter) End() *tap.MapProfile {
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
	for _, e := range m.largest() {
		p.Top = append(p.Top, tap.Key{Name: m.called(e.Key), Reduce: int(e.Key.reduce), Bytes: e.Sure()})
	}
	return p
}

// largest returns the λ entries with the most certain bytes, largest first; equal ones by the smaller hash.
func (m *Meter) largest() []sketch.Entry[id] {
	top := slices.DeleteFunc(slices.Collect(m.heavy.All()), func(e sketch.Entry[id]) bool { return e.Sure() <= 0 })
	slices.SortFunc(top, func(a, b sketch.Entry[id]) int {
		return cmp.Or(cmp.Compare(b.Sure(), a.Sure()), cmp.Compare(a.Key.sum, b.Key.sum))
	})
	return top[:min(len(top), m.params.Lambda)]
}

func (m *Meter) called(key id) string {
	if name, ok := m.names[key]; ok {
		return name
	}
	return fmt.Sprintf("#%016x", key.sum)
}
