package mapreduce

import (
	"context"
	"fmt"

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
	failed int // failed attempts at the last request
	tick   int // of the last request
}

// pollAvoided requests the nodes that masters avoid from the ResourceManager, for jobs with failed attempts
// only: in the tick after another attempt failed, and every avoidEach ticks.
func (s *Source) pollAvoided(ctx context.Context) {
	var jobs []*job
	for _, j := range s.member {
		v, isDue := &j.avoids, j.failed != j.avoids.failed || s.ticks >= j.avoids.tick+avoidEach
		if isDue && j.failed > 0 && j.app.Running {
			v.failed, v.tick = j.failed, s.ticks
			jobs = append(jobs, j)
		}
	}
	yarn.Each(ctx, jobs, func(ctx context.Context, j *job) {
		if b, err := s.requestMasters(ctx, j); err == nil {
			_, j.avoids.hosts = b.newest()
		}
	})
}

// remarkNodes warns of a job's attempts on lost or draining nodes, and of nodes that its master avoids. A killed
// attempt without an end is still being stopped: the master requests its task again only afterwards, up to three
// minutes later (docs/facts/hadoop.md E0).
func (s *Source) remarkNodes(snap *dag.Snapshot, j *dag.JobState) {
	for k := dag.Map; k <= dag.Reduce; k++ {
		for n, count := range yarn.OnClosed(snap, j.Stages[k]) {
			tasks := fmt.Sprintf("%d %s tasks of %s", count, dag.MapReduceName(k), j.ID)
			if n.Lost {
				s.warn(dag.WarnNodeLost, "node %s is %s: %s run again elsewhere, once the master has tried to stop "+
					"them", n.Name, n.Cause, tasks)
			} else {
				s.warn(dag.WarnNodeClosed, "node %s is being decommissioned: its %s go on for as long as it is given, "+
					"new ones go elsewhere", n.Name, tasks)
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
