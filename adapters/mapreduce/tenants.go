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
	app      *yarn.App
	reported *dag.Need  // nil if unknown. Snapshots share it, so it is never changed
	lengths  [2]float64 // of tasks
	asked    dag.Instant
	listed   dag.Instant // when the task list was requested
	next     dag.Instant // when the next request is due
	tries    int         // requests in a row that brought nothing

	job  request[jobBody]
	list request[[2]float64] // the lengths of its tasks
}

// reported returns what applications have left to do, if that is known.
func (n needs) reported() map[string]*dag.Need {
	out := make(map[string]*dag.Need, len(n))
	for app, is := range n {
		out[app] = is.reported
	}
	return out
}

// poll polls the masters that are due. apps are the other applications that run, now is the instant, made
// returns when a response was made, and settings returns an application's settings, nil if unknown.
func (n needs) poll(ctx context.Context, c Cluster, apps []*yarn.App, now dag.Instant,
	made func(path string) dag.Instant, settings func(app string) *mrjob.Settings,
) {
	due := n.due(apps, now)
	yarn.Each(ctx, due, func(ctx context.Context, is *need) { is.request(ctx, c) })
	for _, is := range due {
		if ctx.Err() != nil {
			return
		}
		var limits dag.MapReduceLimits
		if conf := settings(is.app.ID); conf != nil {
			limits = conf.Limits
		}
		is.take(made("/proxy/"+is.app.ID+"/ws/v1/mapreduce/jobs/"+is.app.Job()), now, limits)
	}
}

// due returns the applications with masters that this tick polls. They are among those with the most memory, and those
// that have waited longest come first. All others are forgotten.
func (n needs) due(apps []*yarn.App, now dag.Instant) []*need {
	apps = slices.DeleteFunc(slices.Clone(apps), func(a *yarn.App) bool { return !a.Running || !a.MapReduce() })
	slices.SortFunc(apps, func(a, b *yarn.App) int {
		return cmp.Or(cmp.Compare(b.HeldMB+b.PendingMB, a.HeldMB+a.PendingMB), yarn.ByID(a.ID, b.ID))
	})
	apps = apps[:min(len(apps), needFollowed)]
	maps.DeleteFunc(n, func(id string, _ *need) bool {
		return !slices.ContainsFunc(apps, func(a *yarn.App) bool { return a.ID == id })
	})
	var due []*need
	for _, a := range apps {
		is := n[a.ID]
		if is == nil {
			is = &need{
				lengths: [2]float64{math.NaN(), math.NaN()}, asked: dag.NoInstant, listed: dag.NoInstant, next: now,
			}
			n[a.ID] = is
		}
		if is.app = a; is.next <= now {
			is.list.isDue = !is.listed.Known() || now.Sub(is.listed) >= lengthsEach
			due = append(due, is)
		}
	}
	slices.SortStableFunc(due, func(a, b *need) int { return cmp.Compare(a.asked, b.asked) })
	return due[:min(len(due), needsATick)]
}

// request requests the job and, if that is due and worth it, its tasks.
func (is *need) request(ctx context.Context, c Cluster) {
	app, job := is.app.ID, is.app.Job()
	body, err := c.AM(ctx, app, "jobs/"+job)
	is.job.response, is.job.err = yarn.Read[jobBody](ctx, job, body, err)
	j := &is.job.response.Job.V
	is.list.isDue = is.list.isDue && is.job.err == nil && j.MapsDone.V+j.ReducesDone.V > 0 &&
		j.Maps.V+j.Reduces.V <= needTasks
	if is.list.isDue {
		body, err = c.AM(ctx, app, "jobs/"+job+"/tasks")
		tasks, err := yarn.Read[tasksBody](ctx, job+"/tasks", body, err)
		is.list.response, is.list.err = lengths(&tasks), err
	}
}

// take makes a Need from the responses, which were made at an instant.
func (is *need) take(at, now dag.Instant, limits dag.MapReduceLimits) {
	is.asked, is.next = now, now.Add(needEach)
	j := &is.job.response.Job.V
	if is.job.err != nil || !j.Maps.Known || !j.Reduces.Known {
		is.tries++
		is.next = now.Add(min(needEach<<min(is.tries-1, 5), needTrouble))
		if st := rest.Status(is.job.err); st == http.StatusUnauthorized || st == http.StatusForbidden {
			is.next, is.reported = now.Add(needTrouble), nil
		}
		if is.reported != nil && now.Sub(is.reported.At) > needTrouble {
			is.reported = nil
		}
		return
	}
	is.tries = 0
	if is.list.isDue && is.list.err == nil { // otherwise the lengths stay as they were
		is.listed, is.lengths = now, is.list.response
	}
	mb := taskMB(is.app)
	is.reported = &dag.Need{
		At: at,
		Map: dag.NeedPhase{
			Tasks: tasksOf(j.Maps), Done: tasksOf(j.MapsDone), Running: tasksOf(j.MapsRunning),
			Progress: ratioOf(j.Maps, j.MapProgress), LengthMS: is.lengths[dag.Map], TaskMB: cmp.Or(limits.MapMB, mb),
		},
		Reduce: dag.NeedPhase{
			Tasks: tasksOf(j.Reduces), Done: tasksOf(j.ReducesDone), Running: tasksOf(j.ReducesRunning),
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
