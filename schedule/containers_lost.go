package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

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
