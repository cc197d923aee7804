package measure

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/sketch"
)

var tabs = Format{Separator: []byte("\t"), Fields: 1}

// A command as seen from outside: it takes a piece, works, and comes back for the next one.
type command struct {
	start time.Duration
	// later: a group is worked on when the first record after it is seen, else each record when it is seen.
	later  bool
	group  func(bytes int64) time.Duration
	record time.Duration

	line  []byte
	key   string
	bytes int64
	took  map[string]time.Duration // by key: what its work has cost
}

// work is how long the command works on a piece.
func (c *command) work(piece []byte) (d time.Duration) {
	for _, b := range piece {
		if b != '\n' {
			c.line = append(c.line, b)
			continue
		}
		key, value, _ := strings.Cut(string(c.line), "\t")
		c.line = c.line[:0]
		if key != c.key {
			d += c.close()
		}
		size := int64(sketch.RecordBytes(len(key), len(value)))
		if !c.later {
			// As much of the group's cost as the record adds.
			d += c.spend(key, c.group(c.bytes+size)-c.group(c.bytes))
		}
		d += c.spend(key, c.record)
		c.key, c.bytes = key, c.bytes+size
	}
	return d
}

func (c *command) spend(key string, d time.Duration) time.Duration {
	c.took[key] += d
	return d
}

func (c *command) close() (d time.Duration) {
	if c.later && c.bytes > 0 {
		d = c.spend(c.key, c.group(c.bytes))
	}
	c.bytes = 0
	return d
}

// play gives a command its input as the tap does: a piece is in the pipe, the next one follows when it has been taken.
// It returns what was measured.
func play(stream []byte, c *command, pipe int) *Groups {
	m := NewGroups(tabs, true, DefaultLimits())
	c.took = map[string]time.Duration{}
	now := c.start
	for at := 0; at < len(stream); {
		read := min(at+65536, len(stream))
		m.Feed(stream[at:read])
		for at < read {
			end := int(min(int64(at+pipe), int64(read), m.Cut(int64(at))))
			if end < len(stream) {
				m.Mark(now, int64(end))
			}
			now += c.work(stream[at:end])
			at = end
		}
	}
	m.Ended()
	m.End(now + c.close())
	return m
}

// input writes groups of these sizes, in records of some 20 bytes.
func input(sizes []int) []byte {
	var b bytes.Buffer
	for i, size := range sizes {
		key := fmt.Sprintf("key%05d", i)
		for left := size; left > 0; {
			value := min(10, left-len(key)-2)
			if left-sketch.RecordBytes(len(key), value) < 10+len(key) {
				value = left - len(key) - 2
			}
			fmt.Fprintf(&b, "%s\t%s\n", key, strings.Repeat("v", value))
			left -= sketch.RecordBytes(len(key), value)
		}
	}
	return b.Bytes()
}

func power(p float64) func(int64) time.Duration {
	return func(bytes int64) time.Duration {
		return time.Duration(math.Pow(float64(bytes), p) * 1000)
	}
}

// TestCommands checks what is measured against what commands of several kinds really take for a group.
func TestCommands(t *testing.T) {
	var sizes []int
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		sizes = append(sizes, 24+int(20*math.Exp(8*r.Float64()*r.Float64())))
	}
	stream := input(sizes)
	for name, c := range map[string]*command{
		"linear":              {group: power(1)},
		"quadratic":           {group: power(2)},
		"quadratic, later":    {group: power(2), later: true},
		"cubic, later, slow":  {group: power(3), later: true, start: time.Minute},
		"quick":               {group: func(b int64) time.Duration { return time.Duration(b) / 10 }, later: true},
		"by record":           {group: func(int64) time.Duration { return 0 }, record: time.Millisecond},
		"by record and group": {group: power(2), record: 10 * time.Microsecond, later: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := play(stream, c, 4096)
			points, open := m.Take(time.Hour)
			if open != nil {
				t.Errorf("open after the end: %+v", open)
			}
			var total, truth, count, size float64
			for _, p := range points {
				total += p.Seconds * p.Count
				count += p.Count
				size += p.Bytes * p.Count
			}
			for i, s := range sizes {
				took := c.took[fmt.Sprintf("key%05d", i)].Seconds()
				truth += took
				if s < Large && took < 0.005 || i >= len(sizes)-2 {
					continue
				}
				// There may be others of this size, and of about this time.
				best := math.Inf(1)
				for _, p := range points {
					if p.Bytes == float64(s) {
						best = min(best, math.Abs(p.Seconds-took))
					}
				}
				if best > 0.05*took+0.002 {
					t.Errorf("group %d of %d bytes took %.6f s; what was measured is %.6f s off", i, s, took, best)
				}
			}
			if math.Abs(total-truth) > 0.02*truth || count < 0.97*float64(len(sizes)) {
				t.Errorf("%.4f s in %v groups of %v bytes, not %.4f s in %d", total, count, size, truth, len(sizes))
			}
		})
	}
}

