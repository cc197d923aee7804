package history

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

// A peak is an amount that changes, and the most that it was.
type peak struct{ now, most int }

func (p *peak) add(n int) {
	p.now += n
	p.most = max(p.most, p.now)
}

func clusterOf(jobs []*Job) cluster {
	c := cluster{index: map[string]int32{}}
	nodes, all := map[string]*peak{}, peak{}
	var tasks [2]peak
	for _, ch := range changesOf(jobs) {
		if nodes[ch.node] == nil {
			nodes[ch.node] = &peak{}
		}
		nodes[ch.node].add(ch.mb)
		all.add(ch.mb)
		if ch.kind != dag.NoStage {
			tasks[ch.kind].add(cmp.Compare(ch.mb, 0))
		}
	}
	slots := slices.ContainsFunc(jobs, func(j *Job) bool { return j.Slots })
	if slots {
		asContainers(jobs, tasks[dag.Map].most, tasks[dag.Reduce].most)
	}
	c.plan = dag.Cluster{Policy: dag.YARN}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		mb := nodes[name].most
		c.plan.MemoryMB += mb
		if name == "" {
			continue
		}
		c.index[name] = int32(len(c.nodes)) //nolint:gosec // far fewer than attempts, which are in memory
		c.nodes = append(c.nodes, dag.NodeState{Name: name, MemoryMB: mb, LostAt: dag.NoInstant})
		c.plan.Nodes = append(c.plan.Nodes, dag.Node{Name: name, MemoryMB: mb})
	}
	if all.most < c.plan.MemoryMB {
		c.plan.QueueMB = all.most
	}
	if p := nodes[""]; p != nil && p.most > 0 { // containers without a known node may have run on any node
		c.nodes, c.plan.Nodes = nil, nil
		clear(c.index)
		c.plan.MemoryMB, c.plan.QueueMB = all.most, 0
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
func asContainers(jobs []*Job, maps, reduces int) {
	for _, j := range jobs {
		l := &j.Settings.Limits
		j.Settings.MasterMB, l.MapMB, l.ReduceMB = slotMaster, slotMB, slotMB
		l.MaxMaps, l.MaxReduces = max(maps, 1), max(reduces, 1)
	}
}

// changesOf lists the starts and ends of containers by time. At one instant, ending containers free memory for starting
// ones. A master's container has no stage.
func changesOf(jobs []*Job) (out []change) {
	add := func(from, to dag.Instant, node string, kind dag.StageIndex, mb int) {
		if from.Known() && to > from {
			out = append(out, change{from, node, kind, mb}, change{to, node, kind, -mb})
		}
	}
	for _, j := range jobs {
		for i, m := range j.Masters {
			end := j.end()
			if i+1 < len(j.Masters) {
				end = j.Masters[i+1].At
			}
			add(m.At, end, m.Node, dag.NoStage, j.Settings.MasterMB)
		}
		if j.Uber {
			continue
		}
		for _, a := range j.all() {
			mb := []int{j.Settings.Limits.MapMB, j.Settings.Limits.ReduceMB}[a.Kind]
			if j.Slots {
				mb = slotMB
			}
			end := a.End
			if !end.Known() {
				end = j.end()
			}
			add(a.Start, end, a.Node, a.Kind, max(mb, 1))
		}
	}
	slices.SortStableFunc(out, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.mb, b.mb))
	})
	return out
}

// node returns the index of a node, or -1 if it is unknown.
func (c *cluster) node(name string) int32 {
	if i, ok := c.index[name]; ok {
		return i
	}
	return -1
}
