package mapreduce

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// Other applications' masters are polled seldom: what their jobs have left to do changes by the minute, not by the
// second.
const (
	needEach   = 15 * time.Second // between two requests to one master
	needsATick = 3                // most masters that a tick polls
	// Lists cost 240 bytes a task: they are not requested for large jobs, and not each time for small ones.
	needTasks   = 1000
	lengthsEach = 30 * time.Second
	// how long a master that refuses is left alone, and how long a response stays valid without a newer one
	needTrouble  = 5 * time.Minute
	needFollowed = fewTenants // applications that are followed: more are summed up
)

// A need is the remaining work of another application, as its own master reports it.
type need struct {
	reported *dag.Need   // nil if unknown. Snapshots share it, so it is never changed
	lengths  [2]float64  // of tasks
	listed   dag.Instant // when the task list was requested
	next     dag.Instant // when the next request is due
}

// pollTenants polls the masters of other applications.
func (s *Source) pollTenants(ctx context.Context) {
	if s.isOnly {
		s.hub.pollNeeds(ctx, slices.DeleteFunc(s.view.Listed(), func(a *yarn.App) bool {
			return slices.ContainsFunc(s.member, func(j *job) bool { return j.app.ID == a.ID })
		}), s.now)
	}
}

// pollNeeds polls the masters that are due, those first that have waited longest. apps are the other applications that
// run. Those with the most memory are polled, and the needs of all others are dropped.
func (h *Hub) pollNeeds(ctx context.Context, apps []*yarn.App, now dag.Instant) {
	apps = slices.DeleteFunc(slices.Clone(apps), func(a *yarn.App) bool { return !a.Running || !a.MapReduce() })
	slices.SortFunc(apps, func(a, b *yarn.App) int {
		return cmp.Or(cmp.Compare(b.HeldMB+b.PendingMB, a.HeldMB+a.PendingMB), yarn.ByID(a.ID, b.ID))
	})
	apps = apps[:min(len(apps), needFollowed)]
	earlier, reported := h.needs, map[string]*dag.Need{}
	h.needs = map[string]*need{}
	for _, a := range apps {
		is := earlier[a.ID]
		if is == nil {
			is = &need{lengths: [2]float64{math.NaN(), math.NaN()}, listed: dag.NoInstant, next: dag.NoInstant}
		}
		h.needs[a.ID] = is
	}
	slices.SortStableFunc(apps, func(a, b *yarn.App) int { return cmp.Compare(h.needs[a.ID].next, h.needs[b.ID].next) })
	due := slices.DeleteFunc(slices.Clone(apps), func(a *yarn.App) bool { return h.needs[a.ID].next > now })
	yarn.Each(ctx, due[:min(len(due), needsATick)], func(ctx context.Context, a *yarn.App) {
		h.pollNeed(ctx, a, h.needs[a.ID], now)
	})
	for app, is := range h.needs {
		reported[app] = is.reported
	}
	h.SetNeeds(reported)
}

// pollNeed requests the state of an application's job and, if that is due and worth it, its tasks.
func (h *Hub) pollNeed(ctx context.Context, a *yarn.App, is *need, now dag.Instant) {
	path := "jobs/" + a.Job()
	body, err := h.cluster.AM(ctx, a.ID, path)
	b, err := yarn.Read[jobBody](path, body, err)
	j := &b.Job.V
	is.next = now.Add(needEach)
	if err != nil || !j.MapsTotal.Known || !j.ReducesTotal.Known {
		if yarn.Denied(err) || is.reported != nil && now.Sub(is.reported.At) > needTrouble {
			is.next, is.reported = now.Add(needTrouble), nil
		}
		return
	}
	isListDue := !is.listed.Known() || now.Sub(is.listed) >= lengthsEach
	if isListDue && j.MapsCompleted.V+j.ReducesCompleted.V > 0 && j.MapsTotal.V+j.ReducesTotal.V <= needTasks {
		body, err = h.cluster.AM(ctx, a.ID, path+"/tasks")
		if tasks, err := yarn.Read[tasksBody](path+"/tasks", body, err); err == nil {
			is.listed, is.lengths = now, lengths(&tasks)
		}
	}
	mb := [2]int{}
	if c, _ := h.conf(a.ID); c != nil {
		mb = [2]int{c.Limits.MapMB, c.Limits.ReduceMB}
	}
	is.reported = &dag.Need{
		At:     h.MadeAt("/proxy/"+a.ID+"/ws/v1/mapreduce/"+path, now),
		Map:    needOf(j.MapsTotal, j.MapsCompleted, j.MapsRunning, j.MapProgress),
		Reduce: needOf(j.ReducesTotal, j.ReducesCompleted, j.ReducesRunning, j.ReduceProgress),
	}
	mean := 0 // memory of a task's container; 0 if no task runs or the master's memory is unknown
	if a.MasterMB > 0 && a.Containers > 1 {
		mean = max(0, a.HeldMB-a.MasterMB) / (a.Containers - 1)
	}
	for k, phase := range []*dag.NeedPhase{&is.reported.Map, &is.reported.Reduce} {
		phase.LengthMS, phase.TaskMB = is.lengths[k], cmp.Or(mb[k], mean)
	}
}

