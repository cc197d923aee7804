package observed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// tapped is a snapshot of jobs with 100 reduces each, all running, of which a tap has told points groups each.
func tapped(jobs, points int) *dag.Snapshot {
	r := rand.New(rand.NewPCG(1, 2))
	out := &dag.Snapshot{
		Plan: &dag.Plan{Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 10_000 * 256}}, At: 1_000_000,
		State: dag.Running, Stale: dag.NoInstant,
	}
	for j := range jobs {
		job := dag.Job{
			Node: fmt.Sprint("j", j), MasterMB: 512, MapReduce: limits(),
			Stages: dag.MapReduce(dag.Stage{Tasks: 10, Known: true}, dag.Stage{Tasks: 100, Known: true}),
		}
		js := dag.JobState{
			ID: fmt.Sprint("job_1_", j), State: dag.Running, Submitted: 0, Started: 3000,
			Finished: dag.NoInstant, Attempt: 1, Stages: make([]dag.StageState, dag.MapReduceStages),
		}
		for i := range int32(10) {
			js.Stages[dag.Map].Attempts = append(js.Stages[dag.Map].Attempts, mapAttempt(i, 5000, 2000, 10, 600,
				30_000))
		}
		js.Groups = &dag.Groups{Origin: dag.GroupsTapped, Maps: 10}
		for i := range int32(100) {
			a := reduceAttempt(i, 1e6, 0.9, dag.Mark{At: 31_000, Done: 1, Out: 1},
				dag.Mark{At: out.At, Done: 900, Out: 900})
			g := dag.NoReduceGroups()
			g.Attempt, g.Bytes = 0, 1e6
			at := 30_000.0
			for range points {
				b := 10 * math.Floor(math.Exp(r.Float64()*7))
				took := b * b / 1e5 * math.Exp(0.05*r.NormFloat64())
				at += took
				g.Done = append(g.Done, dag.GroupPoint{
					At: dag.Instant(at), Bytes: b, Took: time.Duration(took * 1e6),
					Count: 1,
				})
			}
			for k := range 700 {
				b := 500 + float64(k)*20
				g.Explicit = append(g.Explicit, dag.GroupSize{Bytes: b, Count: 1})
			}
			g.Implicit = 5e5
			js.Stages[dag.Reduce].Attempts = append(js.Stages[dag.Reduce].Attempts, a)
			js.Groups.Reduces = append(js.Groups.Reduces, g)
		}
		if points == 0 {
			js.Groups = nil
		}
		out.Plan.Jobs = append(out.Plan.Jobs, job)
		out.Jobs = append(out.Jobs, js)
	}
	return out
}

// BenchmarkTickGroups is the model and a replay of jobs of 100 reduces, with and without groups.
func BenchmarkTickGroups(b *testing.B) {
	for _, c := range []struct{ jobs, points int }{{100, 0}, {10, 0}, {10, 100}, {10, 1000}} {
		b.Run(fmt.Sprintf("jobs=%d/points=%d", c.jobs, c.points), func(b *testing.B) {
			run := runOf(tapped(c.jobs, c.points))
			b.ReportAllocs()
			for b.Loop() {
				m := New(run, Options{})
				if m.ByGroups(0) != (c.points > 0) {
					b.Fatal("it does not go by its groups")
				}
				if _, err := schedule.Replay(m.Snapshot, m.Left, schedule.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
