package mrjob

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/adapters/yarn"
)

// Hive writes the same workflow properties as Pig, with other contents (docs/facts/hadoop.md C4). Nodes are the
// plan's stages, also those without a MapReduce job.

// withoutOwn removes stages that Hive runs without a job from a query's graph. Their successors then follow their
// predecessors. A stage is known to have no job once a later stage has one. Stage-0 and all stages after it have
// none if other stages come first: that is Hive's number for the stage that moves or fetches the result.
func withoutOwn(succ map[string][]string, submitted map[string]bool) map[string][]string {
	pred := map[string][]string{}
	for from, to := range succ {
		for _, n := range to {
			pred[n] = append(pred[n], from)
		}
	}
	own := map[string]bool{}
	if len(pred["Stage-0"]) > 0 {
		own = reach(succ, "Stage-0")
	}
	for n := range submitted {
		for p := range reach(pred, n) {
			own[p] = true
		}
	}
	out := map[string][]string{}
	for from := range succ {
		if own[from] && !submitted[from] {
			continue
		}
		var to []string
		for seen, left := map[string]bool{}, slices.Clone(succ[from]); len(left) > 0; {
			n := left[0]
			left = left[1:]
			if seen[n] {
				continue
			}
			seen[n] = true
			if own[n] && !submitted[n] {
				left = append(left, succ[n]...)
				continue
			}
			to = append(to, n)
		}
		slices.Sort(to)
		out[from] = to
	}
	return out
}

// reach returns a name and all names that next leads to from it.
func reach(next map[string][]string, from string) map[string]bool {
	seen := map[string]bool{}
	for left := []string{from}; len(left) > 0; {
		n := left[len(left)-1]
		left = left[:len(left)-1]
		if !seen[n] {
			seen[n] = true
			left = append(left, next[n]...)
		}
	}
	return seen
}

// serialize orders a Hive query's stages from a vertex on as Hive runs them: one after the other, unless
// hive.exec.parallel is set. Submitted stages come first, in the order of submission, then the others in graph order. A
// failed stage ends the query, so it is right that all later stages depend on it.
func (g *Graph) serialize(from int) {
	stages := slices.Clone(g.Vertices[from:])
	order := make([]int, len(stages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		ma, mb := stages[a].Member, stages[b].Member
		if ma < 0 || mb < 0 {
			return cmp.Compare(min(mb, 0), min(ma, 0)) // submitted ones first
		}
		return yarn.ByID(g.members[ma].Job, g.members[mb].Job)
	})
	place := make([]int, len(stages))
	for k, i := range order {
		place[i] = from + k
	}
	for k, i := range order {
		v := stages[i]
		after := make([]int, 0, len(v.After)+1)
		for _, p := range v.After {
			if p >= from {
				p = place[p-from]
			}
			if p < from+k {
				after = append(after, p)
			}
		}
		if k > 0 {
			after = append(after, from+k-1)
		}
		slices.Sort(after)
		v.After = slices.Compact(after)
		g.Vertices[from+k] = v
	}
}
