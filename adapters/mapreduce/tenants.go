package mapreduce

import (
	"cmp"
	"context"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/rest"
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

// reported returns what applications have left to do, if that is known.
func (n needs) reported() map[string]*dag.Need {
	out := make(map[string]*dag.Need, len(n))
	for app, is := range n {
		out[app] = is.reported
	}
	return out
}

// A needAsked is a request to another application's master, with its response.
type needAsked struct {
	app     *yarn.App
	is      *need
	list    bool // request the tasks too
	job     jobBody
	lengths [2]float64 // of the tasks, if listed
	err     error
	listed  bool
}

// poll polls the masters that are due. apps are the other applications that run, now is the instant, made
// returns when a response was made, and settings returns an application's settings, nil if unknown.
func (n needs) poll(ctx context.Context, c Cluster, apps []*yarn.App, now dag.Instant,
	made func(path string) dag.Instant, settings func(app string) *mrjob.Settings,
) {
	due := n.due(apps, now)
	yarn.Each(ctx, due, func(ctx context.Context, q *needAsked) { q.put(ctx, c) })
	for _, q := range due {
		if ctx.Err() != nil {
			return
		}
		at := made("/proxy/" + q.app.ID + "/ws/v1/mapreduce/jobs/" + q.app.Job())
		var limits dag.MapReduceLimits
		if conf := settings(q.app.ID); conf != nil {
			limits = conf.Limits
		}
		q.take(at, now, limits)
	}
}

// due returns the requests of this tick. They follow the applications with the most memory, and start with those
// that have waited longest. All others are forgotten.
func (n needs) due(apps []*yarn.App, now dag.Instant) []*needAsked {
	apps = slices.DeleteFunc(slices.Clone(apps), func(a *yarn.App) bool {
		return !a.Running || !a.MapReduce()
	})
	slices.SortFunc(apps, func(a, b *yarn.App) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), yarn.ByID(a.ID, b.ID))
	})
	apps = apps[:min(len(apps), needFollowed)]
	for id := range n {
		if !slices.ContainsFunc(apps, func(a *yarn.App) bool { return a.ID == id }) {
			delete(n, id)
		}
	}
	var due []*needAsked
	for _, a := range apps {
		is := n[a.ID]
		if is == nil {
			is = &need{
				lengths: [2]float64{math.NaN(), math.NaN()}, asked: dag.NoInstant, listed: dag.NoInstant,
				next: now,
			}
			n[a.ID] = is
		}
		if is.next <= now {
			due = append(due, &needAsked{app: a, is: is, list: !is.listed.Known() || now.Sub(is.listed) >= lengthsEach})
		}
	}
	slices.SortStableFunc(due, func(a, b *needAsked) int { return cmp.Compare(a.is.asked, b.is.asked) })
	return due[:min(len(due), needsATick)]
}

// weight returns the memory that an application holds and requests, in MB.
func weight(a *yarn.App) int { return a.HeldMB + a.PendingMB }

func (q *needAsked) put(ctx context.Context, c Cluster) {
	app, job := q.app.ID, q.app.Job()
	body, err := c.AM(ctx, app, "jobs/"+job)
	if q.job, q.err = yarn.Read[jobBody](ctx, job, body, err); q.err != nil {
		return
	}
	j := &q.job.Job.V
	if done := j.MapsDone.V + j.ReducesDone.V; !q.list || !(done > 0) || j.Maps.V+j.Reduces.V > needTasks {
		return
	}
	body, err = c.AM(ctx, app, "jobs/"+job+"/tasks")
	tasks, err := yarn.Read[tasksBody](ctx, job+"/tasks", body, err)
	q.lengths, q.listed = lengths(&tasks), err == nil // if it fails, the lengths stay as they were
}

// take makes a Need from the responses, which were made at an instant.
func (q *needAsked) take(at, now dag.Instant, limits dag.MapReduceLimits) {
	is := q.is
	is.asked, is.next = now, now.Add(needEach)
	j := &q.job.Job.V
	if q.err != nil || !j.Maps.Known || !j.Reduces.Known {
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
	mb := taskMB(q.app)
	is.reported = &dag.Need{
		At: at,
		Map: dag.NeedPhase{
			Tasks: tasksOf(j.Maps), Done: tasksOf(j.MapsDone), Running: tasksOf(j.MapsRunning),
			Progress: ratioOf(j.Maps, j.MapProgress), LengthMS: is.lengths[dag.Map], TaskMB: cmp.Or(limits.MapMB, mb),
		},
		Reduce: dag.NeedPhase{
			Tasks: tasksOf(j.Reduces), Done: tasksOf(j.ReducesDone),
			Running:  tasksOf(j.ReducesRunning),
			Progress: ratioOf(j.Reduces, j.ReduceProgress), LengthMS: is.lengths[dag.Reduce],
			TaskMB: cmp.Or(limits.ReduceMB, mb),
		},
	}
}

// ratioOf returns the progress of a phase. A master reports 0 for a phase without tasks; then it is NaN.
func ratioOf(tasks, percent loose.Optional) float64 {
	if !(tasks.V > 0) {
		return math.NaN()
	}
	return percent.Ratio()
}

// taskMB returns the mean memory of a task's container in the application, in MB; 0 if no task runs or the master's
// memory is unknown.
func taskMB(a *yarn.App) int {
	if a.MasterMB > 0 && a.Containers > 1 {
		return max(0, a.HeldMB-a.MasterMB) / (a.Containers - 1)
	}
	return 0
}

// lengths returns how long succeeded tasks held their containers, the mean in milliseconds; NaN if none has
// succeeded.
func lengths(b *tasksBody) [2]float64 {
	var sum, n [2]float64
	for i := range b.Tasks.V.Task {
		t := &b.Tasks.V.Task[i]
		_, kind, _, ok := mrjob.TaskOf(string(t.ID))
		start, end := t.Started.Instant(), t.Finished.Instant()
		if ok && t.State == "SUCCEEDED" && start.Known() && end >= start {
			sum[kind], n[kind] = sum[kind]+float64(end-start), n[kind]+1
		}
	}
	return [2]float64{sum[dag.Map] / n[dag.Map], sum[dag.Reduce] / n[dag.Reduce]}
}

// fewTenants is how many other applications a source among many shows one by one. sumLoads sums up more: otherwise
// each workflow's load would be as long as the list of a busy cluster.
const fewTenants = 20

// sumLoads sums up loads by queue and by whether FIFO serves them first, if there are more than fewTenants. A sum's
// progress is weighted by held memory.
func sumLoads(all []dag.Load) []dag.Load {
	if len(all) <= fewTenants {
		return all
	}
	sums := map[string]*dag.Load{}
	for i := range all {
		l := &all[i]
		id := "others of " + l.Queue
		if l.Before {
			id += ", before"
		}
		sum := sums[id]
		if sum == nil {
			first := *l
			sum, sums[id] = &first, &first
			sum.ID, sum.Name, sum.User, sum.Need, sum.Progress = id, "", "", nil, 0
			sum.HeldMB, sum.PendingMB, sum.MasterMB = 0, 0, 0
		}
		if l.Progress >= 0 { // not NaN
			sum.Progress += l.Progress * float64(l.HeldMB)
		}
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
