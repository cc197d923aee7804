package estimators

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A Skew is how unevenly the work of a stage that reads others lies on its tasks, such as a job's reduces, and what
// that costs the query. A delay is the end that standard predicts less the end of the same replay from now on without
// it: what is lost already is in neither.
type Skew struct {
	Job   int
	Stage dag.StageIndex
	Tasks int             // of the stage
	Keys  dag.GroupOrigin // who measured its key groups; GroupsNone: nothing is known of its keys
	Sizes SizeUnit        // what shares are of
	// Median is how long the median task works: to its end from its start, or from the end of the last task that it
	// waited for in its container where that is later.
	Median time.Duration
	Skewed int           // how many unfinished tasks are skewed
	Delay  time.Duration // of all of them: without it each takes the median
	Worst  []SkewedTask
	Split  *Split         // of its largest key that is left; nil where no key is known
	Double *time.Duration // how much sooner the query would end with twice the tasks; nil where no key is known
}

// A SkewedTask is a task that works longer than the others of its stage.
type SkewedTask struct {
	Task    int
	Done    bool
	Running *dag.Attempt  // nil where none runs
	Size    float64       // in SizeUnit
	Share   float64       // of the stage's, 0..1; NaN where not all sizes are known
	Work    time.Duration // as Skew.Median counts
	End     dag.Instant
	Delay   *time.Duration // of this one alone; nil of one that is not skewed
	Keys    []SkewedKey    // its largest, largest first, at most dag.MaxTopGroups
}

// A SizeUnit is what sizes of tasks count.
type SizeUnit uint8

// The units of sizes.
const (
	SizesUnknown SizeUnit = iota
	SizesBytes
	SizesRecords
)

// A task is skewed if it works this much longer than the median one, by both, and was given more.
const (
	skewRatio = 1.5
	skewLeast = 5 * time.Second
	// skewWorth is the least share of the remaining time that a delay is told from, skewLeast apart.
	skewWorth = 0.02
	// skewSize is how many times the median's size is more.
	skewSize = 1.1
	// skewPower is the power of its size by which a task's work grows at most.
	skewPower = 3
)

// WorksLong says whether a task works much longer than the median one of its stage.
func WorksLong(work, median time.Duration) bool {
	return float64(work) > skewRatio*float64(median) && work-median > skewLeast
}

// GivenMore says whether a task was given clearly more than the median one of its stage, and enough to explain that it
// works longer: work that grows with the cube of the input, at most. A task that is slow beside is not skewed. NaN is
// not more.
func GivenMore(size, medianSize float64, work, median time.Duration) bool {
	return size > skewSize*medianSize &&
		float64(work) <= float64(max(median, time.Second))*math.Pow(size/medianSize, skewPower)
}

// Bounds of what is told, and so of the replays: a stage takes six and one for each task that is told.
const (
	MaxSkewedStages = 3
	MaxSkewedTasks  = 5
)

// Uneven is asked for Estimate.Skew alone: it has no time.
func Uneven() Scenario {
	return Scenario{
		"skew", "the tasks that work longer than the others of their stage",
		func(w *ReplayContext) (Estimate, error) {
			skew, err := w.Skew(false)
			return Estimate{Skew: skew, Progress: math.NaN()}, err
		},
	}
}

// Skew tells of the unfinished stages whose skewed tasks delay the query's end by more than 5 s and a fiftieth of what
// remains, the greatest delay first. Where several hold it back and none does alone, as two branches that end together,
// each has the delay of all. It is nil where it is too early to say: the costs of what is left, or the sizes of all
// tasks, are not known. With all it tells of every unfinished stage with more than one task, and of its longest
// tasks, skewed or not, done or not. Stages that read no other one are left out.
func (w *ReplayContext) Skew(all bool) ([]Skew, error) {
	if w.ended() || w.unknown() || len(w.Now().Plan.Jobs) == 0 {
		return nil, nil
	}
	sch, err := w.Schedule()
	if err != nil {
		return nil, err
	}
	found, known := w.unevenStages(sch, all)
	if !known {
		return nil, nil
	}
	least := max(skewLeast, time.Duration(skewWorth*float64(sch.Remaining())))
	together, err := w.together(found, sch)
	if err != nil || !all && together <= least {
		return []Skew{}, err
	}
	out, tied := []Skew{}, []Skew(nil)
	for i := range found {
		r := replays{w: w, u: found[i], end: sch.End}
		s := r.skew()
		if s.Split, s.Double = r.split(s.Worst), r.double(); r.err != nil {
			return nil, r.err
		}
		if all || s.Delay > least {
			out = append(out, s)
		} else if s.Skewed > 0 {
			tied = append(tied, s)
		}
	}
	if !all && len(out) == 0 {
		for i := range tied {
			tied[i].Delay = together
		}
		out = tied
	}
	slices.SortStableFunc(out, func(a, b Skew) int { return cmp.Compare(b.Delay, a.Delay) })
	return out, nil
}

