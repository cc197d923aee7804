package hadoop

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// fewOthers is how many other applications a source of a hub is told one by one; more are told in sums, or the load of a
// busy cluster would be as long as itself for each of its workflows.
const fewOthers = 20

// crowd sums up loads by queue and by whether FIFO serves them first. Its progress is that of what is held.
func crowd(all []dag.Load) []dag.Load {
	if len(all) <= fewOthers {
		return all
	}
	type key struct {
		queue  string
		before bool
	}
	sums := map[key]*dag.Load{}
	var order []key
	for i := range all {
		l := &all[i]
		k := key{l.Queue, l.Before}
		sum := sums[k]
		if sum == nil {
			first := *l
			first.ID, first.Name, first.User, first.Need, first.Progress = "others of "+l.Queue, "", "", nil, 0
			first.HeldMB, first.PendingMB, first.AMMB = 0, 0, 0
			sum, sums[k] = &first, &first
			order = append(order, k)
		}
		if l.Progress >= 0 { // not NaN
			sum.Progress += l.Progress * float64(l.HeldMB)
		}
		sum.HeldMB, sum.PendingMB, sum.AMMB = sum.HeldMB+l.HeldMB, sum.PendingMB+l.PendingMB, sum.AMMB+l.AMMB
		sum.Submitted = min(sum.Submitted, l.Submitted)
	}
	out := make([]dag.Load, 0, len(order))
	for _, k := range order {
		l := *sums[k]
		if l.Before {
			l.ID += ", before"
		}
		if l.HeldMB > 0 {
			l.Progress /= float64(l.HeldMB)
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b dag.Load) int { return cmp.Compare(a.ID, b.ID) })
	return out
}
