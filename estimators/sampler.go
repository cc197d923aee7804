package estimators

import (
	"cmp"
	"hash/fnv"
	"io"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A Drawn is one possible future drawn from a cost model: the snapshot to replay, the costs, and the failures.
type Drawn struct {
	Snapshot *dag.Snapshot
	Left     schedule.Left
	Fault    schedule.Fault // nil: nothing fails
	Runs     bool           // Left supports schedule.Task.Count
	// Later returns the time of work that was not announced, given the time of all known work; nil: there is none.
	Later func(known time.Duration) time.Duration
}

// Sampled is the scenario that gives a distribution: the scheduler is replayed from the snapshot with sampled costs
// and failures, and the ends of the replays are the distribution. The factors that a whole replay has in common
// (speed, start-up, pauses) are drawn first: errors of single tasks alone would average out, and give a range that
// covers nothing. Remaining is the median. If not even the scale of the remaining work is known, the distribution
// is empty. If standard gives a floor or nothing, because a stage was never seen or an attempt is far past its
// time, the distribution is wide.
func Sampled() Scenario {
	return Scenario{"sampled", "many worlds that may be, replayed: half of them end by then", replayed}
}

func replayed(w *ReplayContext) (Estimate, error) {
	if w.ended() {
		return w.EstimateOf(0), nil
	}
	draw := w.sampling()
	if draw == nil {
		return Estimate{Progress: math.NaN()}, nil
	}
	d, err := w.distribution(draw)
	if err != nil {
		return Estimate{}, err
	}
	if ms, err := w.standardMS(); err == nil && !w.Run.Now().Plan.Open {
		d.centre(ms)
	}
	e := w.EstimateOf(taskcost.MS(d.At(0.5)))
	e.Distribution = d
	return e, nil
}

// sampling returns the model's own way to draw, or the general one.
func (w *ReplayContext) sampling() func(Draws) Drawn {
	if prepare := w.Costs.Sampling; prepare != nil {
		return prepare()
	}
	return w.generalSampling()
}

const (
	minSamples   = 32
	usualSamples = 128
	// maxReplayed is the number of events that a tick replays, unless minSamples replays have more. Few replays are
	// enough for many tasks: the draws of single tasks average out, and common factors are stratified.
	maxReplayed = 320_000
)

// samples returns the number of replays in a tick for a number of events in each: wanted, or usualSamples if that
// is 0, and fewer if the query is very long. It is a power of two, because stratified draws need one.
func samples(events, wanted int) int {
	n := min(cmp.Or(wanted, usualSamples), maxReplayed/max(events, 1))
	return max(1<<(bits.Len(uint(max(n, 1)))-1), minSamples) //nolint:gosec // above 0
}

// distribution replays each sample on all cores. The result does not depend on which core replays a sample.
func (w *ReplayContext) distribution(draw func(Draws) Drawn) (Distribution, error) {
	events, cores := 0, 0
	if c := &w.Now().Plan.Cluster; c.Policy == dag.Executors && c.Elastic.Each == 0 {
		cores = c.Cores
	}
	w.EachStage(func(_ int, _ dag.StageIndex, p *StageLeft) { events += schedule.RunsOf(p.Unfinished(), cores) })
	n := samples(events, w.options.Samples)
	out := make(Distribution, n)
	errs := make([]error, n)
	seed := seedOf(w.Run.Now())
	workers := min(runtime.GOMAXPROCS(0), n)
	var wait sync.WaitGroup
	panics := make([]any, workers)
	for k := range workers {
		wait.Go(func() {
			defer func() { panics[k] = recover() }()
			var lean schedule.EndOnly
			for i := k; i < n; i += workers {
				s := draw(Draws{seed: seed, own: mix(seed ^ mix(uint64(i)+1)), sample: uint64(i), of: uint64(n)})
				sch, err := schedule.Replay(s.Snapshot, s.Left, schedule.Options{
					Fault: s.Fault, Runs: s.Runs, FutureOnly: true, EndOnly: &lean,
				})
				if err != nil {
					errs[i] = err
					continue
				}
				if out[i] = max(sch.Remaining(), 0); s.Later != nil {
					out[i] += max(s.Later(out[i]), 0)
				}
			}
		})
	}
	wait.Wait()
	if p := cmp.Or(panics...); p != nil {
		panic(p) // here the caller can recover it
	}
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	slices.Sort(out)
	return out, nil
}

// centreMost is the greatest move of a distribution towards standard, as a ratio.
const centreMost = 0.1

// centre moves the median towards the standard estimate, by a tenth at most. Parallel tasks with drawn costs end
// later than tasks with mean costs, but costs from real runs already include this. So the median of the replays is
// no better than one replay with the best costs, and too late (facts/measured.md 6). A larger difference (an
// attempt past its time, a stage never seen) is no such bias and stays.
func (d Distribution) centre(standard float64) {
	median := taskcost.MS(d.At(0.5))
	if !(median > 0) || !(standard > 0) {
		return
	}
	f := min(max(standard/median, 1-centreMost), 1+centreMost)
	for i, v := range d {
		d[i] = taskcost.Times(v, f)
	}
}

// seedOf returns the seed of a run, from its id and script but not the instant. So a sample keeps its random
// numbers from tick to tick, and quantiles move only if observations move them.
func seedOf(s *dag.Snapshot) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s.ID+"\x00"+s.Plan.Name)
	return mix(h.Sum64())
}