// together is the delay of all skewed tasks of some stages.
func (w *ReplayContext) together(found []*uneven, sch *schedule.Schedule) (time.Duration, error) {
	left := w.Costs.Left
	r := replays{w: w, end: sch.End}
	for _, u := range found {
		left = u.atMedian(left, u.skewed)
	}
	if len(found) == 0 {
		return 0, nil
	}
	return r.sooner(w.Now(), left), r.err
}

// unevenStages are the stages worth a replay, those with the longest excess, in that order. known is false where tasks
// are left and nothing has shown what they cost.
func (w *ReplayContext) unevenStages(sch *schedule.Schedule, all bool) (found []*uneven, known bool) {
	works := w.taskWorks(sch)
	known = len(works) == 0 && w.readersKnown()
	for _, u := range works {
		known = known || w.phase(u.job, u.stage).best < schedule.Assumed
		if !all && u.longest <= u.median+millis(skewLeast) {
			continue
		}
		u.size(w)
		if u.judge(all); len(u.listed) > 0 {
			found = append(found, u)
		}
	}
	slices.SortStableFunc(found, func(a, b *uneven) int {
		return cmp.Compare(b.listed[0].excess(b),
			a.listed[0].excess(a))
	})
	return found[:min(len(found), MaxSkewedStages)], known
}

// readersKnown says whether every job that is left has told how many tasks its stages have that read others.
func (w *ReplayContext) readersKnown() bool {
	jobs := w.Run.Now().Plan.Jobs
	for j := range jobs {
		unknown := func(s dag.Stage) bool { return s.ReadsRecords() && !s.Known }
		if slices.ContainsFunc(jobs[j].Stages, unknown) && !w.jobEnded(j) {
			return false
		}
	}
	return true
}

// FinishedSkew tells what Skew tells with all, of a run that has succeeded: its delays are how much sooner it would
// have ended. again is the same run before its submission, with the costs that it has shown; its jobs may be in another
// order. took is how long the run took.
func (w *ReplayContext) FinishedSkew(again *ReplayContext, took time.Duration) ([]Skew, error) {
	sch, err := again.Schedule()
	if err != nil {
		return nil, err
	}
	found, _ := w.unevenStages(&schedule.Schedule{}, true)
	out, plan := []Skew{}, again.Now().Plan
	// What the replay misses of the run is missed of its delays alike.
	told := func(d *time.Duration) {
		*d = time.Duration(float64(*d) * float64(took) / float64(max(sch.Remaining(), 1)))
	}
	for _, u := range found {
		job := u.job
		node := w.Now().Plan.Jobs[job].Node
		if u.job = slices.IndexFunc(plan.Jobs, func(j dag.Job) bool { return j.Node == node }); u.job < 0 {
			continue
		}
		r := replays{w: again, u: u, end: sch.End}
		s := r.skew()
		if r.err != nil {
			return nil, r.err
		}
		s.Job = job
		told(&s.Delay)
		for i := range s.Worst {
			if d := s.Worst[i].Delay; d != nil {
				told(d)
			}
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Skew) int { return cmp.Compare(b.Delay, a.Delay) })
	return out, nil
}

// skew tells of the stage, but for what another partitioning of its keys would gain.
func (r *replays) skew() Skew {
	u := r.u
	s := Skew{
		Job: u.job, Stage: u.stage, Tasks: u.count, Keys: u.keys.origin(), Sizes: u.unit, Median: duration(u.median),
		Skewed: len(u.skewed), Delay: r.delay(u.skewed),
	}
	for i := range u.listed {
		k := &u.listed[i]
		one := SkewedTask{
			Task: k.first, Done: k.done, Running: k.running, Size: u.sizeOf(k.first), Share: u.share(k.first),
			Work: duration(k.ms), End: k.end, Keys: u.keys.of(k),
		}
		if k.skewed {
			d := r.delay([]taskWork{*k})
			one.Delay = &d
		}
		s.Worst = append(s.Worst, one)
	}
	return s
}
