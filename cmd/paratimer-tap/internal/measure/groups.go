package measure

import (
	"bytes"
	"math"
	"slices"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/sketch"
)

const (
	// Large is the size in bytes from which a group gets a pause of its own. A pause is two process switches, about
	// ten microseconds, and a usual read takes this many bytes.
	Large = 4096
	// slow groups of any size get a pause: it costs at most two per cent of their time.
	slow = 500 * time.Microsecond
	// named is the size from which open groups get a name. A hash costs more than a tiny group.
	named = 1024
)

// A group is a complete group of the input.
type group struct {
	end   int64 // end of the first record after it, in the stream
	bytes int64
	name  string // "" if it has none
	pause bool   // the command's input should pause at end
}

// Groups measures one reduce from outside: by the times at which its command reads more input. The copying goroutine
// calls Feed, Cut, Mark, Stop and End; another one may call Take.
//
// A command that reads more has finished what it read before. So the groups that end within the input taken by one
// look share the time from that look to the next, in proportion to their sizes, as NearestFit's bursts do. A group
// ends when the command has also read the first record of the next group, because many commands process a group only
// when they see its end. Cut returns the positions to pause at, so that this record is read separately. The group
// before it then has a time of its own.
type Groups struct {
	format Format
	show   bool

	mu     sync.Mutex
	cutter cutter
	isOpen bool   // a group is being fed
	key    []byte // its key
	bytes  int64  // its bytes so far
	// ended are complete groups with an unknown time, in the order of the input. Their number is limited by one piece
	// of input, the pipe and one read of the command.
	ended []group

	taken int64         // bytes of the stream that the command has taken
	began bool          // the command has taken some input
	last  time.Duration // when the last group was finished; before the first one, when the command first took input
	pace  time.Duration // recent time of a group

	few    burst // groups too small to be measured alone
	points clusters
	limits Limits
}

// Limits control how precisely groups are measured. The defaults are those of the paper.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 6.
type Limits struct {
	Bytes  int64         // groups of at most this size are measured in bursts
	Groups int           // a burst ends when it has more groups than this
	Near   time.Duration // times of equal groups within this distance of their mean form one point
}

// DefaultLimits returns the paper's limits.
func DefaultLimits() Limits { return Limits{Bytes: 50, Groups: 100, Near: 500 * time.Millisecond} }

// NewGroups returns a meter at the beginning of a reduce's input. With show, keys appear as they are, not as hashes.
func NewGroups(f Format, show bool, limits Limits) *Groups {
	f.Return = false // Hadoop writes this input
	// A command counts as slow until it is measured, so that its first groups are measured precisely.
	points := clusters{near: limits.Near.Seconds(), first: map[float64]int32{}}
	m := &Groups{format: f, show: show, pace: 2 * slow, limits: limits, points: points}
	m.cutter = cutter{format: f, to: m.line}
	return m
}

// Feed processes the next piece of the command's input, before the command gets it.
func (m *Groups) Feed(piece []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cutter.Feed(piece)
}

// line processes a record. Hadoop appends a separator to a key with too few fields; it is not part of the key.
func (m *Groups) line(line []byte, size, end int64) {
	n, value := m.format.Split(line, size)
	key, more := line[:n], int(size)-n // bytes of a key that is too long to keep
	if value >= 0 {
		more = 0
	} else if more == 0 {
		key = bytes.TrimSuffix(key, m.format.Separator)
	}
	if !m.isOpen || !bytes.Equal(key, m.key) {
		m.close(end)
		m.isOpen, m.key = true, append(m.key[:0], key...)
	}
	was := m.bytes
	m.bytes += int64(sketch.RecordBytes(len(key)+more, max(value, 0)))
	if was < Large && m.bytes >= Large {
		// The group before a large one should not share the time of its first records.
		if n := len(m.ended); n > 0 {
			m.ended[n-1].pause = true
		}
	}
}

// close ends the group that is being fed. end is the end of the next group's first record.
func (m *Groups) close(end int64) {
	if !m.isOpen {
		return
	}
	g := group{end: end, bytes: m.bytes, pause: m.bytes >= Large}
	if m.bytes >= named || m.pace >= slow {
		g.name = sketch.KeyName(m.key, m.show)
	}
	m.ended = append(m.ended, g)
	m.bytes = 0
}

// Cut returns the position at or after from where the input should pause until the command has taken everything
// before it. The largest number means no pause. from must not decrease from call to call.
func (m *Groups) Cut(from int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range m.ended[m.after(from):] {
		if m.pace >= slow || g.pause {
			return g.end
		}
	}
	return math.MaxInt64
}

// after returns the index of the first ended group that ends after a position in the stream.
func (m *Groups) after(end int64) int {
	return sort.Search(len(m.ended), func(i int) bool { return m.ended[i].end > end })
}

// Mark records that by now the command has taken that many bytes of its input. now counts from any fixed instant.
func (m *Groups) Mark(now time.Duration, taken int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if taken <= m.taken {
		return
	}
	done := m.taken
	m.taken = taken
	if !m.began {
		// The command's start-up is over.
		m.began, m.last = true, now
		return
	}
	m.settle(now, done)
}

