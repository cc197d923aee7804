package hadoop

import (
	"context"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// avoidEach is after how many ticks a job with failed attempts is asked again which nodes its master avoids.
const avoidEach = 10

// An avoidance is what is known of the nodes on which a master wants no containers: after some failures on a node it asks for none
// there (mapreduce.job.maxtaskfailures.per.tracker, 3 by default, and not where it would avoid a third of all nodes).
type avoidance struct {
	hosts  []string
	failed int // attempts that had failed when it was asked
	since  int // the first tick with as many, and the last one in which it was asked
	tick   int
}

// observeAvoided asks the ResourceManager which nodes masters avoid. Only jobs with failed attempts are asked for: when another one
// has failed, two ticks later (the master tells it with its next heartbeat), and now and then.
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

// on are the indices of the nodes on hosts, ascending; nil for none. A host is named without a port, and a node that is given with one
// is that very node.
func (w *world) on(hosts []string) []int32 {
	if len(hosts) == 0 {
		return nil
	}
	var out []int32
	for id, i := range w.ids {
		host, _, _ := strings.Cut(id, ":")
		if slices.Contains(hosts, host) || slices.Contains(hosts, id) {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
