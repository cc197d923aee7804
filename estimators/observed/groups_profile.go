package observed

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// speeded are the groups that an earlier run has finished, at this run's speed: by what both took for groups of one
// size where this run has shown enough, else by how much slower its maps are. How the reduces' time by bytes compares
// says nothing: larger keys take more of it.
func (g *jobGroups) speeded(slow *slowdown) []dag.GroupPoint {
	var out []dag.GroupPoint
	for i := range g.known.Reduces {
		out = append(out, g.known.Reduces[i].Done...)
	}
	f := slow.of(g.job, dag.Map)
	if g.own != nil {
		if shown, ok := g.compared(out); ok {
			f = shown
		}
	}
	for i := range out {
		out[i].Took = time.Duration(min(float64(out[i].Took)*f, float64(math.MaxInt64)/2))
	}
	return out
}

// compared is how many times as long this run's groups take as those of a curve say.
func (g *jobGroups) compared(curve []dag.GroupPoint) (float64, bool) {
	job := nearestfit.New(make([]nearestfit.Task, 1), g.m.pooled())
	for _, d := range curve {
		job.Record(0, 0, d.Bytes, d.Took.Seconds(), d.Count)
	}
	p := job.Predict()
	var took, thought float64
	for i := range g.own.Reduces {
		for _, d := range g.own.Reduces[i].Done {
			if one, rule := p.Time(0, d.Bytes); rule != nearestfit.NoRule {
				took += d.Took.Seconds() * d.Count
				thought += one * d.Count
			}
		}
	}
	if !(took*1000 >= minRatioMS && thought*1000 >= minRatioMS) {
		return math.NaN(), false
	}
	return clip(took / thought), true
}

// scaled are an earlier run's sizes as those of this run, which has told none: the same keys, each larger or smaller as
// its reduce is. nil where the numbers of reduces differ, so that keys lie elsewhere.
func (g *jobGroups) scaled(known *dag.Job) *dag.Groups {
	if len(g.known.Reduces) != g.n || known.Stages[dag.Reduce].Count() != g.n {
		return nil
	}
	out := &dag.Groups{Origin: g.known.Origin, Reduces: make([]dag.ReduceGroups, g.n)}
	ratio := g.m.growth(g.job, dag.Map)
	if math.IsNaN(ratio) {
		ratio = 1
	}
	ph := &g.m.phases[g.job][dag.Reduce]
	for i := range out.Reduces {
		r, f := g.known.Reduces[i], ratio
		// What is shuffled may be compressed, and is more than keys and values: like is compared with like.
		was := known.Stages[dag.Reduce].Bytes.At(i)
		if !(was > 0) {
			was = r.Bytes
		}
		if size := ph.size(i); !g.m.fifo && size > 0 && was > 0 {
			f = size / was
		}
		r = grown(r, f)
		r.Done, r.Attempt = nil, -1
		out.Reduces[i] = r
	}
	return out
}

// folds is into how many parts an earlier run's groups are divided to be judged.
const folds = 8

// crossJudged is how far off NearestFit and the linear model are on an earlier run's groups, each part of its reduces
// predicted from the others: nothing tells in which order they came. Of few reduces the points are divided.
func crossJudged(g *dag.Groups, params nearestfit.Params) verdict {
	var v verdict
	n := len(g.Reduces)
	for f := range folds {
		job := nearestfit.New(make([]nearestfit.Task, 1), params)
		var rest spent
		part := func(visit func(d *dag.GroupPoint), held bool) {
			for i := range g.Reduces {
				for k := range g.Reduces[i].Done {
					at := i
					if n < judgedBatches {
						at = k
					}
					if (at%folds == f) == held {
						visit(&g.Reduces[i].Done[k])
					}
				}
			}
		}
		part(func(d *dag.GroupPoint) {
			job.Record(0, 0, d.Bytes, d.Took.Seconds(), d.Count)
			rest.add(d)
		}, false)
		p := job.Predict()
		var b batch
		part(func(d *dag.GroupPoint) {
			one, _ := p.Time(0, d.Bytes)
			line := rest.alpha() * d.Bytes * d.Count
			b.add(batch{d.Count, d.Took.Seconds() * d.Count, one * d.Count, line, line})
		}, true)
		v.count([]batch{b})
	}
	return v
}
