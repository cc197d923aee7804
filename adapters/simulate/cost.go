package simulate

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// forever is longer than any run: the remaining time of an attempt on a dead node.
const forever = 100 * 365 * 24 * time.Hour

// firstBatch is how long starts are cold after the first start of the run (facts/measured.md 4).
const firstBatch = 1600 * time.Millisecond

func millis(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// millisOf converts milliseconds to a Duration, rounded to nanoseconds.
func millisOf(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

// left returns the true remaining cost of a task.
func (w *simulation) left(t schedule.Task) schedule.Cost {
	key := w.keyOf(t.Job, t.Stage, int32(t.Index), int32(t.Attempt))
	if t.Running != nil {
		a := w.attempts[key]
		if a.frozen {
			return schedule.Cost{Work: forever, Same: 1}
		}
		return schedule.Cost{Setup: max(0, a.ready.Sub(w.now)), Work: millis(a.left(w.now)), Same: 1}
	}
	a := &attempt{attemptKey: key, start: t.Start, slot: -1, node: int32(t.Node), unfailed: dag.NoInstant}
	if w.plan.Cluster.Policy == dag.FIFO {
		a.node = w.open[t.Node]
		a.slot = a.node*w.perNode() + int32(t.Slot)%w.perNode()
	}
	a.seen = dag.BlankAttempt(key.task, key.number)
	w.measure(a)
	setup := w.setup(key, t)
	a.ready = a.start.Add(setup)
	w.attempts[key] = a
	return schedule.Cost{Setup: setup, Work: millis(a.work), Same: 1}
}

// measure sets the work of an attempt: floor(s alpha N + 0.5) ms for each pipeline (facts/paratimer.md A1). s is
// the product of the attempt's noise, the run's pace and the node's slowness. For a reduce with known key groups, the
// work is that of its groups.
func (w *simulation) measure(a *attempt) {
	st := a.stage
	draw := random(w.opt.Seed, drawNoise, st.job, st.index, a.task, a.number)
	a.factor = w.pace * w.opt.Family.factor(draw, w.opt.Noise)
	if a.node >= 0 && int(a.node) < len(w.nodes) {
		a.factor *= w.nodes[a.node].slow
	}
	for p, pipe := range st.Pipelines {
		if p == dag.Work && st.keyed != nil {
			a.groups = w.walk(a)
			a.work = a.groupsEnd(len(a.groups.size))
		} else {
			tuples, alpha := pipe.Tuples.At(int(a.task)), pipe.Alpha.At(int(a.task))
			a.work += int64(min(maxWorkMS, math.Floor(a.factor*alpha*tuples+0.5)))
		}
		a.ends[p] = a.work
	}
	if st.isMap {
		a.work += w.opt.Stall.Milliseconds()
	}
}

// setup returns the time from start to first tuple: the stage's own if the plan has it, else the cluster's. On YARN
// it follows the law of JVMs that start together on a node (dag.Overheads), and the first starts take longer.
func (w *simulation) setup(key attemptKey, t schedule.Task) time.Duration {
	st, o := key.stage, &w.plan.Overheads
	if !w.firstStart.Known() {
		w.firstStart = t.Start
	}
	// All attempts of a task have the same factor, and all tasks of the run have a part of it.
	factor := w.opt.Family.factor(random(w.opt.Seed, drawSetups, 0, 0, 0, 0), w.opt.SetupNoise) *
		w.opt.Family.factor(random(w.opt.Seed, drawSetup, st.job, st.index, key.task, 0), w.opt.SetupNoise)
	if ms := st.Setup.At(int(key.task)); ms >= 0 && ms <= maxWorkMS {
		return millis(int64(min(factor*ms, maxWorkMS)))
	}
	setup := w.plan.Cluster.Setup
	if w.plan.Cluster.Policy != dag.FIFO {
		setup += o.SetupMin + time.Duration(max(t.Together, 1))*o.SetupPer
		if t.Start <= w.firstStart.Add(firstBatch) {
			setup += o.Cold
		}
	}
	if factor == 1 {
		return setup
	}
	return millis(int64(min(factor*float64(setup.Milliseconds()), maxWorkMS)))
}

// fault returns whether and when an attempt fails, and records when it would have ended otherwise.
func (w *simulation) fault(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
	a := w.attempts[w.keyOf(t.Job, t.Stage, int32(t.Index), int32(t.Attempt))]
	// A later attempt cannot exist: its job would have failed, as each lost node kills a task at most once.
	if a.frozen || t.Attempt >= w.opt.MaxAttempts+len(w.opt.Lose) {
		return 0, false
	}
	at, fails := w.failure(a, start, end)
	if fails {
		a.unfailed = end
	}
	return at, fails
}

// failure returns whether and when an attempt that runs from start to end fails.
func (w *simulation) failure(a *attempt, start, end dag.Instant) (at dag.Instant, fails bool) {
	at = end
	st := a.stage
	for _, f := range w.opt.Fail {
		when := w.opt.Start.Add(f.At)
		if f.After > 0 {
			when = start.Add(f.After)
		}
		is := f.Stage == st.index && f.Task == int(a.task) && w.plan.Jobs[st.job].Node == f.Job &&
			(f.After == 0 || f.Attempt == int(a.number))
		if is && when > start { // an attempt that starts at this instant is the next one
			at = min(at, when)
		}
	}
	if w.opt.FailRate > 0 {
		r := random(w.opt.Seed, drawFailure, st.job, st.index, a.task, a.number)
		if hours := r.ExpFloat64() / w.opt.FailRate; hours < maxPause.Hours() {
			at = min(at, start+dag.Instant(hours*float64(time.Hour/time.Millisecond)))
		}
	}
	return at, at < end
}

// skewed returns the plan with Zipf-sized reduces, each size scaled to the stage's sum. Reduces with key groups keep
// their sizes.
func skewed(p *dag.Plan, s float64) *dag.Plan {
	q := *p
	q.Jobs = dag.CloneJobs(p.Jobs)
	for j := range q.Jobs {
		if !q.Jobs[j].IsMapReduce() || keyedJob(&q.Jobs[j]) != nil {
			continue
		}
		st := &q.Jobs[j].Stages[dag.Reduce]
		st.Pipelines = slices.Clone(st.Pipelines)
		sizes := []*dag.Series{&st.Out, &st.Bytes}
		for i := range st.Pipelines {
			sizes = append(sizes, &st.Pipelines[i].Tuples)
		}
		for _, of := range sizes {
			if total := of.Sum(st.Count()); st.Count() > 1 && !math.IsNaN(total) {
				*of = zipf(total, st.Count(), s)
			}
		}
	}
	return &q
}

// zipf returns n whole sizes that are proportional to r^-s, of about this sum.
func zipf(total float64, n int, s float64) dag.Series {
	weights, sum := make([]float64, n), 0.0
	for r := range weights {
		weights[r] = math.Pow(float64(r+1), -s)
		sum += weights[r]
	}
	for r := range weights {
		weights[r] = math.Round(total * weights[r] / sum)
	}
	return dag.Each(weights)
}

// A draw is the purpose of a random number. Every number depends only on the seed and its purpose, so that another
// failure does not change the noise of other tasks.
type draw uint8

const (
	drawNoise draw = iota
	drawFailure
	drawOrder
	drawSpeed
	drawSetups
	drawSetup
	drawWalk
)

// random returns a generator for one purpose of one attempt.
func random(seed uint64, d draw, job int, k dag.StageIndex, task, attempt int32) *rand.Rand {
	h := mix(uint64(d)<<8 | uint64(k))
	h = mix(h ^ uint64(job))
	h = mix(h ^ uint64(task))
	h = mix(h ^ uint64(attempt))
	return rand.New(rand.NewPCG(seed, h))
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood 2014). It separates neighboring numbers.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// factor draws a random factor with this sigma. It is above 0 and at most maxFactor.
func (f Family) factor(r *rand.Rand, sigma float64) float64 {
	if sigma == 0 {
		return 1
	}
	if f == nil {
		f = Lognormal
	}
	return min(max(f(r, sigma), 1/maxFactor), maxFactor)
}

// A Family is the shape of a random factor with median 1, or near it. Sigma is about the standard deviation of the
// factor's logarithm. Tests use several shapes, because cost models assume one of them.
type Family func(r *rand.Rand, sigma float64) float64

// Lognormal is the family of nil.
func Lognormal(r *rand.Rand, sigma float64) float64 { return math.Exp(sigma * r.NormFloat64()) }

// Gamma is a family of mean 1.
func Gamma(r *rand.Rand, sigma float64) float64 { return gamma(r, 1/(sigma*sigma)) * sigma * sigma }

// gamma draws from the gamma distribution of a shape and scale 1 (Marsaglia and Tsang, "A Simple Method for Generating
// Gamma Variables", 2000; section 6 for shapes below 1).
func gamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(r, shape+1) * math.Pow(1-r.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	for {
		x := r.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		if v = v * v * v; v > 0 && math.Log(1-r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
