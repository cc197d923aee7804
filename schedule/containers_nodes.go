package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// takesContainers says by node whether new containers of ours come to it: not to one that is lost or drains, nor to one
// of another partition, unless something of ours has run there.
func takesContainers(s *dag.Snapshot) []bool {
	open := make([]bool, len(s.Nodes))
	apart := false
	for i := range open {
		n := &s.Nodes[i]
		open[i] = !n.Lost && !n.Draining && n.Label == ""
		apart = apart || n.Label != ""
	}
	if !apart {
		return open
	}
	for j := range s.Jobs {
		for k := range s.Jobs[j].Stages {
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				if a.Node >= 0 && int(a.Node) < len(open) {
					n := &s.Nodes[a.Node]
					open[a.Node] = !n.Lost && !n.Draining
				}
			}
		}
	}
	return open
}

// shuts says that a lane's memory goes with it: its node takes no containers, so what ends there frees nothing for us.
func (p *pool) shuts(lane int32) bool {
	n := p.node[lane]
	return n >= 0 && int(n) < len(p.open) && !p.open[n]
}

// seat takes n lanes of mb MB each for a job that wants none on the nodes it avoids.
func (p *pool) seat(n, mb int, avoided []int32) []int32 {
	if len(avoided) == 0 {
		return p.use(n, mb)
	}
	lanes := make([]int32, 0, n)
	for lane := range p.free.all() {
		if len(lanes) == n {
			break
		}
		if !slices.Contains(avoided, p.node[lane]) {
			lanes = append(lanes, lane)
			p.free.remove(lane)
		}
	}
	for len(lanes) < n {
		lanes = append(lanes, p.lane(p.roomiest(mb, avoided)))
	}
	return lanes
}

// idleOn is the memory that is free on some nodes, as far as lanes of mb MB tell.
func (p *pool) idleOn(nodes []int32, mb int) int {
	idle := 0
	for _, n := range nodes {
		if int(n) < len(p.room) {
			idle += p.room[n]
		}
	}
	if len(nodes) > 0 {
		for lane := range p.free.all() {
			if slices.Contains(nodes, p.node[lane]) {
				idle += mb
			}
		}
	}
	return idle
}

// avoidedBy are the nodes on which a job's AM wants nothing; none where it would leave it nowhere to go.
func (p *pool) avoidedBy(js *dag.JobState) []int32 {
	for n, open := range p.open {
		if open && !slices.Contains(js.Avoided, int32(n)) {
			return js.Avoided
		}
	}
	return nil
}

// host is the index of the node of that name, -1 where there is none.
func (y *containers) host(name string) int32 {
	if name == "" {
		return -1
	}
	return int32(slices.IndexFunc(y.s.Nodes, func(n dag.NodeState) bool { return n.Name == name }))
}

// seatMaster takes the memory of a job's AM that has its container. On a node that takes no containers it is none of
// ours.
func (y *containers) seatMaster(j int) {
	job, n := &y.jobs[j], y.host(y.s.Jobs[j].Master)
	if n >= 0 && !y.pool.open[n] {
		job.amMB = 0
		return
	}
	y.pool.fill(n, job.amMB)
	y.occupy(j, job.amMB)
	job.seat = n
}

// leave gives lanes back, and their memory unless it goes with their node.
func (y *containers) leave(j, mb int, lanes []int32) {
	if !y.laneless() && y.pool.shuts(lanes[0]) {
		return
	}
	y.vacate(j, mb)
	y.freeLanes(lanes)
}

// fill takes memory of a node that something of ours holds.
func (p *pool) fill(node int32, mb int) {
	if node >= 0 && int(node) < len(p.room) {
		p.room[node] = max(0, p.room[node]-mb)
	}
}

// empty gives back what fill took.
func (p *pool) empty(node int32, mb int) {
	if node >= 0 && int(node) < len(p.room) {
		p.room[node] += mb
	}
}

// prompt is how long a master needs to give up attempts on a node that is unhealthy or decommissioned (seen: 3 s).
const prompt = 3 * time.Second

// doomed says that an attempt's node is lost and its master has not given it up.
func (y *containers) doomed(a *dag.Attempt) bool {
	return !a.End.Known() && a.Node >= 0 && int(a.Node) < len(y.s.Nodes) && y.s.Nodes[a.Node].Lost
}

// abandonLater runs the task of an attempt again whose node is lost. The AM believes it to run until it has given up
// trying to stop its container (recording nodelost-1: three minutes). It holds no memory: that went with the node.
func (y *containers) abandonLater(j int, k dag.StageIndex, a *dag.Attempt) {
	p := &y.jobs[j].phase[k]
	p.granted++
	if a.Task >= 0 && int(a.Task) < p.total {
		p.doomed = append(p.doomed, a.Task)
	}
	since := y.s.Nodes[a.Node].LostAt
	if !since.Known() {
		since = y.now
	}
	task, number := a.Task, a.Number
	patience := y.s.Plan.Overheads.Abandon
	if y.s.Nodes[a.Node].Cause != dag.NodeGone {
		patience = prompt // its NodeManager answers, or says good-bye
	}
	y.at(since.Add(patience), rankEnd, func(t dag.Instant) {
		p.granted--
		if p.attempt == nil {
			p.attempt = map[int32]int32{}
		}
		p.attempt[task] = number + 1
		if int(task) < len(p.lacks) {
			p.release(task, 1)
		} else {
			p.retry = append(p.retry, task)
		}
		y.retryLater(j, k, t)
	})
}
