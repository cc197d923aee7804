package spark

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/dag"
)

func sortedKeys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// heartbeat is how often an executor reports on its tasks (spark.executor.heartbeatInterval).
const heartbeat = 10 * time.Second

// grow takes new stages into the order of the plan: a stage keeps its place. A stage that was expected and is skipped
// after all keeps it too, with no tasks.
func (a *App) grow() {
	t := a.twins()
	for _, id := range a.unitJobs() {
		j := a.jobs[id]
		lacks := a.lacking(j, t)
		for _, sid := range j.stages {
			s := a.stages[sid]
			if s == nil || s.planned > 0 || !s.ran() && !lacks[sid] {
				continue
			}
			if len(a.order) >= mostStages || a.expected+s.tasks > mostTasks {
				a.dropped = true
				return
			}
			a.order, a.expected = append(a.order, s), a.expected+s.tasks
			s.planned = len(a.order)
			s.title = a.entitle(s)
		}
	}
}

// entitle names a stage by its call site and its last RDD, which are the same in each run of a program that submits its
// jobs in the same order.
func (a *App) entitle(s *stage) string {
	name := cmp.Or(callSite(s.name), fmt.Sprintf("stage %d", s.id))
	if n := len(s.rdds); n > 0 {
		name = fmt.Sprintf("%s [RDD %d]", name, s.rdds[n-1]-a.firstRDD())
	}
	a.names[name]++
	if n := a.names[name]; n > 1 {
		name = fmt.Sprintf("%s #%d", name, n)
	}
	return name
}

// inFolder matches a call site whose file is named with its folder, as that of Python is.
var inFolder = regexp.MustCompile(`^(\S+ at )/(?:.*/)?([^/]+:\d+)$`)

// callSite is a call site without the folder of its file, which is another one in each container of YARN.
func callSite(name string) string { return inFolder.ReplaceAllString(name, "$1$2") }

// idle reports whether a stage of the plan has nothing to run: it was expected, and is skipped.
func (a *App) idle(s *stage, lacks map[int]bool) bool { return !s.ran() && !lacks[s.id] }

// boot is how long the first executor of an application took to start, on a cluster of Spark's own, which starts
// executors with the application: elsewhere they wait for containers as well. 0 where that is not known.
func (a *App) boot() time.Duration {
	first := dag.NoInstant
	for _, e := range a.executors {
		if e.id != "driver" && e.added.Known() && (!first.Known() || e.added < first) {
			first = e.added
		}
	}
	if !first.Known() || !a.began.Known() || first <= a.began || !strings.HasPrefix(a.conf["spark.master"], "spark://") {
		return 0
	}
	return first.Sub(a.began)
}

// planOf makes the plan. It returns the one before where nothing has changed, so that readers may compare pointers.
func (a *App) planOf(t twins, lacks map[int]bool, open bool, elastic dag.Elastic) *dag.Plan {
	var later []coming
	if open {
		later = a.coming(t)
		open = a.unit.kind != sqlUnit || !a.execution().counted() || len(later) == 0 && a.running() == 0 ||
			slices.ContainsFunc(later, func(c coming) bool { return c.tasks == 0 })
	}
	p := &dag.Plan{
		Name: a.flowName(), Engine: engine.Spark, Whole: engine.Whole(engine.Spark), Driver: dag.Eager, Open: open,
		Cluster: dag.Cluster{
			Policy: dag.Executors, Cores: a.cores(), Pools: a.poolsOf(), Elastic: elastic, Copies: a.copies(),
		},
		Jobs: []dag.Job{{
			Node: a.node(), Name: a.flowName(),
			Stages: make([]dag.Stage, len(a.order), len(a.order)+len(later)),
		}},
		Overheads: dag.Overheads{Report: heartbeat, Boot: a.boot()},
	}
	left := dag.MaxTasks
	for i, s := range a.order {
		stage := &p.Jobs[0].Stages[i]
		stage.Name, stage.Known, stage.Pool = s.title, true, a.poolOf(s)
		if !a.idle(s, lacks) {
			stage.Tasks = min(s.tasks, left)
		}
		left -= stage.Tasks
		stage.After = a.edges(s, t)
		stage.Pipelines = make([]dag.Pipeline, 1)
	}
	for _, c := range later {
		n := min(c.tasks, left)
		left -= n
		p.Jobs[0].Stages = append(p.Jobs[0].Stages, dag.Stage{
			Name: c.title, Foreseen: true, Tasks: n, Known: n > 0, After: c.after, Pool: c.pool,
			Pipelines: make([]dag.Pipeline, 1),
		})
	}
	if a.plan != nil && reflect.DeepEqual(a.plan, p) {
		return a.plan
	}
	a.plan = p
	return p
}

// poolOf is the pool of a stage where pools share the cores, else "". A stage that waits has that of its
// job's others: no answer tells its own.
func (a *App) poolOf(s *stage) string {
	if !a.fair() {
		return ""
	}
	pool := s.pool
	for _, id := range s.jobs {
		if j := a.jobs[id]; j != nil {
			for _, other := range j.stages {
				if of := a.stages[other]; pool == "" && of != nil {
					pool = of.pool
				}
			}
		}
	}
	return cmp.Or(pool, "default")
}

// fair reports whether the scheduler shares the cores between pools.
func (a *App) fair() bool { return strings.EqualFold(a.conf["spark.scheduler.mode"], "FAIR") }

// edges are what a stage reads, as barriers, and, as broadcasts of which nothing is read, the jobs that its own came
// after.
func (a *App) edges(s *stage, t twins) []dag.Edge {
	var out []dag.Edge
	add := func(of *stage, kind dag.EdgeKind) {
		if of == nil || of.planned == 0 || of.planned >= s.planned {
			return
		}
		from := dag.StageIndex(of.planned - 1) //nolint:gosec // G115: bounded by mostStages
		if !slices.ContainsFunc(out, func(e dag.Edge) bool { return e.From == from }) {
			out = append(out, dag.Edge{From: from, Kind: kind})
		}
	}
	own := false // it waits for a stage of its own job
	for _, id := range s.jobs {
		j := a.jobs[id]
		if j == nil {
			continue
		}
		for _, pid := range a.parentsOf(j, s) {
			p := a.stages[pid]
			if p == nil {
				continue
			}
			own = own || p.planned > 0
			if p.planned == 0 {
				p = t.of(p)
			}
			add(p, dag.Barrier)
		}
	}
	if !own {
		for _, id := range s.jobs {
			if j := a.jobs[id]; j != nil {
				for _, last := range a.afterJobs(j) {
					add(last, dag.Broadcast)
				}
			}
		}
	}
	slices.SortFunc(out, func(x, y dag.Edge) int { return cmp.Compare(x.From, y.From) })
	return out
}

// cores is how many tasks may run at once: those of the executors that are there.
func (a *App) cores() int {
	n := 0
	for _, e := range a.executors {
		if e.active && !e.excluded {
			n += e.cores
		}
	}
	return n
}
