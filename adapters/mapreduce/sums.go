package mapreduce

import (
	"context"
	"math"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// When a job has ended, the history server's sums over its tasks are compared with the last seen ones. If they
// differ, a response about a task was stale or missing, and the tasks of that kind are requested again.

type sumBody struct {
	Counters rest.Box[struct {
		Groups rest.List[struct {
			Name     loose.Label `json:"counterGroupName"`
			Counters rest.List[struct {
				Name   loose.Label    `json:"name"`
				Map    loose.Optional `json:"mapCounterValue"`
				Reduce loose.Optional `json:"reduceCounterValue"`
			}] `json:"counter"`
		}] `json:"counterGroup"`
	}] `json:"jobCounters"`
}

// A sum is what the tasks of a phase have read and written together, in tuples; NaN if unknown.
type sum struct{ in, out float64 }

// sums returns those of maps and of reduces.
func (b *sumBody) sums() [2]sum {
	none := sum{math.NaN(), math.NaN()}
	all := [2]sum{none, none}
	names := map[loose.Label]*float64{
		"MAP_INPUT_RECORDS": &all[dag.Map].in, "MAP_OUTPUT_RECORDS": &all[dag.Map].out,
		"REDUCE_INPUT_RECORDS": &all[dag.Reduce].in, "REDUCE_OUTPUT_RECORDS": &all[dag.Reduce].out,
	}
	for _, g := range b.Counters.V.Groups {
		for _, c := range g.Counters {
			switch to := names[c.Name]; {
			case to == nil:
			case strings.HasPrefix(string(c.Name), "MAP_"):
				*to = c.Map.Float()
			default:
				*to = c.Reduce.Float()
			}
		}
	}
	return all
}

// sum returns the totals over the phase's successful attempts, as last seen.
func (p *phase) sum(k dag.StageIndex) sum {
	var all sum
	for _, t := range p.tasks.All() {
		if i, found := t.find(t.success); found && t.attempts[i].State == dag.AttemptSucceeded {
			all.in += t.attempts[i].Done[workOf(k)]
			all.out += t.attempts[i].Out
		}
	}
	return all
}

// differ reports whether two sums differ. A total that the history server does not report never differs. A total
// that no task reported always does.
func (s sum) differ(seen sum) bool {
	return !math.IsNaN(s.in) && s.in != seen.in || !math.IsNaN(s.out) && s.out != seen.out
}

// pollSums compares each fully reported job with the sums, once. Requests about a job end once everything about it is
// reported.
func (s *Source) pollSums(ctx context.Context) error {
	var complete []*visit
	for _, v := range s.visits {
		if v.app.Ended && v.job.at == jobListed && s.live() && len(v.details()) == 0 {
			complete = append(complete, v)
		}
	}
	yarn.Each(ctx, complete, func(ctx context.Context, v *visit) {
		v.sums.isDue = true
		v.sums.read(ctx, v.job.id+"/counters", func() ([]byte, error) { return s.get(ctx, v, "/counters") })
	})
	for _, v := range s.visits {
		switch {
		case !v.sums.isDue:
		case v.sums.err == nil:
			v.job.step(sumsCompared)
			v.compare(v.sums.response.sums())
		case refused(v.sums.err):
			v.job.step(sumsCompared)
		default:
			v.incomplete = true
		}
		if v.app.Ended {
			v.settle(s.live(), s.now)
		}
	}
	return nil
}

// compare marks the tasks of phases that do not add up to what the history server reports.
func (v *visit) compare(reported [2]sum) {
	for k := range v.job.phases {
		kind := dag.StageIndex(k) //nolint:gosec // G115: 0 or 1
		p := &v.job.phases[k]
		if !reported[k].differ(p.sum(kind)) {
			continue
		}
		for _, t := range p.tasks.All() {
			if t.state == "SUCCEEDED" {
				t.settled, t.tries, v.incomplete = false, 0, true
			}
		}
	}
}

// settle ends the requests about an ended job once no response is missing.
func (v *visit) settle(isLive bool, now dag.Instant) {
	j, left := v.job, len(v.details())
	if left == 0 && (j.at == jobSummed || j.at == jobListed && !isLive) {
		j.step(tasksComplete)
	}
	j.backlog.update(left, v.incomplete, now)
}