// needOf returns what is left of a phase. A master reports progress 0 for a phase without tasks; then it is NaN.
func needOf(tasks, done, running, progress input.Optional) dag.NeedPhase {
	n := dag.NeedPhase{Tasks: tasksOf(tasks), Done: tasksOf(done), Running: tasksOf(running), Progress: math.NaN()}
	if tasks.V > 0 {
		n.Progress = progress.Ratio()
	}
	return n
}

// lengths returns how long succeeded tasks held their containers, the mean in milliseconds; NaN if none has
// succeeded.
func lengths(b *tasksBody) [2]float64 {
	var sum, n [2]float64
	for i := range b.Tasks.V.Task {
		t := &b.Tasks.V.Task[i]
		_, kind, _, ok := TaskOf(string(t.ID))
		start, end := t.StartTime.Instant(), t.FinishTime.Instant()
		if ok && t.State == "SUCCEEDED" && start.Known() && end >= start {
			sum[kind], n[kind] = sum[kind]+float64(end-start), n[kind]+1
		}
	}
	return [2]float64{sum[dag.Map] / n[dag.Map], sum[dag.Reduce] / n[dag.Reduce]}
}

// fewTenants is how many other applications a source among many shows one by one. sumLoads sums up more: otherwise
// each workflow's load would be as long as the list of a busy cluster.
const fewTenants = 20

// sumLoads sums up loads by queue and by whether FIFO serves them first. A sum's progress is weighted by held memory.
func sumLoads(all []dag.Load) []dag.Load {
	sums := map[string]*dag.Load{}
	for _, l := range all {
		l.ID, l.Name, l.User, l.Need = "others of "+l.Queue, "", "", nil
		if l.Before {
			l.ID += ", before"
		}
		done := max(0, l.Progress) * float64(l.HeldMB)
		if math.IsNaN(done) {
			done = 0
		}
		sum := sums[l.ID]
		if sum == nil {
			sums[l.ID], l.Progress = &l, done
			continue
		}
		sum.Progress += done
		sum.HeldMB += l.HeldMB
		sum.PendingMB += l.PendingMB
		sum.MasterMB += l.MasterMB
		sum.Submitted = min(sum.Submitted, l.Submitted)
	}
	out := make([]dag.Load, 0, len(sums))
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		l := *sums[id]
		if l.HeldMB > 0 {
			l.Progress /= float64(l.HeldMB)
		}
		out = append(out, l)
	}
	return out
}

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
// minutes later (facts/hadoop.md E0).
func (s *Source) remarkNodes(snap *dag.Snapshot, j *dag.JobState) {
	for k := dag.Map; k <= dag.Reduce; k++ {
		for n, count := range yarn.OnClosed(snap, j.Stages[k]) {
			tasks := fmt.Sprintf("%d %s tasks of %s", count, dag.MapReduceName(k), j.ID)
			if n.Lost {
				s.warn(dag.WarnNodeLost, "node %s is %s: %s run again elsewhere, once the master has tried to stop "+
					"them", n.Name, n.Cause, tasks)
			} else {
				s.warn(dag.WarnNodeClosed, "node %s is being decommissioned: its %s may run until its timeout, "+
					"new ones start elsewhere", n.Name, tasks)
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
