package planfile

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

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
