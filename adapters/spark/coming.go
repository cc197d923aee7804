package spark

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// coming returns the stages to come of all running executions that have run a job: those in the plans of the
// executions that are not submitted yet. An execution without a job may only be a wrapper of another one.
func (p *planner) coming() []dag.Stage {
	var out []dag.Stage
	jobs := p.unitJobs()
	for _, id := range sortedKeys(p.executions) {
		x := p.executions[id]
		if x.status == "RUNNING" && x.plan != nil && (p.unit.kind != sqlUnit || x == p.execution()) &&
			slices.ContainsFunc(jobs, func(j *job) bool { return x.jobs[j.id] }) {
			out = p.comingOf(x, out)
		}
	}
	return out
}

// counted reports whether all that is left of an execution is known: its plan, and the stages that its jobs ran.
func (x *execution) counted() bool {
	if x == nil || x.plan == nil || x.plan.more || len(x.jobs) == 0 {
		return false
	}
	_, of := x.plan.left(sortedKeys(x.jobs))
	return of != nil
}

// left returns how many jobs of each exchange are not submitted, and the last job of each exchange without jobs
// left. of is nil if the number of jobs does not fit the plan, for example because of subqueries.
func (p *sqlPlan) left(jobs []int) (left []int, of map[int]int) {
	if !p.adaptive {
		return p.leftAtOnce(len(jobs))
	}
	left, of = make([]int, len(p.exchanges)), map[int]int{}
	var submitted []int
	last := len(p.exchanges) - 1
	need := 0
	for i := range p.exchanges[:last] {
		if e := &p.exchanges[i]; e.submitted {
			submitted = append(submitted, i)
			need += e.jobs()
		} else {
			left[i] = e.jobs()
		}
	}
	left[last] = 1
	slices.SortStableFunc(submitted, func(i, j int) int { return cmp.Compare(p.exchanges[i].id, p.exchanges[j].id) })
	// A query stage appears in the plan shortly before its jobs are submitted.
	missing := max(0, need-len(jobs))
	for _, i := range slices.Backward(submitted) {
		if e := &p.exchanges[i]; !e.done {
			left[i] = min(missing, e.jobs())
			missing -= left[i]
		}
	}
	// The text may be older than the newest jobs. Those belong to the next stages then.
	more := max(0, len(jobs)-need)
	for i := 0; i <= last && !p.more; i++ {
		if e := &p.exchanges[i]; !e.submitted && more > 0 {
			taken := min(more, left[i])
			left[i], more = left[i]-taken, more-taken
			submitted = append(submitted, i)
		}
	}
	if missing > 0 || more > 0 {
		return left, nil
	}
	n := 0
	for _, i := range submitted {
		if n += p.exchanges[i].jobs() - left[i]; left[i] == 0 {
			of[i] = jobs[n-1]
		}
	}
	return left, of
}

// leftAtOnce is left for plans that are not adaptive. Each broadcast has its own job. Each sort has a job that
// samples its input. The last job runs all other stages.
func (p *sqlPlan) leftAtOnce(jobs int) (left []int, of map[int]int) {
	left = make([]int, len(p.exchanges))
	broadcasts, sorts := 0, 0
	for i := range p.exchanges {
		broadcasts += one(p.exchanges[i].broadcast)
		sorts += one(p.exchanges[i].ranged && !p.exchanges[i].broadcast)
	}
	if jobs > broadcasts+sorts {
		return left, map[int]int{}
	}
	samples := jobs - broadcasts
	sampled := make([]bool, len(left))
	for i := range p.exchanges {
		e := &p.exchanges[i]
		if left[i] = 1; e.broadcast && jobs > 0 {
			jobs--
			left[i] = 0
		} else if e.ranged && samples > 0 {
			samples--
			sampled[i] = true
		}
	}
	for i := range slices.Backward(left) { // all that a submitted stage reads is submitted
		for _, k := range p.exchanges[i].reads {
			if left[i] == 0 || sampled[i] {
				left[k] = 0
			}
		}
	}
	return left, nil
}

// comingOf appends the stages to come of an execution.
func (p *planner) comingOf(x *execution, out []dag.Stage) []dag.Stage {
	exchanges, jobs := x.plan.exchanges, sortedKeys(x.jobs)
	left, of := x.plan.left(jobs)
	place := make([]int, len(exchanges)) // in the plan of the application, from 1
	titles, pool := x.plan.titles(left), p.poolOfJobs(jobs)
	for i := range exchanges {
		if left[i] == 0 {
			if id, known := of[i]; known {
				place[i] = p.placeOf(p.jobs[id])
			}
			continue
		}
		if len(p.order)+len(out)+2 > mostStages {
			p.tooLarge = true
			return out
		}
		tasks := x.plan.tasks(i)
		s := dag.Stage{Name: titles[i], Foreseen: true, Pool: pool, Tasks: tasks, Known: tasks > 0}
		for _, k := range exchanges[i].reads {
			kind := dag.Barrier
			if exchanges[k].broadcast {
				kind = dag.Broadcast
			}
			if place[k] > 0 {
				s.After = append(s.After, edgeTo(place[k], kind))
			} else {
				s.After = append(s.After, p.openEnds(jobs)...)
			}
		}
		s.After = inOrderOfStages(s.After)
		if left[i] == 2 { // a sampling job reads the same input first
			sample := s
			sample.Name = "sample of " + s.Name
			out = append(out, sample)
			s.After = append(slices.Clone(s.After), edgeTo(len(p.order)+len(out), dag.Broadcast))
		}
		out = append(out, s)
		place[i] = len(p.order) + len(out)
	}
	return out
}

// titles names stages to come by their operators. Equal names are numbered from the end of the plan, because the end
// does not change while stages are submitted.
func (p *sqlPlan) titles(left []int) []string {
	out, count := make([]string, len(left)), map[string]int{}
	for i := len(left) - 1; i >= 0; i-- {
		if left[i] == 0 {
			continue
		}
		out[i] = cmp.Or(p.exchanges[i].name, "stage") + " (not submitted)"
		if count[out[i]]++; count[out[i]] > 1 {
			out[i] = fmt.Sprintf("%s #%d", out[i], count[out[i]])
		}
	}
	return out
}
