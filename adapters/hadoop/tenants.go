package hadoop

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/adapters/rest"
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

// needs are what other applications have left to do, by their own masters' reports. It is not safe for concurrent
// use.
type needs map[string]*need

type need struct {
	reported *dag.Need // nil if unknown. Snapshots share it, so it is never changed
	lengths  [2]float64
	asked    dag.Instant
	listed   dag.Instant // when the task list was requested
	next     dag.Instant // when the next request is due
	tries    int         // requests in a row that brought nothing
}

// of returns what an application has left to do; nil if unknown.
func (n needs) of(app string) *dag.Need {
	if o := n[app]; o != nil {
		return o.reported
	}
	return nil
}

// A needAsked is a request to another application's master, with its response.
type needAsked struct {
	app     *wireApp
	is      *need
	list    bool // request the tasks too
	job     jobBody
	lengths [2]float64 // of the tasks, if listed
	err     error
	listed  bool
}

// observe polls the masters that are due. apps are the other applications that run, now is the instant, made
// returns when a response was made, and limits returns an application's settings.
func (n needs) observe(ctx context.Context, c Cluster, apps []*wireApp, now dag.Instant,
	made func(path string) dag.Instant, limits func(app string) dag.MapReduceLimits,
) {
	due := n.due(apps, now)
	questions := make([]func(context.Context), len(due))
	for i, q := range due {
		questions[i] = func(ctx context.Context) { q.put(ctx, c) }
	}
	ask(ctx, questions...)
	for _, q := range due {
		if ctx.Err() != nil {
			return
		}
		at := made("/proxy/" + string(q.app.ID) + "/ws/v1/mapreduce/jobs/" + q.app.job())
		q.take(at, now, limits(string(q.app.ID)))
	}
}

// observeNeeds polls the others' masters after the source's own. A shared hub does it at each Refresh.
func (s *Source) observeNeeds(ctx context.Context) {
	if !s.alone() {
		return
	}
	var others []*wireApp
	for _, id := range s.listed {
		if !slices.ContainsFunc(s.member, func(j *job) bool { return j.app == id }) {
			others = append(others, s.apps[id])
		}
	}
	s.hub.needs.observe(ctx, s.cluster, others, s.now, s.made, s.limitsOf)
}

// limitsOf returns an application's settings; zero values if its conf is unknown.
func (s *Source) limitsOf(app string) dag.MapReduceLimits {
	if j := s.jobs[app]; j != nil && j.conf != nil {
		return j.conf.limits
	}
	return dag.MapReduceLimits{}
}

// due returns the requests of this tick. They follow the applications with the most memory, and start with those
// that have waited longest. All others are forgotten.
func (n needs) due(apps []*wireApp, now dag.Instant) []*needAsked {
	apps = slices.DeleteFunc(slices.Clone(apps), func(a *wireApp) bool {
		return a.State != "RUNNING" ||
			!a.mapReduce()
	})
	slices.SortFunc(apps, func(a, b *wireApp) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), byID(string(a.ID), string(b.ID)))
	})
	apps = apps[:min(len(apps), needFollowed)]
	for id := range n {
		if !slices.ContainsFunc(apps, func(a *wireApp) bool { return string(a.ID) == id }) {
			delete(n, id)
		}
	}
	var due []*needAsked
	for _, a := range apps {
		is := n[string(a.ID)]
		if is == nil {
			is = &need{
				lengths: [2]float64{math.NaN(), math.NaN()}, asked: dag.NoInstant, listed: dag.NoInstant,
				next: now,
			}
			n[string(a.ID)] = is
		}
		if is.next <= now {
			due = append(due, &needAsked{app: a, is: is, list: !is.listed.Known() || now.Sub(is.listed) >= lengthsEach})
		}
	}
	slices.SortStableFunc(due, func(a, b *needAsked) int { return cmp.Compare(a.is.asked, b.is.asked) })
	return due[:min(len(due), needsATick)]
}

