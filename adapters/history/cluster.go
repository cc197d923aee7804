package history

import (
	"cmp"
	"maps"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A change is the start or the end of a container.
type change struct {
	at   dag.Instant
	node string
	kind dag.StageIndex // dag.NoStage: of a master
	mb   int            // negative at the end
}

// most returns the largest sum of an amount over time.
func most(changes []change, amount func(change) int) int {
	now, most := 0, 0
	for _, c := range changes {
		now += amount(c)
		most = max(most, now)
	}
	return most
}

func memory(c change) int { return c.mb }

// slotMB stands for a slot. slotMaster stands for the master that a job on slots does not have; it is negligible.
const (
	slotMB     = 1024
	slotMaster = 1
)

// clusterOf derives the cluster from the jobs that ran on it, because a history has no capacities. Its size is the most
// memory that our containers used at once, on each node and in total. Slots become containers of one size, with the
// peak numbers of maps and reduces as limits. Real clusters with slots start reduces early and report nodes. The
// paper's slot model has neither.
func clusterOf(jobs []*Job) dag.Cluster {
	changes, masters := changesOf(jobs), 0
	if slices.ContainsFunc(jobs, func(j *Job) bool { return j.Slots }) {
		slots := func(kind dag.StageIndex) int {
			return max(1, most(changes, func(c change) int {
				if c.kind != kind {
					return 0
				}
				return cmp.Compare(c.mb, 0)
			}))
		}
		maxMaps, maxReduces := slots(dag.Map), slots(dag.Reduce)
		for _, j := range jobs {
			l := &j.Settings.Limits
			j.Settings.MasterMB, l.MapMB, l.ReduceMB = slotMaster, slotMB, slotMB
			l.MaxMaps, l.MaxReduces = maxMaps, maxReduces
		}
		masters = len(jobs) * slotMaster
	}
	all := most(changes, memory)
	c := dag.Cluster{Policy: dag.YARN, MemoryMB: masters}
	byNode := map[string][]change{}
	for _, ch := range changes {
		byNode[ch.node] = append(byNode[ch.node], ch)
	}
	if most(byNode[""], memory) > 0 { // containers without a known node may have run on any node
		c.MemoryMB += all
		return c
	}
	delete(byNode, "")
	for _, name := range slices.Sorted(maps.Keys(byNode)) {
		mb := most(byNode[name], memory)
		c.MemoryMB += mb
		c.Nodes = append(c.Nodes, dag.Node{Name: name, MemoryMB: mb})
	}
	if all+masters < c.MemoryMB {
		c.QueueMB = all + masters
	}
	return c
}

// changesOf lists the starts and ends of containers by time. At one instant, ending containers free memory for starting
// ones.
func changesOf(jobs []*Job) (out []change) {
	add := func(from, to dag.Instant, node string, kind dag.StageIndex, mb int) {
		if from.Known() && to > from {
			out = append(out, change{from, node, kind, mb}, change{to, node, kind, -mb})
		}
	}
	for _, j := range jobs {
		end := dag.FirstKnown(j.Finished, j.Last)
		for i, m := range j.Masters {
			to := end
			if i+1 < len(j.Masters) {
				to = j.Masters[i+1].At
			}
			add(m.At, to, m.Node, dag.NoStage, j.Settings.MasterMB)
		}
		if j.Uber {
			continue
		}
		for _, a := range j.all() {
			mb := []int{j.Settings.Limits.MapMB, j.Settings.Limits.ReduceMB}[a.Kind]
			if j.Slots {
				mb = slotMB
			}
			add(a.Start, dag.FirstKnown(a.End, end), a.Node, a.Kind, max(mb, 1))
		}
	}
	slices.SortStableFunc(out, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.mb, b.mb))
	})
	return out
}