// settle assigns the time since the last settled groups to the groups that end by the position done.
func (m *Groups) settle(now time.Duration, done int64) {
	n := m.after(done)
	if n == 0 {
		return
	}
	groups := m.ended[:n]
	m.ended = m.ended[n:]
	took := max(0, now-m.last)
	m.last = now
	m.pace = (m.pace + took/time.Duration(n)) / 2
	small := !slices.ContainsFunc(groups, func(g group) bool { return g.bytes > m.limits.Bytes })
	if !small {
		m.few.spread(&m.points)
	}
	for _, g := range groups {
		m.few.sizes = append(m.few.sizes, g.bytes)
		m.few.bytes += g.bytes
	}
	m.few.took += took
	m.few.at = now
	if !small || len(m.few.sizes) > m.limits.Groups {
		m.few.spread(&m.points)
	}
}

// Stop records that the command reads no more input. The groups that it has not finished stay unfinished.
func (m *Groups) Stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = nil
	m.isOpen = false
}

// Ended records that the input has ended and that the command can see its end.
func (m *Groups) Ended() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cutter.End()
	m.close(m.cutter.fed)
	m.isOpen = false
}

// End records that the command has ended. The time since the last look belongs to the last groups only if these are
// large or slow. Otherwise it is the command's own shutdown.
func (m *Groups) End(now time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	large := func(g group) bool { return g.bytes >= Large }
	if m.began && (m.pace >= slow || slices.ContainsFunc(m.ended, large)) {
		m.settle(now, m.cutter.fed)
	}
	m.few.spread(&m.points)
	m.ended = nil
}

// Full reports whether Take should be called soon.
func (m *Groups) Full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.points.all) > tap.MaxPoints/2
}

// Take returns the groups that were finished since the last call, and the group in progress. The latter is nil if
// there is none or if it has no name.
func (m *Groups) Take(now time.Duration) ([]tap.Point, *tap.Open) {
	m.mu.Lock()
	defer m.mu.Unlock()
	points := m.points.take(now)
	open := &tap.Open{Seconds: round(max(0, now-m.last).Seconds())}
	switch {
	case !m.began:
		return points, nil
	case len(m.ended) > 0:
		open.Name, open.Bytes = m.ended[0].name, float64(m.ended[0].bytes)
	case m.isOpen:
		open.Name, open.Bytes = sketch.KeyName(m.key, m.show), float64(m.bytes)
	}
	if open.Name == "" {
		open = nil
	}
	return points, open
}

// A burst is a number of groups that share a measured time in proportion to their sizes.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 6.
type burst struct {
	sizes []int64
	bytes int64 // sum of sizes
	took  time.Duration
	at    time.Duration // when the last of them was finished
}

// spread assigns each group its share of the time, and empties the burst.
func (b *burst) spread(to *clusters) {
	each := b.took.Seconds() / float64(b.bytes)
	for _, size := range b.sizes {
		to.add(float64(size), float64(size)*each, b.at)
	}
	*b = burst{sizes: b.sizes[:0]}
}

// clusters are points to be sent. Groups of the same size and nearly the same time form one point.
type clusters struct {
	near  float64 // largest distance of a time from a cluster's mean, in seconds, to join the cluster
	all   []cluster
	first map[float64]int32 // the first cluster of a size
}

type cluster struct {
	tap.Point
	at   time.Duration
	next int32 // cluster of the same size; 0 for none
}

// join adds the groups of q. The sums of bytes and times do not change.
func (p *cluster) join(q cluster) {
	share := q.Count / (p.Count + q.Count)
	p.Bytes += (q.Bytes - p.Bytes) * share
	p.Seconds += (q.Seconds - p.Seconds) * share
	p.Count += q.Count
	p.at = max(p.at, q.at)
}

// add adds a group of one size. If there are more points than fit into a batch, it joins sizes within a few per cent of
// each other.
func (c *clusters) add(bytes, seconds float64, at time.Duration) {
	if len(c.all) >= tap.MaxPoints {
		c.coarsen()
	}
	one := cluster{Point: tap.Point{Bytes: bytes, Seconds: seconds, Count: 1}, at: at}
	n := int32(len(c.all))
	if i, ok := c.first[bytes]; ok {
		p := &c.all[i]
		for math.Abs(p.Seconds-seconds) > c.near && p.next > 0 {
			p = &c.all[p.next]
		}
		if math.Abs(p.Seconds-seconds) <= c.near {
			p.join(one)
			return
		}
		p.next = n
	} else {
		c.first[bytes] = n
	}
	c.all = append(c.all, one)
}

// grain is the number of sizes per octave after joining: steps of 4%.
const grain = 16

func (c *clusters) coarsen() {
	byOctave, n := map[float64]int{}, 0
	for _, p := range c.all {
		p.next = 0
		o := math.Round(grain * math.Log2(max(1, p.Bytes)))
		if i, ok := byOctave[o]; ok {
			c.all[i].join(p)
			continue
		}
		byOctave[o], c.all[n] = n, p
		n++
	}
	c.all = c.all[:n]
	clear(c.first)
	for i, p := range c.all {
		if _, ok := c.first[p.Bytes]; !ok {
			c.first[p.Bytes] = int32(i)
		}
	}
}

// take empties the clusters and returns their points. Ages are seconds before now.
func (c *clusters) take(now time.Duration) []tap.Point {
	var out []tap.Point
	for _, p := range c.all {
		p.Age, p.Seconds = max(0, now-p.at).Seconds(), round(p.Seconds)
		out = append(out, p.Point)
	}
	c.all = c.all[:0]
	clear(c.first)
	return out
}

// round rounds to six digits. More digits would be noise.
func round(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return r
}