// weight returns the memory that an application holds and requests, in MB.
func (a *wireApp) weight() int {
	pending, _ := a.memory()
	return a.AllocatedMB.count(maxMB) + pending
}

func (q *needAsked) put(ctx context.Context, c Cluster) {
	app, job := string(q.app.ID), q.app.job()
	body, err := c.AM(ctx, app, "jobs/"+job)
	if q.job, q.err = get[jobBody](ctx, job, body, err); q.err != nil {
		return
	}
	j := &q.job.Job.V
	if done := j.MapsDone.v + j.ReducesDone.v; !q.list || !(done > 0) || j.Maps.v+j.Reduces.v > needTasks {
		return
	}
	body, err = c.AM(ctx, app, "jobs/"+job+"/tasks")
	tasks, err := get[tasksBody](ctx, job+"/tasks", body, err)
	q.lengths, q.listed = lengths(&tasks), err == nil // if it fails, the lengths stay as they were
}

// take makes a Need from the responses, which were made at an instant.
func (q *needAsked) take(at, now dag.Instant, limits dag.MapReduceLimits) {
	is := q.is
	is.asked, is.next = now, now.Add(needEach)
	j := &q.job.Job.V
	if q.err != nil || !j.Maps.ok || !j.Reduces.ok {
		is.tries++
		is.next = now.Add(min(needEach<<min(is.tries-1, 5), needTrouble))
		if st := rest.Status(q.err); st == http.StatusUnauthorized || st == http.StatusForbidden {
			is.next, is.reported = now.Add(needTrouble), nil
		}
		if is.reported != nil && now.Sub(is.reported.At) > needTrouble {
			is.reported = nil
		}
		return
	}
	is.tries = 0
	if q.listed {
		is.listed, is.lengths = now, q.lengths
	}
	mb := q.app.taskMB()
	is.reported = &dag.Need{
		At: at,
		Map: dag.NeedPhase{
			Tasks: j.Maps.count(maxTasks), Done: j.MapsDone.count(maxTasks), Running: j.MapsRunning.count(maxTasks),
			Progress: ratioOf(j.Maps, j.MapProgress), LengthMS: is.lengths[dag.Map], TaskMB: cmp.Or(limits.MapMB, mb),
		},
		Reduce: dag.NeedPhase{
			Tasks: j.Reduces.count(maxTasks), Done: j.ReducesDone.count(maxTasks),
			Running:  j.ReducesRunning.count(maxTasks),
			Progress: ratioOf(j.Reduces, j.ReduceProgress), LengthMS: is.lengths[dag.Reduce],
			TaskMB: cmp.Or(limits.ReduceMB, mb),
		},
	}
}

// ratioOf returns the progress of a phase. A master reports 0 for a phase without tasks; then it is NaN.
func ratioOf(tasks, percent num) float64 {
	if !(tasks.v > 0) {
		return math.NaN()
	}
	return percent.ratio()
}

// taskMB returns the mean memory of a task's container in the application, in MB; 0 if no task runs or the master's
// memory is unknown.
func (a *wireApp) taskMB() int {
	_, am := a.memory()
	if n := a.Containers.count(maxTasks); am > 0 && n > 1 {
		return max(0, a.AllocatedMB.count(maxMB)-am) / (n - 1)
	}
	return 0
}

// lengths returns how long succeeded tasks held their containers, the mean in milliseconds; NaN if none has
// succeeded.
func lengths(b *tasksBody) [2]float64 {
	var sum, n [2]float64
	for i := range b.Tasks.V.Task {
		t := &b.Tasks.V.Task[i]
		kind, _, ok := taskID(string(t.ID))
		start, end := t.Started.instant(), t.Finished.instant()
		if ok && t.State == "SUCCEEDED" && start.Known() && end >= start {
			sum[kind], n[kind] = sum[kind]+float64(end-start), n[kind]+1
		}
	}
	return [2]float64{sum[dag.Map] / n[dag.Map], sum[dag.Reduce] / n[dag.Reduce]}
}

