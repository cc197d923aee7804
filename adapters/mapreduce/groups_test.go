package mapreduce

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

const second = dag.Instant(1000)

func TestRecordBytes(t *testing.T) {
	nan := math.NaN()
	reduce := dag.Attempt{Bytes: 1000, Ratio: 5. / 6}
	reduce.Done[dag.Work] = 25
	for _, c := range []struct {
		name string
		maps []mrjob.Counts
		want float64
	}{
		{"by the maps", []mrjob.Counts{
			{MapOut: 10, MapOutBytes: 300, CombineIn: nan, CombineOut: nan},
			{MapOut: 10, MapOutBytes: 100, CombineIn: nan, CombineOut: nan},
			{
				MapOut: nan, MapOutBytes: nan,
				CombineIn: nan, CombineOut: nan,
			},
		}, 20},
		{"after a combiner", []mrjob.Counts{{MapOut: 100, MapOutBytes: 300, CombineIn: 100, CombineOut: 10}}, 30},
		{
			"after a combiner that ran again on what it had written",
			[]mrjob.Counts{{MapOut: 100, MapOutBytes: 300, CombineIn: 190, CombineOut: 100}},
			30,
		},
		{
			"by the reduce itself, which has read a half",
			[]mrjob.Counts{{MapOut: nan, MapOutBytes: nan, CombineIn: nan, CombineOut: nan}},
			20,
		},
	} {
		j := &job{perRecord: nan}
		for i := range c.maps {
			t := newTask(j, dag.Map, int32(i))
			t.out = outputOf(&c.maps[i])
			j.tasks[dag.Map].Add(int32(i), t)
		}
		if got := j.recordBytes(&dag.Attempt{}); !math.IsNaN(got) {
			t.Errorf("%s: settled at %v before a reduce has read anything", c.name, got)
		}
		if got := j.recordBytes(&reduce); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v bytes a record, want %v", c.name, got, c.want)
		}
		j.tasks[dag.Map].Find(0).out = output{1e9, 1}
		if got := j.recordBytes(&reduce); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v bytes a record, it was settled at %v", c.name, got, c.want)
		}
	}
}

// The groups of a reduce without reports are unknown, not empty. A snapshot leaves out the groups of an abandoned
// attempt.
func TestGroupsOfAJob(t *testing.T) {
	j := newJob(&yarn.App{})
	j.perRecord = 100
	p := &j.tasks[dag.Reduce]
	r := newTask(j, dag.Reduce, 1)
	if p.Add(1, r); j.groups() != nil {
		t.Error("groups of a job whose tasks are not known")
	}
	j.counted = [2]int{3, 2}
	if j.groups() != nil {
		t.Error("groups of a job that has told nothing")
	}
	a := r.attempt(0)
	a.State, a.SortEnd, a.Bytes, a.Ratio = dag.AttemptRunning, second, 500, 0.9
	a.Done[dag.Work] = 5
	for at := range 3 {
		r.groups.Count(a, &mrjob.Counts{Groups: float64(at + 1), ReduceIn: 5, Sum: float64(at + 1)}, 100, false,
			second*dag.Instant(2+at), 16)
	}
	g := j.groups()
	if g == nil || g.Origin != dag.GroupsCounted || len(g.Reduces) != 2 || !math.IsNaN(g.Reduces[0].Bytes) ||
		g.Reduces[0].Attempt != -1 ||
		g.Reduces[1].Bytes != 500 || g.Reduces[1].Implicit != 500 || len(g.Reduces[1].Done) != 2 {
		t.Fatalf("groups are %+v", g)
	}
	// The third is open: nothing was read of it yet.
	if r := g.Reduces[1]; r.OpenBytes != 0 || r.OpenSince != 3*second+500 || !math.IsNaN(g.Reduces[0].OpenBytes) ||
		g.Reduces[0].OpenSince.Known() {
		t.Errorf("open are %+v", g.Reduces)
	}
	p.Attempts(func(to []dag.Attempt, _ int32, _ *task) []dag.Attempt { return to })
	if j.groups() != g {
		t.Error("made anew without a change")
	}
	a.State = dag.AttemptKilled
	b := r.attempt(1)
	b.State = dag.AttemptRunning
	b.Done[dag.Work] = 1 // it has read something, and not told of groups
	p.Change(1)
	if again := j.groups(); again.Reduces[1].Attempt != -1 || len(again.Reduces[1].Done) != 0 ||
		len(g.Reduces[1].Done) != 2 {
		t.Errorf("attempt 1 runs, and the groups are %+v", again.Reduces[1])
	}
}