// TestSteps goes through the life of a few groups, look by look.
func TestSteps(t *testing.T) {
	m := NewGroups(tabs, true, DefaultLimits())
	if points, open := m.Take(0); points != nil || open != nil {
		t.Errorf("before anything: %v, %v", points, open)
	}
	stream := "a\t" + strings.Repeat("x", 96) + "\nb\t1\nb\t2\nc\t" + strings.Repeat("x", 5000) + "\nd\t1\n"
	m.Feed([]byte(stream))
	end := func(record string) int64 { return int64(strings.Index(stream, record) + len(record)) }
	firstB, firstC, firstD := end("b\t1\n"), end("x\nd")-1, int64(len(stream))
	if got := m.Cut(0); got != firstB {
		t.Errorf("the first pause is at %d, not %d", got, firstB)
	}
	if got := m.Cut(firstB); got != firstC {
		t.Errorf("the next pause is at %d, not %d", got, firstC)
	}
	if points, open := m.Take(9 * time.Second); points != nil || open != nil {
		t.Errorf("before the command has taken anything: %v, %v", points, open)
	}
	m.Mark(10*time.Second, firstB) // its start took ten seconds
	if points, open := m.Take(11 * time.Second); points != nil ||
		*open != (tap.Open{Name: "a", Bytes: 99, Seconds: 1}) {
		t.Errorf("%v, %+v", points, open)
	}
	m.Mark(12*time.Second, firstC)
	points, open := m.Take(12500 * time.Millisecond)
	if len(points) != 1 || points[0] != (tap.Point{Age: 0.5, Bytes: 99, Seconds: 2, Count: 1}) ||
		*open != (tap.Open{Name: "b", Bytes: 8, Seconds: 0.5}) {
		t.Errorf("%+v, %+v", points, open)
	}
	m.Mark(12*time.Second, firstC) // nothing new
	m.Mark(13*time.Second, firstD)
	m.Ended()
	if points, open := m.Take(13 * time.Second); points != nil ||
		*open != (tap.Open{Name: "c", Bytes: 5005, Seconds: 0}) {
		t.Errorf("%+v, %+v", points, open)
	}
	m.End(23 * time.Second)
	points, open = m.Take(23 * time.Second)
	// b was reported with the others: it is tiny. c and d share what was left.
	if len(points) != 3 || points[0] != (tap.Point{Age: 10, Bytes: 8, Seconds: 1, Count: 1}) || points[1].Bytes != 4 &&
		points[1].Bytes != 5005 || open != nil {
		t.Errorf("%+v, %+v", points, open)
	}
}

// TestLimits checks that the limits decide which groups share their time, and which are one point.
func TestLimits(t *testing.T) {
	// Groups of ten bytes take 10 and 30 ms in turn, and are looked at one by one.
	measure := func(l Limits) []tap.Point {
		m := NewGroups(tabs, true, l)
		var stream []byte
		for i := range 40 {
			stream = fmt.Appendf(stream, "k%03d\tvvvv\n", i)
		}
		m.Feed(stream)
		now := time.Duration(0)
		for i := range 40 {
			m.Mark(now, int64(10*(i+1)))
			now += time.Duration(10+20*(i%2)) * time.Millisecond
		}
		m.Ended()
		m.End(now)
		points, _ := m.Take(now)
		return points
	}
	for name, c := range map[string]struct {
		limits Limits
		want   []tap.Point // ages aside
	}{
		"the paper's": {DefaultLimits(), []tap.Point{{Bytes: 10, Seconds: 0.02, Count: 40}}},
		"no bursts": {
			Limits{0, 100, 500 * time.Millisecond},
			[]tap.Point{{Bytes: 10, Seconds: 0.02, Count: 40}},
		},
		"no bursts, closer": {Limits{0, 100, 15 * time.Millisecond}, []tap.Point{
			{Bytes: 10, Seconds: 0.01, Count: 20},
			{Bytes: 10, Seconds: 0.03, Count: 20},
		}},
		"small bursts": {Limits{50, 1, 15 * time.Millisecond}, []tap.Point{{Bytes: 10, Seconds: 0.02, Count: 40}}},
	} {
		got := measure(c.limits)
		if len(got) != len(c.want) {
			t.Fatalf("%s: %+v, not %+v", name, got, c.want)
		}
		slices.SortFunc(got, func(a, b tap.Point) int { return cmp.Compare(a.Seconds, b.Seconds) })
		for i, p := range got {
			// The last two share the end.
			if want := c.want[i]; p.Bytes != want.Bytes || math.Abs(p.Count-want.Count) > 1 ||
				math.Abs(p.Seconds-want.Seconds) > 0.001 {
				t.Errorf("%s: %+v, not %+v", name, p, want)
			}
		}
	}
}