// The general way to draw from a cost model: each prediction times a factor of the cluster, one of the task's
// stage, and one of the task's own. The factors come from the residuals of finished tasks.
const (
	// speedSigma is the standard deviation of the cluster's log speed from now on.
	speedSigma = 0.03
	// workSigma is the standard deviation of a stage's log rate from the planned one between runs of one script, and
	// that of a task's log time within a stage. It weighs as much as priorTasks finished tasks.
	workSigma = 0.1
	// ownRatio is the share of its work after which a task's own pace weighs as much as its stage's.
	ownRatio = 0.1
)

type general struct {
	w        *ReplayContext
	phases   [][]generalPhase // by job and stage
	failures FailureLaw
}

type generalPhase struct {
	own   Factors
	rate  float64 // sigma of the phase's common factor
	setup float64
	runs  map[int32]Rest // running tasks, by index
}

// generalSampling returns nil if a job's number of tasks is unknown: its cost has no scale.
func (w *ReplayContext) generalSampling() func(Draws) Drawn {
	g := &general{w: w, phases: dag.ByStage[generalPhase](w.Now().Plan)}
	sum, n, known := 0.0, 0, true
	w.EachStage(func(job int, k dag.StageIndex, p *StageLeft) {
		known = known && (p.Known || w.Now().JobEnded(job)) && !p.unseen()
		for i := range p.stretches {
			sum += p.stretches[i].Full * float64(p.stretches[i].Count)
			n += p.stretches[i].Count
		}
		g.phases[job][k] = w.generalPhase(job, k, p)
	})
	if !known {
		return nil
	}
	g.failures = NewFailureLaw(w.Now(), sum/float64(max(n, 1)))
	return g.sample
}

// generalPhase compares a stage's finished tasks with their predictions.
func (w *ReplayContext) generalPhase(job int, k dag.StageIndex, p *StageLeft) generalPhase {
	g := generalPhase{setup: taskcost.MS(w.Now().Plan.Cluster.Setup)}
	if p.Unfinished() == 0 {
		return g
	}
	var residuals []float64
	list := w.Now().Attempts(job, k)
	for i := range list {
		a := &list[i]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || int(a.Task) >= p.Tasks {
			continue
		}
		took, predicted := float64(a.End-a.Start)-g.setup, w.Costs.Full(job, k, int(a.Task))-g.setup
		if took > 0 && predicted > 0 {
			residuals = append(residuals, math.Log(took/predicted))
		}
	}
	n := float64(len(residuals))
	g.own = NewFactors(residuals, workSigma)
	g.rate = math.Sqrt(workSigma*workSigma*priorTasks/(priorTasks+n) + workSigma*workSigma/(n+1))
	g.runs = make(map[int32]Rest, p.Running)
	dag.EachTask(list, func(task int, state dag.TaskState, a *dag.Attempt) {
		if state == dag.TaskRunning && task < p.Tasks {
			g.runs[a.Task] = g.rest(w, job, k, a)
		}
	})
	return g
}

