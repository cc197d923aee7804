package estimators_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
)

// skewedDAG is a random DAG of jobs with skewed reduces, and an order of handing each job's reduces out.
func skewedDAG(r *rand.Rand) (*dag.Plan, map[int][]int) {
	c := 2 + r.IntN(6)
	plan := &dag.Plan{Cluster: dag.Cluster{MapSlots: c, ReduceSlots: c, Setup: time.Second}}
	order := make(map[int][]int)
	for j := range 1 + r.IntN(4) {
		job := dag.Job{Node: fmt.Sprint("j", j), Stages: dag.MapReduce(golden.PhaseOf(1+r.IntN(3*c), 1000,
			5+20*r.Float64()),
			dag.Stage{})}
		n := r.IntN(3 * c)
		sizes := zipfSizes(n, r.Float64(), float64(n)*20_000)
		job.SetStage(dag.Reduce, golden.PhaseOf(n, 0, 0.3, 0, 0.1, 0, 0.6))
		for p := range job.Stages[dag.Reduce].Pipelines {
			job.Stages[dag.Reduce].Pipelines[p].Tuples = dag.Each(sizes)
		}
		for a := range j {
			if r.IntN(3) == 0 {
				job.After = append(job.After, a)
			}
		}
		order[j] = shuffled(n, r.Uint64())
		plan.Jobs = append(plan.Jobs, job)
	}
	return plan, order
}

// Section 3.3 on DAGs, where jobs' reduces may share slots: whatever the order of reduces, the truth lies between
// skew_low and skew_high but for one tick in a hundred. What remains are runs in which skew beside the critical path
// outgrows its slack.
func TestSkewBoundsOfDAGs(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 9))
	var ticks, outside int
	var worst float64
	for range 150 {
		plan, order := skewedDAG(r)
		c := play(t, truth{Plan: plan, Order: order})
		c.Each(5*time.Second, plannedCosts, pathfrag.Params{}, func(at dag.Instant, w *estimators.ReplayContext) {
			low, high := taskcost.MS(*answer(t, w, "skew_low").Remaining), taskcost.MS(*answer(t, w,
				"skew_high").Remaining)
			left := float64(c.Total - at)
			ticks++
			if off := max(left-high, low-left); off > 50 {
				outside++
				worst = max(worst, 100*off/float64(c.Total))
			}
		})
	}
	t.Logf("%d of %d ticks lie outside, by %.1f%% of the run at most", outside, ticks, worst)
	if ticks < 4000 || outside*100 > ticks || worst > 10 {
		t.Errorf("%d of %d ticks lie outside, by %.1f%% of the run at most", outside, ticks, worst)
	}
}