// TestOwnEnd checks that what a command does at its end is not the time of a tiny group.
func TestOwnEnd(t *testing.T) {
	sizes := make([]int, 3000)
	for i := range sizes {
		sizes[i] = 100
	}
	m := play(input(sizes), &command{group: func(int64) time.Duration { return time.Microsecond }}, 4096)
	points, _ := m.Take(time.Hour)
	if len(points) != 1 || points[0].Seconds > 0.0001 {
		t.Fatalf("%+v", points)
	}
	late := NewGroups(tabs, false, DefaultLimits())
	for at := 0; at < 300_000; at += 4096 {
		late.Feed(bytes.Repeat([]byte("k\tv\nl\tv\n"), 410))
		late.Mark(time.Duration(at), int64(at))
	}
	late.Ended()
	late.End(time.Hour)
	for points, _ := late.Take(time.Hour); len(points) > 0; points = points[1:] {
		if points[0].Seconds > 1 {
			t.Errorf("%+v", points[0])
		}
	}
}

// TestKeys checks that groups are distinguished as Hadoop's keys are.
func TestKeys(t *testing.T) {
	long := strings.Repeat("k", MaxLine)
	for _, c := range []struct {
		fields int
		sep    string
		stream string
		want   []int64
	}{
		{1, "\t", "a\t1\na\t2\na\nab\t1\n\t1\n\t2\n", []int64{4 + 4 + 3, 5, 3 + 3}},
		{1, "\t", "a\tb\tc\na\tb\td\n", []int64{12}},
		{2, "\t", "a\tb\tc\na\tb\td\na\tc\td\na\t\na\t\n", []int64{12, 6, 6}},
		{2, "\t", "a\tb\t\na\tb\tx\na\t\tx\n", []int64{5 + 6, 5}},
		{1, "::", "a::1\na:1\na::2\n", []int64{4, 5, 4}},
		{1, "\t", long[1:] + "\t1\n" + long[1:] + "\t2\n" + long[2:] + "\t3\n" + long[1:] + "\n", nil},
		// A key that is longer than what is kept of a line counts as its beginning.
		{1, "\t", long + "\t1\n" + long + "k\n", []int64{int64(sketch.RecordBytes(len(long)+2, 0)*2 - 1)}},
		{1, "\t", "k\t" + long + "\nk\tv\nk\t" + long + "\nj\t" + long + "\n", nil},
		{1, "\t", strings.Repeat("x", 300) + "\t" + long + "\n" + strings.Repeat("x", 300) + "\tv\n", nil},
		{1, "\t", strings.Repeat("x", 300) + "\t" + long + "\n" + strings.Repeat("y", 300) + "\tv\n", nil},
	} {
		want := c.want
		if want == nil { // counted in the plainest way
			last := ""
			for _, line := range strings.Split(strings.TrimSuffix(c.stream, "\n"), "\n") {
				key, value, _ := strings.Cut(line, c.sep)
				if key != last || len(want) == 0 {
					want = append(want, 0)
				}
				last = key
				want[len(want)-1] += int64(sketch.RecordBytes(len(key), len(value)))
			}
		}
		for _, piece := range []int{1 << 20, 10_001, 7} {
			m := NewGroups(Format{Separator: []byte(c.sep), Fields: c.fields}, false, DefaultLimits())
			for at := 0; at < len(c.stream); at += piece {
				m.Feed([]byte(c.stream[at:min(at+piece, len(c.stream))]))
			}
			m.Ended()
			var got []int64
			for _, g := range m.ended {
				got = append(got, g.bytes)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%.30q in pieces of %d: groups of %v bytes, not %v", c.stream, piece, got, want)
			}
		}
	}
}

