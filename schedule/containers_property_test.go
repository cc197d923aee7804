package schedule

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

func drawYARN(t *rapid.T) *dag.Snapshot {
	p := &dag.Plan{
		Cluster:   dag.Cluster{Policy: dag.YARN, MemoryMB: 256 * rapid.IntRange(8, 40).Draw(t, "room")},
		Overheads: recordedOverheads,
	}
	p.Driver = rapid.SampledFrom([]dag.Driver{dag.Waves, dag.Eager, dag.Serial}).Draw(t, "driver")
	n := rapid.IntRange(1, 5).Draw(t, "jobs")
	for j := range n {
		var after []int
		for a := range j {
			if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
				after = append(after, a)
			}
		}
		job := yarnJobOf(fmt.Sprint("j", j), after, rapid.IntRange(0, 30).Draw(t, "maps"),
			rapid.IntRange(0, 8).Draw(t, "reduces"))
		job.MapReduce.SlowStart = rapid.SampledFrom([]float64{0.05, 0.5, 1}).Draw(t, "slow start")
		p.Jobs = append(p.Jobs, job)
	}
	s := blankSnapshot(p)
	if rapid.Bool().Draw(t, "other") {
		s.Load = []dag.Load{{
			ID: "x", HeldMB: 512, PendingMB: 1024,
			Until: dag.Instant(rapid.IntRange(1, 100_000).Draw(t, "until")),
		}}
	}
	return s
}

// Every task runs once more than it fails, no instant is left uncovered, memory is never over-committed, and the same
// input gives the same schedule.
func TestYARNProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawYARN(t)
		length := rapid.IntRange(1, 30_000).Draw(t, "work")
		left := func(task Task) Cost {
			return Cost{
				Setup: time.Duration(500*max(task.Together, 1)) * time.Millisecond,
				Work:  time.Duration(length+task.Index*37) * time.Millisecond, Same: 1,
			}
		}
		sick := int32(rapid.IntRange(-1, 10).Draw(t, "sick"))
		opt := Options{Fault: func(task Task, start, end dag.Instant) (dag.Instant, bool) {
			return (start + end) / 2, int32(task.Index) == sick && task.Attempt < 2
		}}
		sch, err := Replay(s, left, opt)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Replay(s, left, opt)
		if err != nil || !reflect.DeepEqual(sch, again) {
			t.Fatalf("a second replay differs: %v", err)
		}
		conserve(t, s, sch)
		cover(t, sch)
		fits(t, s, sch)
	})
}

func conserve(t *rapid.T, s *dag.Snapshot, sch *Schedule) {
	type key struct{ job, kind, task int32 }
	ok, failed := map[key]int{}, map[key]int32{}
	for _, sp := range sch.Spans {
		for i := range sp.Count {
			k := key{sp.Job, int32(sp.Stage), sp.First + i}
			if sp.Outcome == OK {
				ok[k]++
			} else {
				failed[k]++
			}
		}
	}
	for j := range s.Plan.Jobs {
		for _, kind := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for i := range int32(s.Plan.Jobs[j].Stages[kind].Count()) {
				if k := (key{int32(j), int32(kind), i}); ok[k] != 1 {
					t.Fatalf("task %d of stage %d of job %d succeeds %d times", i, kind, j, ok[k])
				}
			}
		}
	}
}

func cover(t *rapid.T, sch *Schedule) {
	reached := sch.Now
	for _, sp := range sch.Spans {
		if sp.Start > reached {
			t.Fatalf("nothing covers %d to %d", reached, sp.Start)
		}
		reached = max(reached, sp.End)
	}
	if reached < sch.End {
		t.Fatalf("nothing covers %d to %d", reached, sch.End)
	}
}

func fits(t *rapid.T, s *dag.Snapshot, sch *Schedule) {
	type change struct {
		at dag.Instant
		mb int
	}
	var all []change
	for _, sp := range sch.Spans {
		if sp.Count > 0 && sp.End > sp.Start {
			all = append(all, change{sp.Start, 256 * int(sp.Count)}, change{sp.End, -256 * int(sp.Count)})
		}
	}
	slices.SortFunc(all, func(a, b change) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return a.mb - b.mb
	})
	held := 0
	for _, c := range all {
		if held += c.mb; held > s.Plan.Cluster.MemoryMB {
			t.Fatalf("at %d tasks hold %d MB of %d", c.at, held, s.Plan.Cluster.MemoryMB)
		}
	}
}
