package hadoop

import (
	"context"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// avoidEach is after how many ticks a job with failed attempts is asked again which nodes its master avoids.
const avoidEach = 10

// An avoidance is what is known of the nodes on which a master wants no containers: after some failures on a node it
// asks for none there (mapreduce.job.maxtaskfailures.per.tracker, 3 by default, and not where it would avoid a third
// of all nodes).
type avoidance struct {
	hosts  []string
	failed int // attempts that had failed when it was asked
	since  int // the first tick with as many, and the last one in which it was asked
	tick   int
}

// observeAvoided asks the ResourceManager which nodes masters avoid. Only jobs with failed attempts are asked for:
// when another one has failed, two ticks later (the master tells it with its next heartbeat), and now and then.
func (s *Source) observeAvoided(ctx context.Context) {
	var jobs []*job
	for _, j := range s.member {
		if a := s.apps[j.app]; a == nil || a.State != "RUNNING" {
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
	answers, errs := make([]appAttemptsBody, len(jobs)), make([]error, len(jobs))
	questions := make([]func(context.Context), len(jobs))
	for i, j := range jobs {
		questions[i] = func(ctx context.Context) {
			body, err := s.cluster.RM(ctx, "apps/"+j.app+"/appattempts")
			answers[i], errs[i] = get[appAttemptsBody](ctx, j.app+"/appattempts", body, err)
		}
	}
	ask(ctx, questions...)
	for i, j := range jobs {
		if errs[i] == nil {
			j.avoids.hosts = answers[i].avoided()
		}
	}
}

// avoided are the hosts that the newest master avoids.
func (b *appAttemptsBody) avoided() []string {
	newest, hosts := -1, ""
	for _, a := range b.Attempts.v.Attempt {
		if n := a.ID.count(1 << 20); n > newest {
			newest, hosts = n, string(a.Avoided)
		}
	}
	return strings.FieldsFunc(hosts, func(r rune) bool { return r == ',' || r == ' ' })
}

// on are the indices of the nodes on hosts, ascending; nil for none. A host is named without a port, and a node that
// is given with one is that very node.
func (c *clusterState) on(hosts []string) []int32 {
	if len(hosts) == 0 {
		return nil
	}
	var out []int32
	for id, i := range c.ids {
		host, _, _ := strings.Cut(id, ":")
		if slices.Contains(hosts, host) || slices.Contains(hosts, id) {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// remarkNodes warns of a job's attempts on nodes that are lost or drain, and of nodes that its master avoids. One
// that is killed but has no end is being stopped: the master asks for its task again only once it is, up to three
// minutes later (docs/facts/hadoop.md E0).
func (s *Source) remarkNodes(snap *dag.Snapshot, job int) {
	j := &snap.Jobs[job]
	if j.State.Ended() {
		return
	}
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
		on := make([]int, len(snap.Nodes))
		for _, a := range j.Stages[k].Attempts {
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
	for _, n := range j.Avoided {
		if !snap.Nodes[n].Lost {
			s.warn(dag.WarnNodeClosed,
				"the master of %s avoids node %s, where too many of its attempts failed: new ones go elsewhere", j.ID,
				snap.Nodes[n].Name)
		}
	}
}

// remarkTasks warns of a job's attempts on a node that is no good any more.
func (s *Source) remarkTasks(n *dag.NodeState, count int, k dag.StageIndex, job string) {
	switch {
	case n.Lost && n.Cause == dag.NodeUnhealthy:
		s.warn(dag.WarnNodeLost, "node %s is unhealthy with %d %s tasks of %s: they run again elsewhere", n.Name, count,
			dag.MapReduceName(k), job)
	case n.Lost && n.Cause == dag.NodeDecommissioned:
		s.warn(dag.WarnNodeLost,
			"node %s is decommissioned with %d %s tasks of %s; the master gives them up only once it has tried to stop them",
			n.Name, count, dag.MapReduceName(k), job)
	case n.Lost:
		s.warn(dag.WarnNodeLost,
			"node %s is lost with %d %s tasks of %s; the master gives them up only once it has tried to stop them",
			n.Name, count, dag.MapReduceName(k), job)
	case n.Draining:
		s.warn(dag.WarnNodeClosed,
			"node %s is being decommissioned: its %d %s tasks of %s go on for as long as it is given, new ones go elsewhere",
			n.Name, count, dag.MapReduceName(k), job)
	}
}
