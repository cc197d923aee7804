package measure

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/sketch"
)

var output = Format{Separator: []byte("\t"), Fields: 1, Return: true}

func measure(stream string, p Params, piece int) *tap.MapProfile {
	m := NewMapOutput(p)
	for rest := []byte(stream); len(rest) > 0; {
		n := min(piece, len(rest))
		m.Feed(rest[:n])
		rest = rest[n:]
	}
	return m.End()
}

func TestSmall(t *testing.T) {
	got := measure("b\t22\na\t1\nb\t333\n\nalone", Params{Format: output, Reduces: 2, Lambda: 10, Show: true}, 1000)
	// RecordBytes is 2 more than key and value. Text hashes: a 128, b 129, "" 1, alone: its last bit decides.
	alone := sketch.Partition([]byte("alone"), 2)
	want := &tap.MapProfile{
		Reduces: 2, Bytes: []float64{4, 5 + 6 + 2}, Records: 5, Lambda: 10, Complete: true,
		Top: []tap.Key{
			{Name: "b", Reduce: 1, Bytes: 11},
			{Name: "alone", Reduce: alone, Bytes: 7},
			{Name: "a", Bytes: 4},
			{Name: `\empty`, Reduce: 1, Bytes: 2},
		},
	}
	want.Bytes[alone] += 7
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestProfiles compares with plain counting of the whole output.
func TestProfiles(t *testing.T) {
	for _, c := range []struct {
		keys, records, lambda, length int
	}{{20, 1000, 50, 3}, {3000, 20_000, 100, 12}, {3000, 20_000, 5000, 60}, {50_000, 100_000, 20, 8}} {
		for _, show := range []bool{false, true} {
			r := rand.New(rand.NewPCG(uint64(c.keys), 7))
			var stream strings.Builder
			truth, reduces := map[string]float64{}, make([]float64, 7)
			for range c.records {
				// Zipf-like: small numbers are frequent.
				key := fmt.Sprintf("%0*d", c.length, int(float64(c.keys)*r.Float64()*r.Float64()*r.Float64()))
				value := strings.Repeat("v", r.IntN(200))
				stream.WriteString(key + "\t" + value + "\n")
				size := float64(sketch.RecordBytes(len(key), len(value)))
				truth[key] += size
				reduces[sketch.Partition([]byte(key), 7)] += size
			}
			names := map[string]string{}
			for key := range truth {
				names[sketch.HashedName([]byte(key))], names[key] = key, key
			}
			p := Params{Format: output, Reduces: 7, Lambda: c.lambda, Show: show}
			got := measure(stream.String(), p, 65536)
			if !reflect.DeepEqual(got.Bytes, reduces) || got.Records != float64(c.records) {
				t.Errorf("%+v: bytes %v of %v records, not %v", c, got.Bytes, got.Records, reduces)
			}
			if got.Complete != (len(truth) <= c.lambda) {
				t.Errorf("%+v: %d keys, complete: %v", c, len(truth), got.Complete)
			}
			if len(got.Top) != min(len(truth), c.lambda) {
				t.Errorf("%+v: %d keys named of %d", c, len(got.Top), len(truth))
			}
			exact := len(truth) <= spread*c.lambda
			for _, k := range got.Top {
				key, ok := names[k.Name]
				if !ok || show == strings.HasPrefix(k.Name, "#") {
					t.Fatalf("%+v: a key %q", c, k.Name)
				}
				if k.Bytes > truth[key] || exact && k.Bytes != truth[key] ||
					k.Reduce != sketch.Partition([]byte(key), 7) {
					t.Errorf("%+v: %+v, but it has %v bytes", c, k, truth[key])
				}
			}
			if exact {
				sizes := slices.Sorted(maps.Values(truth))
				slices.Reverse(sizes)
				for i, k := range got.Top {
					if k.Bytes != sizes[i] {
						t.Fatalf("%+v: place %d has %v bytes, not %v", c, i, k.Bytes, sizes[i])
					}
				}
			}
			batch := tap.Batch{Version: 1, Job: "job_1_0001", Attempt: "attempt_1_0001_m_000000_0", Map: got}
			if _, err := batch.Encode(); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
			if again := measure(stream.String(), p, 4099); !reflect.DeepEqual(got, again) {
				t.Errorf("%+v: another profile when it comes in other pieces", c)
			}
			// A heavy key is heavy, whatever comes between: its guaranteed bytes are most of what it has.
			heaviest := ""
			for key, size := range truth {
				if size > truth[heaviest] {
					heaviest = key
				}
			}
			if k := got.Top[0]; names[k.Name] != heaviest || k.Bytes < 0.9*truth[heaviest] {
				t.Errorf("%+v: on top %+v, not %s with %v bytes", c, k, heaviest, truth[heaviest])
			}
		}
	}
}

// TestHostileKeys checks that keys of any length and content make a profile that may be sent.
func TestHostileKeys(t *testing.T) {
	long := strings.Repeat("K", MaxLine-10)
	var stream strings.Builder
	for _, key := range []string{
		"", "\x1b[2J", "\xff\xfe\x00", `\empty`, "#0011223344556677", "a\u202eb", strings.Repeat("k", 44),
		strings.Repeat("k", 45),
		strings.Repeat("k", 64), strings.Repeat("k", 300), long, long + "2",
	} {
		for range 3 {
			stream.WriteString(key + "\tvalue\n")
		}
	}
	for _, show := range []bool{false, true} {
		got := measure(stream.String(), Params{Format: output, Reduces: 3, Lambda: 100, Show: show}, 10_000)
		if len(got.Top) != 12 || !got.Complete || got.Top[0].Bytes != 3*float64(sketch.RecordBytes(len(long)+1, 5)) {
			t.Errorf("%d keys, %+v", len(got.Top), got.Top[0])
		}
		batch := tap.Batch{Version: 1, Job: "job_1_0001", Attempt: "attempt_1_0001_m_000000_0", Map: got}
		if _, err := batch.Encode(); err != nil {
			t.Error(err)
		}
		for _, k := range got.Top {
			if show == (len(k.Name) == 17 && k.Name[0] == '#' && k.Name != "#0011223344556677") {
				t.Errorf("show %v: %q", show, k.Name)
			}
		}
	}
}

// TestTooLong checks that a key that is too long to keep makes no profile, and a value of any length does.
func TestTooLong(t *testing.T) {
	long := strings.Repeat("K", MaxLine)
	for line, ok := range map[string]bool{
		"k\t" + long + long: true, long[:MaxLine-1] + "\tv": true, long[:MaxLine-1]: true,
		long + "\tv": false, long + "k": false,
	} {
		got := measure("a\tb\n"+line+"\nc\td\n", Params{Format: output, Reduces: 3, Lambda: 10}, 10_000)
		if (got != nil) != ok {
			t.Errorf("a line of %d bytes, %.3q…: %+v", len(line), line, got)
		}
	}
}

// TestMemoryOfMapOutput checks what the documentation promises, for keys that never come twice.
func TestMemoryOfMapOutput(t *testing.T) {
	for _, show := range []bool{false, true} {
		m := NewMapOutput(Params{Format: output, Reduces: 100, Lambda: 2000, Show: show})
		piece := make([]byte, 0, 64<<10)
		n := 0
		for range 120 {
			piece = piece[:0]
			for len(piece) < 63<<10 {
				n++
				piece = fmt.Appendf(piece, "a key that is rather long and is never the same: %d\tv\n", n)
			}
			m.Feed(piece)
		}
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		t.Logf("%d keys, show %v: %d KB", n, show, stats.HeapAlloc>>10)
		if limit := uint64(40 << 20); stats.HeapAlloc > limit || len(m.names) > 2*spread*2000+1 {
			t.Errorf("%d bytes on the heap, %d names", stats.HeapAlloc, len(m.names))
		}
		runtime.KeepAlive(m)
	}
}

// TestNamesAreKept checks that the names of other keys are dropped in time, and those of keys that may be reported are
// not.
func TestNamesAreKept(t *testing.T) {
	m := NewMapOutput(Params{Format: output, Reduces: 3, Lambda: 10, Show: true})
	heavy, long := "heavy", strings.Repeat("long", 20)
	m.Feed([]byte(heavy + "\tv\n" + long + "\tv\n"))
	m.flush()
	for i := range 5000 {
		m.name(id{sum: uint64(i)}, []byte("light"))
		if len(m.names) > 2*spread*10+1 {
			t.Fatalf("%d names", len(m.names))
		}
	}
	top := m.End().Top
	if len(top) != 2 || top[0].Name != sketch.KeyName([]byte(long), true) ||
		top[1].Name != heavy {
		t.Errorf("%+v", top)
	}
}

func benchmark(b *testing.B, size int, key func(i int) string) {
	piece := make([]byte, 0, 8<<20)
	for i := 0; len(piece) < 8<<20-size; i++ {
		record := key(i) + "\t"
		piece = append(piece, record...)
		piece = append(piece, bytes.Repeat([]byte("x"), size-len(record)-1)...)
		piece = append(piece, '\n')
	}
	m := NewMapOutput(Params{Format: output, Reduces: 20, Lambda: 2000})
	b.SetBytes(int64(len(piece)))
	b.ReportAllocs()
	for b.Loop() {
		for i := 0; i < len(piece); i += 64 << 10 {
			m.Feed(piece[i:min(i+64<<10, len(piece))])
		}
	}
}

func BenchmarkMapOutput(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.2, 1, 1<<20)
	for _, size := range []int{16, 100, 1000} {
		b.Run(fmt.Sprintf("zipf/%d", size), func(b *testing.B) {
			benchmark(b, size, func(int) string { return fmt.Sprintf("k%06d", zipf.Uint64()) })
		})
		b.Run(fmt.Sprintf("unique/%d", size), func(b *testing.B) {
			benchmark(b, size, func(int) string { return fmt.Sprintf("k%08d", r.IntN(1e8)) })
		})
	}
}
