package mrjob

import (
	"cmp"
	"maps"
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
	all := func(string) bool { return true }
	own := map[string]bool{}
	if len(pred["Stage-0"]) > 0 {
		own = reach(succ, "Stage-0", all)
		own["Stage-0"] = true
	}
	for n := range submitted {
		maps.Copy(own, reach(pred, n, all))
	}
	isOwn := func(n string) bool { return own[n] && !submitted[n] }
	out := map[string][]string{}
	for from := range succ {
		if !isOwn(from) {
			next := reach(succ, from, isOwn)
			maps.DeleteFunc(next, func(n string, _ bool) bool { return isOwn(n) })
			out[from] = slices.Sorted(maps.Keys(next))
		}
	}
	return out
}

// reach returns the names that next leads to from a name, directly and through others.
func reach(next map[string][]string, from string, through func(string) bool) map[string]bool {
	found := map[string]bool{}
	for left := slices.Clone(next[from]); len(left) > 0; {
		n := left[0]
		if left = left[1:]; !found[n] {
			if found[n] = true; through(n) {
				left = append(left, next[n]...)
			}
		}
	}
	return found
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
