package paper

import (
	"github.com/paratimer/paratimer/dag"

	"github.com/paratimer/paratimer/estimators"
)

// parallax is Parallax (Morton et al., ICDE 2010) as in the ParaTimer paper's comparison: jobs and stages strictly
// one after another, each at the average width n / ceil(n/C) of its n unfinished tasks, with the cost model's own
// slowdown (docs/facts/paratimer.md A10, P15: parallax_avg_ms). Set-up counts once a round of pending tasks, and
// not for running tasks.
func parallax(w *estimators.ReplayContext) (estimators.Estimate, error) {
	return sumStages(w, func(job int, k dag.StageIndex, p *estimators.StageLeft) float64 {
		c := estimators.Slots(w.Now().Plan, job, k)
		n := p.Unfinished()
		rounds := (n + c - 1) / c
		work, setup := workAndSetup(p)
		return work*float64(rounds)/float64(n) + setup*float64((p.Pending+c-1)/c)
	})
}

// parallaxRounds packs the unfinished tasks of a stage into rounds of C, running ones first, and adds up the mean
// remaining time of each round (docs/facts/paratimer.md A10: parallax_rounds_ms).
func parallaxRounds(w *estimators.ReplayContext) (estimators.Estimate, error) {
	return sumStages(w, func(job int, k dag.StageIndex, p *estimators.StageLeft) float64 {
		pack := packing{width: estimators.Slots(w.Now().Plan, job, k)}
		for _, running := range []bool{true, false} {
			for g := range p.All() {
				if g.Running == running {
					pack.add(g)
				}
			}
		}
		pack.close()
		return pack.sum
	})
}

// sumStages sums remaining over the stages that have unfinished tasks.
func sumStages(w *estimators.ReplayContext,
	remaining func(job int, k dag.StageIndex, p *estimators.StageLeft) float64,
) (estimators.Estimate, error) {
	sum := 0.0
	w.EachStage(func(job int, k dag.StageIndex, p *estimators.StageLeft) {
		if p.Unfinished() > 0 {
			sum += remaining(job, k, p)
		}
	})
	return w.EstimateOfCosts(sum), nil
}

// workAndSetup returns the remaining work of all unfinished tasks without set-up, and the mean set-up of a pending
// task.
func workAndSetup(p *estimators.StageLeft) (work, setup float64) {
	for g := range p.All() {
		work += g.Work() * float64(g.Count)
		if !g.Running {
			setup += g.Setup * float64(g.Count)
		}
	}
	if p.Pending > 0 {
		setup /= float64(p.Pending)
	}
	return work, setup
}

// A packing fills rounds of a fixed width with tasks, and sums the means of the rounds.
type packing struct {
	width, n  int
	left, sum float64
}

func (p *packing) add(g *estimators.TaskGroup) {
	ms := g.Rem
	if g.Running {
		ms = g.Work()
	}
	for count := g.Count; count > 0; {
		if p.n == 0 && count >= p.width {
			// Whole rounds of equal tasks: their mean is the task.
			p.sum += ms * float64(count/p.width)
			count %= p.width
			continue
		}
		m := min(count, p.width-p.n)
		p.left += ms * float64(m)
		p.n += m
		count -= m
		if p.n == p.width {
			p.close()
		}
	}
}

func (p *packing) close() {
	if p.n > 0 {
		p.sum += p.left / float64(p.n)
	}
	p.left, p.n = 0, 0
}