// rest returns the remaining time of a running task. A task that has shown its pace continues at it; a task that
// should have ended by its counters, or has none, is predicted from its age.
func (g *generalPhase) rest(w *ReplayContext, job int, k dag.StageIndex, a *dag.Attempt) Rest {
	full, rem := w.Costs.Full(job, k, int(a.Task)), w.Costs.Rem(job, k, int(a.Task))
	age := 0.0
	if a.Start.Known() {
		age = float64(w.Now().At - a.Start)
	}
	done, took := full-g.setup-rem, age-g.setup
	if rem > 0 && done > 0 && took > 0 {
		weight := done / (done + ownRatio*(full-g.setup))
		return NewRest(rem*math.Pow(took/done, weight), 0, g.own, 1-weight)
	}
	return NewRest(full, age, g.own, 1)
}

// sample draws one possible future.
func (g *general) sample(d Draws) Drawn {
	s := g.w.Now()
	speed := LogNormal(d.Common(ForSpeed, 0, 0), speedSigma)
	scale := dag.ByStage[float64](s.Plan)
	for j := range scale {
		for k := range scale[j] {
			scale[j][k] = speed * LogNormal(d.Common(ForRate, j, dag.StageIndex(k)), g.phases[j][k].rate)
		}
	}
	left := func(t schedule.Task) schedule.Cost {
		p := &g.phases[t.Job][t.Stage]
		u := d.Task(ForWork, t.Job, t.Stage, t.Index, t.Attempt)
		if t.Running != nil {
			if rest, ok := p.runs[int32(t.Index)]; ok {
				return schedule.Cost{Work: taskcost.Duration(rest.At(u, scale[t.Job][t.Stage])), Same: 1}
			}
		}
		cost := g.w.Costs.Left(t)
		cost.Work = taskcost.Times(cost.Work, scale[t.Job][t.Stage]*p.own.At(u))
		cost.Same = 1
		return cost
	}
	return Drawn{Snapshot: s, Left: left, Fault: g.failures.Fault(d, s.At)}
}

// Draws are the random numbers of one replay. Each number depends only on the run, the replay and its use: another
// task, or a later tick, changes no other number (common random numbers). Numbers lie strictly between 0 and 1 and
// are uniform.
type Draws struct {
	seed, own  uint64
	sample, of uint64 // of is a power of two
}

// A Use is the purpose of a number.
type Use uint64

// The uses. The numbers up to ForOther are common to a replay, the others are a task's own.
const (
	ForSpeed    Use = iota // how fast the cluster is from now on
	ForRate                // of a stage
	ForSize                // of a stage that was never seen
	ForSetup               // start-ups
	ForPause               // launch, wave and finish gaps, by number
	ForFaults              // how often attempts fail
	ForOther               // another application, by number
	ForStart               // a task's start-up
	ForWork                // a task's work
	ForTaskSize            // a task's size
	ForFailure             // an attempt's failure
)

// Common returns a number that a whole replay shares. Over the replays of a tick it is stratified: each of n equal
// parts of (0, 1) contains one (Latin hypercube sampling, McKay, Beckman and Conover 1979), so few replays are
// enough.
func (d Draws) Common(u Use, job int, k dag.StageIndex) float64 {
	h := mix(d.seed ^ uint64(u)<<56 ^ uint64(job)<<8 ^ uint64(k))
	return (float64(permute(d.sample, d.of, h)) + 0.5) / float64(d.of)
}

// Task returns a number of one attempt of a task.
func (d Draws) Task(u Use, job int, k dag.StageIndex, index, attempt int) float64 {
	h := mix(d.own ^ uint64(u)<<60 ^ uint64(k)<<56 ^ uint64(attempt&0xff)<<48 ^ uint64(job&0xffff)<<32 ^ uint64(
		uint32(index)))
	return (float64(h>>11) + 0.5) / (1 << 53)
}

// permute maps 0..n-1 onto itself, n a power of two, in an order that depends on h: each step can be undone.
func permute(i, n, h uint64) uint64 {
	mask := n - 1
	shift := max(bits.Len64(mask)/2, 1)
	for range 3 {
		i = (i + h) & mask
		i = i * (h>>7 | 1) & mask
		i ^= i >> shift
		h = mix(h)
	}
	return i & mask
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood 2014), which gives neighboring inputs unrelated
// outputs.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Normal turns a uniform number into one of the standard normal distribution (its quantile).
func Normal(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }

// LogNormal turns a uniform number into a factor with median 1; its logarithm has standard deviation sigma.
func LogNormal(u, sigma float64) float64 { return math.Exp(sigma * Normal(u)) }
