package mapreduce

import (
	"context"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// avoidEach is the number of ticks between requests for the nodes that a master avoids, for a job with failed
// attempts.
const avoidEach = 10

// An avoidance is the nodes that a master avoids. After some failures on a node it requests no containers there
// (mapreduce.job.maxtaskfailures.per.tracker, 3 by default), unless it would avoid a third of all nodes.
type avoidance struct {
	hosts  []string
	failed int // failed attempts at the last change
	since  int // the first tick with that many
	tick   int // tick of the last request
}

// pollAvoided requests the nodes that masters avoid from the ResourceManager, for jobs with failed attempts
// only: when another attempt fails, two ticks later (after the master's next heartbeat), and every avoidEach ticks.
func (s *Source) pollAvoided(ctx context.Context) error {
	var jobs []*job
	for _, j := range s.member {
		if a := s.view.Known(j.app); a == nil || !a.Running {
			continue
		}
		v, failed := &j.avoids, j.phases[dag.Map].failed+j.phases[dag.Reduce].failed
		switch {
		case failed == 0:
			continue
		case failed != v.failed:
			v.failed, v.since = failed, s.ticks
		case s.ticks != v.since+2 && s.ticks < v.tick+avoidEach:
			continue
		}
		v.tick = s.ticks
		jobs = append(jobs, j)
	}
	yarn.Each(ctx, jobs, func(ctx context.Context, j *job) {
		masters := request[appAttemptsBody]{isDue: true}
		if s.requestMasters(ctx, j, &masters); masters.err == nil {
			j.avoids.hosts = masters.response.avoided()
		}
	})
	return nil
}

// avoided returns the hosts that the newest master avoids.
func (b *appAttemptsBody) avoided() []string {
	newest, hosts := -1, ""
	for _, a := range b.Attempts.V.Attempt {
		if n := a.ID.Count(1 << 20); n > newest {
			newest, hosts = n, string(a.Avoided)
		}
	}
	return strings.FieldsFunc(hosts, func(r rune) bool { return r == ',' || r == ' ' })
}

// remarkNodes warns of a job's attempts on lost or draining nodes, and of nodes that its master avoids.
func (s *Source) remarkNodes(snap *dag.Snapshot, job int) {
	j := &snap.Jobs[job]
	if j.State.Ended() {
		return
	}
	if slices.ContainsFunc(snap.Nodes, dag.NodeState.Closed) {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			s.remarkPhase(snap, j, k)
		}
	}
	for _, n := range j.Avoided {
		if !snap.Nodes[n].Lost {
			s.warn(dag.WarnNodeClosed,
				"the master of %s avoids node %s, where too many of its attempts failed: new ones go elsewhere", j.ID,
				snap.Nodes[n].Name)
		}
	}
}

// remarkPhase warns of a phase's attempts on lost or draining nodes. A killed attempt without an end is still being
// stopped: the master requests its task again only afterwards, up to three minutes later (docs/facts/hadoop.md E0).
func (s *Source) remarkPhase(snap *dag.Snapshot, j *dag.JobState, k dag.StageIndex) {
	on := make([]int, len(snap.Nodes))
	for i := range j.Stages[k].Attempts {
		a := &j.Stages[k].Attempts[i]
		held := a.State == dag.AttemptRunning || a.State == dag.AttemptKilled && !a.End.Known()
		if held && a.Node >= 0 && int(a.Node) < len(on) {
			on[a.Node]++
		}
	}
	for n, count := range on {
		if count > 0 {
			s.remarkTasks(&snap.Nodes[n], count, k, j.ID)
		}
	}
}

// remarkTasks warns of a job's attempts on a lost or draining node.
func (s *Source) remarkTasks(n *dag.NodeState, count int, k dag.StageIndex, job string) {
	var text string
	code := dag.WarnNodeLost
	switch {
	case n.Lost && n.Cause == dag.NodeUnhealthy:
		text = "node %s is unhealthy with %d %s tasks of %s: they run again elsewhere"
	case n.Lost && n.Cause == dag.NodeDecommissioned:
		text = "node %s is decommissioned with %d %s tasks of %s; " + triedToStop
	case n.Lost:
		text = "node %s is lost with %d %s tasks of %s; " + triedToStop
	case n.Draining:
		code = dag.WarnNodeClosed
		text = "node %s is being decommissioned: its %d %s tasks of %s go on for as long as it is given, new ones go elsewhere"
	default:
		return
	}
	s.warn(code, text, n.Name, count, dag.MapReduceName(k), job)
}

const triedToStop = "the master gives them up only once it has tried to stop them"
