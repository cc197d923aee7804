package planfile

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// Costs are the float64 nearest to what is written, as a Go constant of that value is.
func TestParseTimeIsExact(t *testing.T) {
	for s, want := range map[string]float64{
		"25ms": 25, "0.37ms": 0.37, "1us": 0.001, "12.8us": 0.0128, "0.0128ms": 0.0128, "3ns": 3e-6, "0.1s": 100,
		"2s":   2000,
		"1.5m": 90_000, "2h": 7_200_000, "1m30s": 90_000, "1e-7s": 1e-4, "0.3us": 0.0003, "4.35us": 0.00435,
	} {
		if got, ok := ParseTime(s); !ok || got != want {
			t.Errorf("%s is %v, %v", s, got, ok)
		}
	}
}

func TestFormatTimeIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Float64Range(0, 1e15).Draw(t, "ms")
		if got, ok := ParseTime(timeItem(ms).text); !ok || got != ms {
			t.Fatalf("%v is written %s and read %v", ms, timeItem(ms).text, got)
		}
	})
}

func TestDurations(t *testing.T) {
	read := (&Spec{Type: reflect.TypeFor[time.Duration]()}).formOf().read
	duration := func(s string) (d time.Duration, ok bool) {
		ok = read(&item{kind: text, text: s}, reflect.ValueOf(&d).Elem())
		return d, ok
	}
	for s, want := range map[string]time.Duration{
		"2s": 2 * time.Second, "0.3s": 300 * time.Millisecond,
		"1e3ms": time.Second, "1us": 1000, "1h0m1ns": time.Hour + 1,
	} {
		if got, ok := duration(s); !ok || got != want {
			t.Errorf("%s is %v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "2", "-2s", "+2s", "1e300s", "3000000h"} {
		if got, ok := duration(s); ok {
			t.Errorf("%q is %v", s, got)
		}
	}
}

func TestParseMemory(t *testing.T) {
	read := (&Spec{Type: reflect.TypeFor[int](), options: []string{"MB"}}).formOf().read
	memory := func(s string) (mb int, ok bool) {
		ok = read(&item{kind: text, text: s}, reflect.ValueOf(&mb).Elem())
		return mb, ok
	}
	for s, want := range map[string]int{
		"3072MB": 3072, "3GB": 3072, "1.5GB": 1536, "512m": 512, "2g": 2048,
		"1TB": 1 << 20, "2048KB": 2, "4GiB": 4096, "1 GB": 1024,
	} {
		if got, ok := memory(s); !ok || got != want {
			t.Errorf("%s is %d, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "3072", "MB", "1XB", "0.1MB", "100KB", "-1GB", "1e30GB", "GB3"} {
		if got, ok := memory(s); ok {
			t.Errorf("%q is %d", s, got)
		}
	}
}

// Keys are drawn as they are described, and records, costs and bytes are those of the groups.
func TestKeys(t *testing.T) {
	const file = `
cluster: {map_slots: 1, reduce_slots: 1}
jobs:
- name: j
  map: {tasks: 1}
  reduce:
    tasks: 4
    keys: {values: 100000, distinct: 5000, zipf: 1.2, value_bytes: 8, cost: {fixed: 20us, per: 1us, power: 2}, seed: 1}
`
	p, err := read(t, file)
	if err != nil {
		t.Fatal(err)
	}
	reduce := &p.Jobs[0].Stages[dag.Reduce]
	keys, values, largest := 0.0, 0.0, 0.0
	for i, r := range reduce.Groups.Reduces {
		bytes, work := 0.0, 0.0
		for n, s := range r.Explicit {
			keys += s.Count
			bytes += s.Bytes * s.Count
			largest = max(largest, s.Bytes)
			took := r.Done[n].Took.Seconds()
			if want := 20e-6 + 1e-6*math.Pow(s.Bytes/8, 2); math.Abs(took-want) > 1e-9 || r.Done[n].Bytes != s.Bytes ||
				r.Done[n].Count != s.Count {
				t.Errorf("task %d: a group of %v bytes is %+v, want %v s", i, s.Bytes, r.Done[n], want)
			}
			work += took * s.Count
		}
		values += bytes / 8
		records := reduce.Pipelines[dag.Work].Tuples.At(i)
		if bytes != r.Bytes || bytes != reduce.Bytes.At(i) || records != bytes/8 || r.Implicit != 0 {
			t.Errorf("task %d: %v bytes, %v of a task, %v records for %v in groups", i, r.Bytes, reduce.Bytes.At(i),
				records, bytes)
		}
		if ms := records * reduce.Pipelines[dag.Work].Alpha.At(i); math.Abs(ms/1000-work) > 1e-6*work {
			t.Errorf("task %d works %v ms, its groups %v s", i, ms, work)
		}
		if last := len(r.Explicit) - 1; r.Top[0].Bytes != r.Explicit[last].Bytes || len(r.Top) != dag.MaxTopGroups {
			t.Errorf("task %d: the largest of %d is %+v", i, len(r.Top), r.Top[0])
		}
	}
	// The sum of r^-1.2 for r up to 5000 is 4.6811 (numpy), so that the first key has 21,362 values; rounding adds a
	// few.
	if keys != 5000 || math.Abs(values-100_000) > 2000 || largest != 8*21_362 {
		t.Errorf("%v keys, %v values, the largest %v bytes", keys, values, largest)
	}
	again, _ := read(t, file)
	if a, b := again.Jobs[0].Stages[dag.Reduce].Groups.Reduces[2], reduce.Groups.Reduces[2]; a.Bytes != b.Bytes ||
		len(a.Done) != len(b.Done) {
		t.Error("the same file gives other keys")
	}
}
