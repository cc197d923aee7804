package pathfrag_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// drawCluster makes a drawn plan one of slots or of containers.
func drawCluster(t *rapid.T) *dag.Plan {
	p := golden.Draw(t).Plan
	if rapid.Bool().Draw(t, "slots") {
		return p
	}
	p.Overheads = dag.Overheads{
		Launch: 40 * time.Millisecond, AMStart: 10 * time.Millisecond,
		Wave: 15 * time.Millisecond, Finish: 5 * time.Millisecond,
	}
	nodes := rapid.IntRange(1, 3).Draw(t, "nodes")
	p.Cluster = dag.Cluster{Policy: dag.YARN, MemoryMB: nodes * 3072}
	for n := range nodes {
		p.Cluster.Nodes = append(p.Cluster.Nodes, dag.Node{Name: string(rune('A' + n)), MemoryMB: 3072})
	}
	for j := range p.Jobs {
		p.Jobs[j].MasterMB = 512
		p.Jobs[j].MapReduce = dag.MapReduceLimits{
			MapMB: 256, ReduceMB: 256,
			SlowStart: rapid.SampledFrom([]float64{0.05, 1}).Draw(t, "slow start"), RampUp: 0.5,
		}
	}
	return p
}

// TestHappenedHolds checks, at every snapshot of drawn runs with failures and lost nodes, what makes a schedule of what
// happened, alone and joined with what is to come: every attempt is in it once, no row holds two at once, the path
// through it is as long as it is, and what has happened is not changed by what is expected.
func TestHappenedHolds(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		plan := drawCluster(t)
		opt := simulate.Options{
			Seed: rapid.Uint64().Draw(t, "seed"), Every: 50 * time.Millisecond, Noise: 0.3,
			FailRate: rapid.SampledFrom([]float64{0, 3000}).Draw(t, "fail rate"),
		}
		if rapid.Bool().Draw(t, "lose") {
			opt.Lose = []simulate.LostNode{{
				At:     time.Duration(rapid.IntRange(1, 400).Draw(t, "at")) * time.Millisecond,
				Detect: 60 * time.Millisecond,
			}}
		}
		src, err := simulate.New(plan, opt)
		if err != nil {
			t.Skip(err)
		}
		for range 60 {
			s, err := src.Next(context.Background())
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Skip(err) // its only node is lost
			}
			sch, err := schedule.History(s)
			if err != nil {
				t.Fatal(err)
			}
			checkRows(t, s, sch, seenAttempts(s))
			checked++
			if s.State.Ended() {
				return
			}
			future, err := schedule.Replay(s, func(schedule.Task) schedule.Cost {
				return schedule.Cost{Work: 30 * time.Millisecond, Same: 1}
			}, schedule.Options{})
			if err != nil {
				continue // tasks are left that can never run
			}
			joined, err := schedule.HistoryAndPlan(s, future)
			if err != nil {
				t.Fatal(err)
			}
			checkRows(t, s, joined, -1)
			if joined.End < future.End {
				t.Fatalf("ends at %d, expected at %d", joined.End, future.End)
			}
			if was, is := pastTasks(sch), pastTasks(joined); !slices.Equal(was, is) {
				t.Fatalf("the past was\n%v\nand is\n%v", was, is)
			}
		}
	})
	if t.Logf("%d snapshots", checked); checked == 0 {
		t.Error("nothing was checked")
	}
}

// seenAttempts counts those that have started.
func seenAttempts(s *dag.Snapshot) int {
	n := 0
	for j := range s.Jobs {
		n += len(s.Jobs[j].Stages[dag.Map].Attempts) + len(s.Jobs[j].Stages[dag.Reduce].Attempts)
	}
	return n
}

// A pastTask is an attempt that has ended, wherever it ran.
type pastTask struct {
	job, task, attempt int32
	kind               dag.StageIndex
	start, end         dag.Instant
	slot               int32
}

func pastTasks(s *schedule.Schedule) []pastTask {
	var out []pastTask
	for _, sp := range s.Spans {
		if sp.Past && sp.Stage <= dag.Reduce {
			for c := range sp.Count {
				out = append(out, pastTask{sp.Job, sp.First + c, sp.Attempt, sp.Stage, sp.Start, sp.End, sp.Slots[c]})
			}
		}
	}
	return out
}

// checkRows checks that no row runs two attempts at once, and the number of attempts.
func checkRows(t *rapid.T, s *dag.Snapshot, sch *schedule.Schedule, attempts int) {
	t.Helper()
	type row struct {
		slot int32
		kind dag.StageIndex
	}
	last := map[row]dag.Instant{}
	n := 0
	for i, sp := range sch.Spans {
		if sp.End < sp.Start || i > 0 && sp.Start < sch.Spans[i-1].Start || sp.End > sch.End {
			t.Fatalf("span %+v of a schedule that ends at %d", sp, sch.End)
		}
		if sp.Pause != dag.NoPause {
			continue
		}
		n += int(sp.Count)
		for _, slot := range sp.Slots {
			r := row{slot, sp.Stage}
			if s.Plan.Cluster.Policy == dag.YARN {
				r.kind = dag.Map
				if int(slot) >= len(sch.Nodes) {
					t.Fatalf("row %d of %d", slot, len(sch.Nodes))
				}
			}
			if last[r] > sp.Start && sp.End > sp.Start {
				t.Fatalf("row %d runs two attempts at %d: %+v", slot, sp.Start, sp)
			}
			last[r] = max(last[r], sp.End)
		}
	}
	if attempts >= 0 && n != attempts {
		t.Fatalf("%d attempts of %d", n, attempts)
	}
	p, err := pathfrag.Find(s.Plan, sch, pathfrag.Params{Delta1: 10 * time.Millisecond, Delta2: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if p.Length() != sch.End.Sub(sch.Now) {
		t.Fatalf("the path is %v long, the schedule %v", p.Length(), sch.End.Sub(sch.Now))
	}
}
