// Package groups measures the key groups that a reduce's command works through, from outside: by when it comes back for
// more input. It reads no clock.
//
// A command that takes more has done with what it had taken before. So the groups that end within what it has taken at
// one look share, at the next look but one, the time between them: by size, as NearestFit's bursts do. A group has
// ended when the first record of the next one has been taken too, for many commands work on a group only when they see
// that it is over. Cut says where to pause so that this record is taken alone: then a group has its time to itself.
package groups

import (
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/lines"
)

const (
	// Large is from how many bytes on a group is worth a pause of its own: a pause is two switches between processes,
	// some ten microseconds, and a usual read takes as many bytes.
	Large = 4096
	// slow groups are worth one of any size: two in a hundred at most are lost to it.
	slow = 500 * time.Microsecond
	// named groups can be told by name while they are open. A hash costs more than a tiny group.
	named = 1024
)

// A Meter measures one reduce. Feed, Cut, Mark, Stop and End are for the one who copies; Take may be called by another.
type Meter struct {
	format lines.Format
	show   bool

	mu     sync.Mutex
	cutter *lines.Cutter
	key    key   // of the group that comes in
	bytes  int64 // of it so far
	ended  queue // groups that have come in and whose time is not known yet
	over   bool  // nothing more comes in

	taken int64         // by the command, of the stream
	began bool          // the command has taken something
	last  time.Duration // when the last group was done with; before the first: when the command first took something
	pace  time.Duration // a group's time, lately

	few    burst // groups that are too small to be measured alone
	points clusters
	limits Limits
}

// Limits say how finely groups are measured. The defaults are those of the paper.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 6.
type Limits struct {
	Bytes  int64         // groups of so many or fewer are told in bursts
	Groups int           // a burst is told when it has more
	Near   time.Duration // times of groups of one size that are so close to their mean are one point
}

// DefaultLimits are the paper's.
func DefaultLimits() Limits { return Limits{Bytes: 50, Groups: 100, Near: 500 * time.Millisecond} }

// New returns a meter at the beginning of a reduce's input. show lets keys be named as they are.
func New(f lines.Format, show bool, limits Limits) *Meter {
	f.Return = false // it is Hadoop that writes
	// Until it is known to be quick, a command is taken for a slow one: its first groups are measured well.
	return &Meter{
		format: f, show: show, cutter: lines.New(f), pace: 2 * slow, limits: limits,
		points: clusters{near: limits.Near.Seconds()},
	}
}

// Feed takes the next piece of the command's input, before the command gets it.
func (m *Meter) Feed(piece []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cutter.Feed(piece, m)
}

// Line is a record that came as a whole. It is exported for the cutter.
func (m *Meter) Line(line []byte, end int64) {
	if value, same := m.key.sameAgain(line, m.format); same {
		m.grow(len(m.key.text), value)
		return
	}
	k, value, found := split(line, m.format)
	if !m.key.is(line[:k]) {
		m.close(end)
		m.key.set(line[:k], found)
	}
	m.grow(k, value)
}

// Long is a record that was too long to keep. It is exported for the cutter.
func (m *Meter) Long(r *lines.Long, end int64) {
	if !m.key.isLong(r) {
		m.close(end)
		m.key.setLong(r)
	}
	m.grow(int(r.Key), int(r.Value))
}

func (m *Meter) grow(key, value int) {
	was := m.bytes
	m.bytes += int64(tap.RecordBytes(key, value))
	if was < Large && m.bytes >= Large {
		// Nor should the group before share the time of a large one's first records.
		m.ended.pauseLast()
	}
}

// close ends the group that came in. end is where the first record of the next one ends.
func (m *Meter) close(end int64) {
	if !m.key.known {
		return
	}
	g := group{end: end, bytes: m.bytes, pause: m.bytes >= Large}
	if m.bytes >= named || m.pace >= slow {
		g.name = m.key.name(m.show)
	}
	m.ended.push(g)
	m.bytes = 0
}

// Cut is where the command's input should pause, if it is given from this place on: the command should take what is
// before before it gets more. The largest number says nowhere. Places must not decrease from call to call.
func (m *Meter) Cut(from int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ended.cut(from, m.pace >= slow)
}

// Mark says that the command is seen to have taken so many bytes of its input by now. Time is since any fixed instant.
func (m *Meter) Mark(now time.Duration, taken int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if taken <= m.taken {
		return
	}
	done := m.taken
	m.taken = taken
	if !m.began {
		// The command's own start is over.
		m.began, m.last = true, now
		return
	}
	m.settle(now, done)
}

// settle gives the groups that have ended up to a place in the stream the time since the last ones.
func (m *Meter) settle(now time.Duration, done int64) {
	groups := m.ended.upTo(done)
	if len(groups) == 0 {
		return
	}
	took := max(0, now-m.last)
	m.last = now
	m.pace = (m.pace + took/time.Duration(len(groups))) / 2
	small := true
	for _, g := range groups {
		small = small && g.bytes <= m.limits.Bytes
	}
	if !small {
		m.few.spread(&m.points)
	}
	for _, g := range groups {
		m.few.add(g.bytes)
	}
	m.few.took += took
	m.few.at = now
	if !small || m.few.groups > m.limits.Groups {
		m.few.spread(&m.points)
	}
}

// Stop says that the command takes no more: what it has not done with by now it never will.
func (m *Meter) Stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	m.ended = queue{}
	m.key.known = false
}

// Ended says that the input has ended, and that the command knows it.
func (m *Meter) Ended() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cutter.End(m)
	m.close(m.cutter.Fed())
	m.key.known = false
	m.over = true
}

// End says that the command has ended. What it did after its last look at the input belongs to the last groups only if
// these are large or slow: else it is the command's own end.
func (m *Meter) End(now time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	large := func(g group) bool { return g.bytes >= Large }
	if m.began && (m.pace >= slow || m.ended.any(large)) {
		m.settle(now, m.cutter.Fed())
	}
	m.few.spread(&m.points)
	m.ended = queue{}
}

// Full says that Take should be called soon.
func (m *Meter) Full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.points.all) > tap.MaxPoints/2
}

// Take returns the groups that have been done with since the last call, and the one that is being worked on: nil if
// there is none, or if it has no name.
func (m *Meter) Take(now time.Duration) ([]tap.Point, *tap.Open) {
	m.mu.Lock()
	defer m.mu.Unlock()
	points := m.points.take(now)
	open := &tap.Open{Seconds: round(max(0, now-m.last).Seconds())}
	switch g := m.ended.first(); {
	case !m.began:
		return points, nil
	case g != nil:
		open.Name, open.Bytes = g.name, float64(g.bytes)
	case m.key.known:
		open.Name, open.Bytes = m.key.name(m.show), float64(m.bytes)
	}
	if open.Name == "" {
		open = nil
	}
	return points, open
}