// observeNeeds polls the masters of what runs, once for all sources. If more applications run than a source shows
// one by one, no master is polled.
func (h *Hub) observeNeeds(ctx context.Context, v *view) {
	if len(v.runs) < 2 || len(v.runs) > fewTenants+1 {
		clear(h.needs)
		return
	}
	apps := make([]*wireApp, len(v.runs))
	for i, id := range v.runs {
		apps[i] = v.apps[id]
	}
	h.needs.observe(ctx, h.cluster, apps, v.at, func(string) dag.Instant { return v.at }, h.limitsOf)
	v.needs = make(map[string]*dag.Need, len(h.needs))
	for id, n := range h.needs {
		v.needs[id] = n.reported
	}
}

// limitsOf returns an application's settings; zero values if its conf is unknown.
func (h *Hub) limitsOf(app string) dag.MapReduceLimits {
	if c := h.conf(app); c != nil {
		return c.limits
	}
	return dag.MapReduceLimits{}
}

// fewTenants is how many other applications a source of a hub shows one by one. More are summed up: otherwise each
// workflow's load would be as long as the list of a busy cluster.
const fewTenants = 20

// sumLoads sums up loads by queue and by whether FIFO serves them first. A sum's progress is weighted by held
// memory.
func sumLoads(all []dag.Load) []dag.Load {
	if len(all) <= fewTenants {
		return all
	}
	type key struct {
		queue  string
		before bool
	}
	sums := map[key]*dag.Load{}
	var order []key
	for i := range all {
		l := &all[i]
		k := key{l.Queue, l.Before}
		sum := sums[k]
		if sum == nil {
			first := *l
			first.ID, first.Name, first.User, first.Need, first.Progress = "others of "+l.Queue, "", "", nil, 0
			first.HeldMB, first.PendingMB, first.MasterMB = 0, 0, 0
			sum, sums[k] = &first, &first
			order = append(order, k)
		}
		if l.Progress >= 0 { // not NaN
			sum.Progress += l.Progress * float64(l.HeldMB)
		}
		sum.HeldMB += l.HeldMB
		sum.PendingMB += l.PendingMB
		sum.MasterMB += l.MasterMB
		sum.Submitted = min(sum.Submitted, l.Submitted)
	}
	out := make([]dag.Load, 0, len(order))
	for _, k := range order {
		l := *sums[k]
		if l.Before {
			l.ID += ", before"
		}
		if l.HeldMB > 0 {
			l.Progress /= float64(l.HeldMB)
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b dag.Load) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// load lists what other applications hold or wait for.
func (s *Source) load(g *graph, ours map[string]bool) []dag.Load {
	var firstOfOurs *wireApp
	for i := range g.nodes {
		if j := g.nodes[i].job; j != nil && !j.state.Ended() {
			if a := s.apps[j.app]; a != nil && (firstOfOurs == nil || older(a, firstOfOurs) < 0) {
				firstOfOurs = a
			}
		}
	}
	var out []dag.Load
	ourQueue := string(s.apps[s.chosen].Queue)
	v := s.hub.view.Load()
	apps, need := v.apps, v.need
	if s.alone() {
		apps, need = s.apps, s.hub.needs.of
	}
	for _, id := range v.listed {
		a := apps[id]
		held := a.AllocatedMB.count(maxMB)
		if ours[id] || a.ended() && held == 0 {
			continue
		}
		pending, am := a.memory()
		out = append(out, dag.Load{
			ID: id, Name: pig.Script(JobTitle(string(a.Name))), User: string(a.User), Need: need(id),
			Before: firstOfOurs == nil || older(a, firstOfOurs) < 0, Submitted: a.Started.instant(),
			Queue: string(a.Queue), HeldMB: held, PendingMB: pending, MasterMB: am, Progress: a.Progress.ratio(),
			ShareMB: s.state.shareMB(string(a.Queue), ourQueue), Until: dag.NoInstant,
		})
	}
	return out
}
