package past

import (
	"cmp"
	"maps"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A cluster is derived from the jobs that ran on it, because a history has no capacities. Its size is the most memory
// that our containers used at once, on each node and in total.
type cluster struct {
	plan  dag.Cluster
	nodes []dag.NodeState
	index map[string]int32
}

// A change is the start or the end of a container.
type change struct {
	at   dag.Instant
	node string
	kind dag.StageIndex
	mb   int // negative at the end
}

func clusterOf(jobs []*Job) cluster {
	c := cluster{index: map[string]int32{}}
	changes, slots := changesOf(jobs)
	// At one instant, ending containers free memory for starting ones.
	slices.SortStableFunc(changes,
		func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.mb, b.mb)) })
	held, most, all, top := map[string]int{}, map[string]int{}, 0, 0
	var tasks, peak [2]int
	for _, ch := range changes {
		held[ch.node] += ch.mb
		most[ch.node] = max(most[ch.node], held[ch.node])
		all += ch.mb
		top = max(top, all)
		if ch.kind == dag.NoStage {
			continue
		}
		if ch.mb > 0 {
			tasks[ch.kind]++
		} else {
			tasks[ch.kind]--
		}
		peak[ch.kind] = max(peak[ch.kind], tasks[ch.kind])
	}
	if slots {
		asContainers(jobs, peak)
	}
	c.plan = dag.Cluster{Policy: dag.YARN}
	for _, name := range slices.Sorted(maps.Keys(most)) {
		c.plan.MemoryMB += most[name]
		if name == "" {
			continue
		}
		c.index[name] = int32(len(c.nodes))
		c.nodes = append(c.nodes, dag.NodeState{Name: name, MemoryMB: most[name], LostAt: dag.NoInstant})
		c.plan.Nodes = append(c.plan.Nodes, dag.Node{Name: name, MemoryMB: most[name]})
	}
	if top < c.plan.MemoryMB {
		c.plan.QueueMB = top
	}
	if most[""] > 0 { // containers without a known node may have run on any node
		c.nodes, c.plan.Nodes = nil, nil
		clear(c.index)
		c.plan.MemoryMB, c.plan.QueueMB = top, 0
	}
	if slots {
		c.plan.MemoryMB += len(jobs) * slotMaster
		if c.plan.QueueMB > 0 {
			c.plan.QueueMB += len(jobs) * slotMaster
		}
	}
	return c
}

// slotMB stands for a slot. slotMaster stands for the master that a job on slots does not have; it is negligible.
const (
	slotMB     = 1024
	slotMaster = 1
)

// asContainers turns slots into containers of one size, with the peak numbers of maps and reduces as limits. Real
// clusters with slots start reduces early and report nodes. The paper's slot model has neither.
func asContainers(jobs []*Job, peak [2]int) {
	for _, j := range jobs {
		l := &j.Settings.Limits
		j.Settings.MasterMB, l.MapMB, l.ReduceMB = slotMaster, slotMB, slotMB
		l.MaxMaps, l.MaxReduces = max(peak[dag.Map], 1), max(peak[dag.Reduce], 1)
	}
}

// changesOf lists the starts and ends of containers, and reports whether the jobs ran on slots. A master's container
// has no stage.
func changesOf(jobs []*Job) (out []change, slots bool) {
	add := func(from, to dag.Instant, node string, kind dag.StageIndex, mb int) {
		if from.Known() && to > from {
			out = append(out, change{from, node, kind, mb}, change{to, node, kind, -mb})
		}
	}
	for _, j := range jobs {
		slots = slots || j.Slots
		for i, m := range j.Masters {
			end := j.over()
			if i+1 < len(j.Masters) {
				end = j.Masters[i+1].At
			}
			add(m.At, end, m.Node, dag.NoStage, j.Settings.MasterMB)
		}
		if j.Uber {
			continue
		}
		for k, mb := range [...]int{j.Settings.Limits.MapMB, j.Settings.Limits.ReduceMB} {
			if j.Slots {
				mb = slotMB
			}
			for i := range j.Attempts[k] {
				a := &j.Attempts[k][i]
				end := a.End
				if !end.Known() {
					end = j.over()
				}
				add(a.Start, end, a.Node, dag.StageIndex(k), max(mb, 1))
			}
		}
	}
	return out, slots
}

// over returns when the job's history ends.
func (j *Job) over() dag.Instant {
	if j.Finished.Known() {
		return j.Finished
	}
	return j.Last
}

// node returns the index of a node, or -1 if it is unknown.
func (c *cluster) node(name string) int32 {
	if i, ok := c.index[name]; ok {
		return i
	}
	return -1
}
