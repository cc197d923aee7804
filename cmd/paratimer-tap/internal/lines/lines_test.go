package lines

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/textkey"
)

// A record as a reader of the whole stream would have it.
type record struct {
	key   string
	value int64
	end   int64
}

// taken takes records down, and holds that a long one is told as truly as a short one.
type taken struct {
	t      testing.TB
	format Format
	all    []record
	sums   map[string]string // what a long key's hash stands for
}

func (s *taken) Line(line []byte, end int64) {
	k, found := s.format.KeyEnd(line)
	value := 0
	if found {
		value = len(line) - k - len(s.format.Separator)
	}
	s.all = append(s.all, record{string(line[:k]), int64(value), end})
}

func (s *taken) Long(l *Long, end int64) {
	key, ok := s.sums[string(l.Sum[:])]
	if !ok || int64(len(key)) != l.Key || textkey.Hash([]byte(key)) != l.Hash ||
		!strings.HasPrefix(key, string(l.Begin)) ||
		len(l.Begin) != min(len(key), Begun) {
		s.t.Errorf("a long line's key of %d bytes, hash %d, beginning %.20q is none of the stream's", l.Key, l.Hash,
			l.Begin)
	}
	s.all = append(s.all, record{key, l.Value, end})
}

// plainly reads the stream as a whole, in the simplest way.
func plainly(stream string, f Format) (all []record) {
	end := 0
	for stream != "" {
		i, next := strings.IndexByte(stream, '\n'), 1
		if r := strings.IndexByte(stream, '\r'); f.Return && r >= 0 && (i < 0 || r < i) {
			i = r
			if strings.HasPrefix(stream[r:], "\r\n") {
				next = 2
			}
		}
		line, rest := stream, ""
		if i >= 0 {
			line, rest = stream[:i], stream[i+next:]
		}
		end += len(stream) - len(rest)
		stream = rest
		fields := strings.SplitN(line, string(f.Separator), max(1, f.Fields)+1)
		r := record{line, 0, int64(end)}
		if len(fields) == max(1, f.Fields)+1 {
			value := fields[len(fields)-1]
			r.key, r.value = line[:len(line)-len(value)-len(f.Separator)], int64(len(value))
		}
		all = append(all, r)
	}
	return all
}

func compare(t testing.TB, stream string, f Format, sizes []byte) {
	t.Helper()
	want := plainly(stream, f)
	to := &taken{t: t, format: f, sums: map[string]string{}}
	for _, r := range want {
		sum := sha256.Sum256([]byte(r.key))
		to.sums[string(sum[:])] = r.key
	}
	c := New(f)
	rest := []byte(stream)
	for i := 0; len(rest) > 0; i++ {
		n := len(rest)
		if len(sizes) > 0 {
			n = min(n, 1+int(sizes[i%len(sizes)]))
		}
		piece := bytes.Clone(rest[:n])
		c.Feed(piece, to)
		for j := range piece {
			piece[j] = 'X' // it is not the cutter's any more
		}
		rest = rest[n:]
	}
	c.End(to)
	if c.Fed() != int64(len(stream)) {
		t.Fatalf("%d bytes fed of %d", c.Fed(), len(stream))
	}
	for i := range max(len(want), len(to.all)) {
		if i >= len(want) || i >= len(to.all) {
			t.Fatalf("%.80q: %d records, not %d", stream, len(to.all), len(want))
		}
		got := to.all[i]
		// A "\r" that ends a piece ends its line before the "\n" after it is seen.
		if f.Return && got.end == want[i].end-1 && stream[got.end] == '\n' {
			got.end++
		}
		if got != want[i] {
			t.Fatalf("%.80q, record %d: %.80q, not %.80q", stream, i, fmt.Sprint(got), fmt.Sprint(want[i]))
		}
	}
}

var formats = []Format{
	{Separator: []byte("\t"), Fields: 1},
	{Separator: []byte("\t"), Fields: 1, Return: true},
	{Separator: []byte("."), Fields: 3, Return: true},
	{Separator: []byte("::"), Fields: 2},
	{Separator: []byte("aab"), Fields: 0, Return: true},
}

func streams() []string {
	long := strings.Repeat("k", Most-2)
	return []string{
		"", "\n", "\n\n", "a", "a\n", "a\tb", "a\tb\n", "\t\n", "\tb\n", "a\tb\tc\n", "a\r\nb\rc\r\r\n", "\r",
		"\r\n\r\n",
		"1.2.3.4\n1.2.3\n1.2\n..\n...\n", "a::b::c\na:::b\n::::\n:\n", "aaab\naaaabx\n", "\x00\xff\x80\t\x1b[2J\n",
		long + "\tv\n", long + "k\tv\nshort\t1\n", long + "kk\t" + long + "\n" + long + long, long + "::" + long +
			"::" + long + "\n",
		strings.Repeat("a", 3*Most) + "aabv\r" + "aab", long + "\r\n" + long + "xyz\r\n", strings.Repeat(".", Most) +
			"\n" + strings.Repeat("\n", 100),
	}
}

func TestRecords(t *testing.T) {
	for _, f := range formats {
		for _, s := range streams() {
			compare(t, s, f, nil)
			compare(t, s, f, []byte{0})
			compare(t, s, f, []byte{255, 1, 16})
		}
	}
}

func FuzzRecords(f *testing.F) {
	for _, s := range streams() {
		if len(s) < 1000 {
			f.Add([]byte(s), []byte{3}, byte(1), uint32(0))
			f.Add([]byte(s), []byte{0, 200}, byte(3), uint32(Most))
		}
	}
	f.Fuzz(func(t *testing.T, stream, sizes []byte, format byte, pad uint32) {
		// A line is made long where the stream says "L".
		s := strings.ReplaceAll(string(stream[:min(len(stream), 200)]), "L", strings.Repeat("l", int(pad%(2*Most))))
		if len(s) > 1<<20 {
			return
		}
		compare(t, s, formats[int(format)%len(formats)], sizes[:min(len(sizes), 16)])
	})
}

// TestMemory holds that a line of any length is not kept.
func TestMemory(t *testing.T) {
	piece := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
	c := New(formats[0])
	to := &taken{t: t, format: formats[0], sums: map[string]string{}}
	allocs := testing.AllocsPerRun(1000, func() { c.Feed(piece, to) })
	if allocs > 0.1 || len(to.all) > 0 || cap(c.part)+cap(c.long.tail) > 4*Most {
		t.Errorf("%v allocations a piece, %d bytes kept", allocs, cap(c.part)+cap(c.long.tail))
	}
}
