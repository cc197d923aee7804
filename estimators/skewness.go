package estimators

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A Skew describes how unevenly the work of a stage that reads others, such as a job's reduces, is spread over its
// tasks, and how much that delays the query. A delay is the end that standard predicts minus the end of the same
// replay from now on without the skew; time that is already lost is not part of it.
type Skew struct {
	Job   int
	Stage dag.StageIndex
	Tasks int             // number of the stage's tasks
	Keys  dag.GroupOrigin // source of its key groups; GroupsNone: its keys are unknown
	Sizes SizeUnit        // unit of the tasks' sizes
	// Median is the working time of the median task: from its start to its end, or from the end of the last task
	// that it waited for in its container if that is later.
	Median time.Duration
	Skewed int           // number of unfinished tasks that are skewed
	Delay  time.Duration // by all skewed tasks together: without it each takes the median
	Worst  []SkewedTask
	Split  *Split         // of its largest remaining key; nil if no key is known
	Double *time.Duration // how much sooner the query would end with twice the tasks; nil if no key is known
}

// A SkewedTask is a task that works longer than the others of its stage.
type SkewedTask struct {
	Task    int
	Done    bool
	Running *dag.Attempt  // nil if none runs
	Size    float64       // in SizeUnit
	Share   float64       // of the stage's size, 0..1; NaN if a size is unknown
	Work    time.Duration // as for Skew.Median
	End     dag.Instant
	Delay   *time.Duration // by this one alone; nil if it is not skewed
	Keys    []SkewedKey    // its keys, largest first, at most dag.MaxTopGroups
}

// A SizeUnit is the unit of task sizes.
type SizeUnit uint8

// The units of sizes.
const (
	SizesUnknown SizeUnit = iota
	SizesBytes
	SizesRecords
)

// A task is skewed if it exceeds the median working time by both of these, and received more input.
const (
	skewRatio = 1.5
	skewLeast = 5 * time.Second
	// skewWorth is the least delay to report, as a share of the remaining time, besides skewLeast.
	skewWorth = 0.02
	// skewSize is the least ratio to the median size that counts as more input.
	skewSize = 1.1
	// skewPower is the greatest power of its size with which a task's work may grow.
	skewPower = 3
)

// WorksLong reports whether a task works much longer than the median one of its stage.
func WorksLong(work, median time.Duration) bool {
	return float64(work) > skewRatio*float64(median) && work-median > skewLeast
}

// GivenMore reports whether a task received clearly more input than the median one of its stage, and enough to
// explain its longer work, which grows at most with the cube of the input. A task that is slow for another reason
// is not skewed. A NaN size does not count as more.
func GivenMore(size, medianSize float64, work, median time.Duration) bool {
	return size > skewSize*medianSize &&
		float64(work) <= float64(max(median, time.Second))*math.Pow(size/medianSize, skewPower)
}

// Limits of a report, and so of the replays: a stage takes six replays and one for each reported task.
const (
	MaxSkewedStages = 3
	MaxSkewedTasks  = 5
)

// Uneven sets only Estimate.Skew: it has no time.
func Uneven() Scenario {
	return Scenario{
		"skew", "the tasks that work longer than the others of their stage",
		func(w *ReplayContext) (Estimate, error) {
			skew, err := w.Skew(false)
			return Estimate{Skew: skew, Progress: math.NaN()}, err
		},
	}
}

// Skew returns the unfinished stages with skewed tasks that delay the query's end by more than 5 s and a fiftieth
// of the remaining time, the greatest delay first. If several delay it only together, such as two branches that end
// at the same time, each has the delay of all. It returns nil if it is too early: the costs of the remaining work,
// or the sizes of all tasks, are unknown. With all, it returns every unfinished stage with more than one task and
// its longest tasks, whether skewed or done. Stages that read no other stage are left out.
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

// together returns the delay of all skewed tasks of some stages.
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

// unevenStages returns the stages worth a replay, those with the longest excess first. known is false if tasks are
// left and nothing has shown their cost.
func (w *ReplayContext) unevenStages(sch *schedule.Schedule, all bool) (found []*uneven, known bool) {
	works := w.taskWorks(sch)
	known = len(works) == 0 && w.readersKnown()
	for _, u := range works {
		known = known || w.Stage(u.job, u.stage).Best < schedule.Assumed
		if !all && u.longest <= u.median+taskcost.MS(skewLeast) {
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

// readersKnown reports whether every unfinished job has announced how many tasks its stages have that read others.
func (w *ReplayContext) readersKnown() bool {
	jobs := w.Run.Now().Plan.Jobs
	for j := range jobs {
		unknown := func(s dag.Stage) bool { return s.ReadsRecords() && !s.Known }
		if slices.ContainsFunc(jobs[j].Stages, unknown) && !w.Now().JobEnded(j) {
			return false
		}
	}
	return true
}

// FinishedSkew returns the Skew, as with all, of a run that has succeeded: its delays are how much sooner the run
// would have ended. again is the same run before its submission, with the costs that the run has shown; its jobs
// may be in another order. took is the length of the run.
func (w *ReplayContext) FinishedSkew(again *ReplayContext, took time.Duration) ([]Skew, error) {
	sch, err := again.Schedule()
	if err != nil {
		return nil, err
	}
	found, _ := w.unevenStages(&schedule.Schedule{}, true)
	out, plan := []Skew{}, again.Now().Plan
	// The replay may differ from the run in length: delays are scaled by the same ratio.
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

// skew returns the Skew of the stage without the gains of another partitioning.
func (r *replays) skew() Skew {
	u := r.u
	s := Skew{
		Job: u.job, Stage: u.stage, Tasks: u.count, Keys: u.keys.origin(), Sizes: u.unit,
		Median: taskcost.Exact(u.median), Skewed: len(u.skewed), Delay: r.delay(u.skewed),
	}
	for i := range u.listed {
		k := &u.listed[i]
		one := SkewedTask{
			Task: k.first, Done: k.done, Running: k.running, Size: u.sizeOf(k.first), Share: u.share(k.first),
			Work: taskcost.Exact(k.ms), End: k.end, Keys: u.keys.of(k),
		}
		if k.skewed {
			d := r.delay([]taskWork{*k})
			one.Delay = &d
		}
		s.Worst = append(s.Worst, one)
	}
	return s
}
