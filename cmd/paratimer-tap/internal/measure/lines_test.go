package measure

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A record as a reader of the whole stream would have it.
type record struct {
	key   string
	value int
	end   int64
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
		begin := line[:min(len(line), MaxLine)]
		fields := strings.SplitN(begin, string(f.Separator), max(1, f.Fields)+1)
		r := record{begin, -1, int64(end)}
		if len(fields) == max(1, f.Fields)+1 {
			r.key = begin[:len(begin)-len(fields[len(fields)-1])-len(f.Separator)]
			r.value = len(line) - len(r.key) - len(f.Separator)
		}
		all = append(all, r)
	}
	return all
}

func compare(t testing.TB, stream string, f Format, sizes []byte) {
	t.Helper()
	want := plainly(stream, f)
	var all []record
	c := cutter{format: f, to: func(line []byte, size, end int64) {
		k, value := f.Split(line, size)
		all = append(all, record{string(line[:k]), value, end})
	}}
	rest := []byte(stream)
	for i := 0; len(rest) > 0; i++ {
		n := len(rest)
		if len(sizes) > 0 {
			n = min(n, 1+int(sizes[i%len(sizes)]))
		}
		piece := bytes.Clone(rest[:n])
		c.Feed(piece)
		for j := range piece {
			piece[j] = 'X' // it is not the cutter's any more
		}
		rest = rest[n:]
	}
	c.End()
	if c.fed != int64(len(stream)) {
		t.Fatalf("%d bytes fed of %d", c.fed, len(stream))
	}
	for i := range max(len(want), len(all)) {
		if i >= len(want) || i >= len(all) {
			t.Fatalf("%.80q: %d records, not %d", stream, len(all), len(want))
		}
		got := all[i]
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
	long := strings.Repeat("k", MaxLine-2)
	return []string{
		"", "\n", "\n\n", "a", "a\n", "a\tb", "a\tb\n", "\t\n", "\tb\n", "a\tb\tc\n", "a\r\nb\rc\r\r\n", "\r",
		"\r\n\r\n",
		"1.2.3.4\n1.2.3\n1.2\n..\n...\n", "a::b::c\na:::b\n::::\n:\n", "aaab\naaaabx\n", "\x00\xff\x80\t\x1b[2J\n",
		long + "\tv\n", long + "k\tv\nshort\t1\n", long + "kk\t" + long + "\n" + long + long, long + "::" + long +
			"::" + long + "\n",
		strings.Repeat("a", 3*MaxLine) + "aabv\r" + "aab", long + "\r\n" + long + "xyz\r\n", strings.Repeat(".", MaxLine) +
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
			f.Add([]byte(s), []byte{0, 200}, byte(3), uint32(MaxLine))
		}
	}
	f.Fuzz(func(t *testing.T, stream, sizes []byte, format byte, pad uint32) {
		// A line is made long where the stream has "L".
		s := strings.ReplaceAll(string(stream[:min(len(stream), 200)]), "L", strings.Repeat("l", int(pad%(2*MaxLine))))
		if len(s) > 1<<20 {
			return
		}
		compare(t, s, formats[int(format)%len(formats)], sizes[:min(len(sizes), 16)])
	})
}

// TestMemoryOfLines checks that a line of any length is not kept.
func TestMemoryOfLines(t *testing.T) {
	piece, taken := bytes.Repeat([]byte("0123456789abcdef"), 1<<12), 0
	c := cutter{format: formats[0], to: func([]byte, int64, int64) { taken++ }}
	allocs := testing.AllocsPerRun(1000, func() { c.Feed(piece) })
	if allocs > 0.1 || taken > 0 || cap(c.part) > 2*MaxLine {
		t.Errorf("%v allocations a piece, %d bytes kept", allocs, cap(c.part))
	}
}