// TestBounds checks that nothing grows with the input: not for millions of groups, not for one without an end, not if
// the points are not requested.
func TestBounds(t *testing.T) {
	m := NewGroups(tabs, true, DefaultLimits())
	r := rand.New(rand.NewPCG(1, 1))
	var piece []byte
	fed, bytesIn, groups := int64(0), 0.0, 0.0
	for i := range 400 {
		piece = piece[:0]
		for len(piece) < 60_000 {
			key := fmt.Sprintf("%.0f", groups)
			value := r.IntN(1 << r.IntN(14))
			piece = append(append(append(append(piece, key...), '\t'), bytes.Repeat([]byte("v"), value)...), '\n')
			bytesIn += float64(sketch.RecordBytes(len(key), value))
			groups++
		}
		m.Feed(piece)
		fed += int64(len(piece))
		m.Mark(time.Duration(i)*time.Second, fed)
		if len(m.points.all) > tap.MaxPoints || len(m.points.first) > tap.MaxPoints {
			t.Fatalf("%d points", len(m.points.all))
		}
	}
	if !m.Full() || cap(m.ended) > 200_000 {
		t.Errorf("full: %v, a queue of %d", m.Full(), cap(m.ended))
	}
	m.Ended()
	m.End(400 * time.Second)
	points, _ := m.Take(400 * time.Second)
	var got, count, took float64
	for _, p := range points {
		got, count, took = got+p.Bytes*p.Count, count+p.Count, took+p.Seconds*p.Count
	}
	if math.Abs(got-bytesIn) > 1e-6*bytesIn || math.Abs(count-groups) > 1e-6*groups || math.Abs(took-400) > 0.01 {
		t.Errorf("%v bytes in %v groups took %v s, not %v in %v and 400 s", got, count, took, bytesIn, groups)
	}
	b := tap.Batch{Version: 1, Job: "job_1_0001", Attempt: "attempt_1_0001_r_000000_0", Points: points}
	if out, err := b.Encode(); err != nil || len(out) > 400_000 {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

// TestQuick checks that a command that is quick is not stopped for small groups.
func TestQuick(t *testing.T) {
	m := NewGroups(tabs, false, DefaultLimits())
	cuts, fed := 0, int64(0)
	for i := range 100 {
		var piece []byte
		for j := range 5000 {
			piece = fmt.Appendf(piece, "%04d\t1\n", j)
		}
		m.Feed(piece)
		for end := fed + int64(len(piece)); fed < end; {
			cut := m.Cut(fed)
			if cut < end {
				cuts++
			}
			fed = min(fed+4096, end, cut)
			m.Mark(time.Duration(i)*time.Millisecond, fed)
		}
	}
	if cuts > 50 {
		t.Errorf("%d pauses", cuts)
	}
}

// TestClusters checks that groups of a size are one point, or as many as they have times.
func TestClusters(t *testing.T) {
	c := clusters{first: map[float64]int32{}}
	for range 2 {
		for i := range 60 {
			c.add(100, float64(i%3), time.Duration(i)*time.Second)
			c.add(200, 7, 0)
		}
		got := c.take(time.Minute)
		want := []tap.Point{
			{Age: 3, Bytes: 100, Seconds: 0, Count: 20},
			{Age: 60, Bytes: 200, Seconds: 7, Count: 60},
			{Age: 2, Bytes: 100, Seconds: 1, Count: 20},
			{Age: 1, Bytes: 100, Seconds: 2, Count: 20},
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v", got)
		}
	}
}

func TestStop(t *testing.T) {
	m := NewGroups(tabs, true, DefaultLimits())
	m.Feed([]byte("a\t1\nb\t1\nc\t1\n"))
	m.Mark(time.Second, 4)
	m.Stop()
	m.End(time.Hour)
	if points, open := m.Take(time.Hour); len(points) > 0 || open != nil {
		t.Errorf("%+v, %+v: it never worked on these", points, open)
	}
}

func BenchmarkGroups(b *testing.B) {
	for _, c := range []struct{ record, group int }{{16, 1}, {16, 1000}, {100, 1}, {100, 1000}, {1000, 10}} {
		b.Run(fmt.Sprintf("%d/%d", c.record, c.group), func(b *testing.B) {
			var piece []byte
			for i := 0; len(piece) < 8<<20; i++ {
				key := fmt.Sprintf("k%07d\t", i/c.group)
				piece = append(append(append(piece, key...), bytes.Repeat([]byte("v"), c.record-len(key)-1)...), '\n')
			}
			b.SetBytes(int64(len(piece)))
			m := NewGroups(tabs, false, DefaultLimits())
			fed, now := int64(0), time.Duration(0)
			for b.Loop() {
				for at := 0; at < len(piece); at += 64 << 10 {
					next := min(at+64<<10, len(piece))
					m.Feed(piece[at:next])
					fed += int64(next - at)
					now += 100 * time.Microsecond
					m.Mark(now, fed)
				}
				m.Take(now)
			}
		})
	}
}
