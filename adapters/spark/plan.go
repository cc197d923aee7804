package spark

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/dag"
)

// heartbeat is how often an executor reports on its tasks (spark.executor.heartbeatInterval).
const heartbeat = 10 * time.Second

// A planner makes the plan of an application: one job with the Spark stages that compute something.
type planner struct {
	*facts
	order    []*stage // stages of the plan, in the order in which they were added
	expected int      // their tasks
	names    map[string]int
	base     int // first RDD id of a unit; -1 unknown
	plan     *dag.Plan
	writers  map[string][]*stage // by shuffle: the stages that have written it, ascending
	lacks    map[int]bool        // the stages of the unit that still have to run and were not submitted
}

// grow finds the stages that still have to run, and appends new stages to the plan. A stage keeps its place. So does a
// stage that Spark skips after all; it then has no tasks.
func (p *planner) grow() {
	p.writers, p.lacks = map[string][]*stage{}, map[int]bool{}
	for _, s := range p.stageList {
		if s.ran() && len(s.rdds) > 0 && !s.final() {
			p.writers[s.shuffle] = append(p.writers[s.shuffle], s)
		}
	}
	for _, j := range p.unitJobs() {
		lacks := p.lacking(j)
		maps.Copy(p.lacks, lacks)
		for _, s := range j.stages {
			if s.planPlace > 0 || !s.ran() && !lacks[s.id] {
				continue
			}
			if len(p.order) >= mostStages || p.expected+s.tasks > mostTasks {
				p.tooLarge = true
				return
			}
			p.order, p.expected = append(p.order, s), p.expected+s.tasks
			s.planPlace = len(p.order)
			s.title = p.entitle(s)
		}
	}
}

// entitle names a stage by its call site and its last RDD. Both are the same in each run of a program that submits
// its jobs in the same order.
func (p *planner) entitle(s *stage) string {
	name := cmp.Or(callSite(s.name), fmt.Sprintf("stage %d", s.id))
	if n := len(s.rdds); n > 0 {
		name = fmt.Sprintf("%s [RDD %d]", name, s.rdds[n-1]-p.firstRDD())
	}
	p.names[name]++
	if n := p.names[name]; n > 1 {
		name = fmt.Sprintf("%s #%d", name, n)
	}
	return name
}

// inFolder matches a call site that contains the folder of its file, as in Python programs.
var inFolder = regexp.MustCompile(`^(\S+ at )/(?:.*/)?([^/]+:\d+)$`)

// callSite returns a call site without the folder of its file, which differs between containers of YARN.
func callSite(name string) string { return inFolder.ReplaceAllString(name, "$1$2") }

// update makes the plan, and returns the executors to come. runs means that stages may follow. It returns the previous
// plan if nothing has changed, so that readers can compare pointers.
func (p *planner) update(runs bool, now dag.Instant) (*dag.Plan, []dag.Capacity) {
	plan := p.outline()
	plan.Cluster.Pools, plan.Cluster.Copies = p.poolsOf(), p.copies()
	plan.Overheads = dag.Overheads{Report: heartbeat, Boot: p.boot()}
	stages := make([]dag.Stage, 0, len(p.order))
	for _, s := range p.order {
		stage := dag.Stage{Name: s.title, Known: true, Pool: p.poolOf(s), After: p.edges(s)}
		if s.ran() || runs && p.lacks[s.id] { // otherwise Spark skips it
			stage.Tasks = s.tasks
		}
		stages = append(stages, stage)
	}
	var coming []dag.Capacity
	if plan.Open = runs; runs {
		plan.Cluster.Elastic, coming = p.capacity(now)
	}
	pipelines, left := make([]dag.Pipeline, len(stages)), dag.MaxTasks
	for i := range stages {
		s := &stages[i]
		s.Tasks = min(s.Tasks, left)
		left -= s.Tasks
		s.Pipelines = pipelines[i : i+1 : i+1]
	}
	plan.Jobs[0].Stages = stages
	if !reflect.DeepEqual(p.plan, plan) {
		p.plan = plan
	}
	return p.plan, coming
}

// outline returns a plan without stages.
func (p *planner) outline() *dag.Plan {
	return &dag.Plan{
		Name: p.flowName(), Engine: engine.Spark, Whole: engine.Whole(engine.Spark), Driver: dag.Eager,
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: p.cores()},
		Jobs:    []dag.Job{{Node: cmp.Or(p.unit.kind, "application"), Name: p.flowName()}},
	}
}

// firstRDD returns the id from which the RDDs in stage titles are counted. In a unit of a long-running application
// the RDD ids differ between runs, so they count from the unit's first RDD.
func (p *planner) firstRDD() int {
	if p.unit.kind == "" {
		return 0
	}
	if p.base < 0 {
		for _, s := range p.unitStages() {
			if len(s.rdds) > 0 && (p.base < 0 || s.rdds[0] < p.base) {
				p.base = s.rdds[0]
			}
		}
	}
	return max(p.base, 0)
}

// poolsOf returns the known pools of a FAIR scheduler, by name.
func (p *planner) poolsOf() []dag.Pool {
	if !p.conf.fair() || len(p.pools) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Values(p.pools), func(x, y dag.Pool) int { return cmp.Compare(x.Name, y.Name) })
}

// copies returns when Spark copies slow tasks. It never does if all executors are on one host, because a copy must
// run on another host than its task.
func (p *planner) copies() dag.Copies {
	hosts := map[string]bool{}
	for _, e := range p.all {
		if host, _, _ := strings.Cut(e.host, ":"); e.active && !e.excluded {
			hosts[host] = true
		}
	}
	if !p.conf.on("spark.speculation") || len(hosts) < 2 {
		return dag.Copies{}
	}
	out := dag.Copies{Ratio: 0.75, Times: 1.5}
	major, _, _ := strings.Cut(p.version, ".")
	if n, err := strconv.Atoi(major); err == nil && n >= 4 {
		out = dag.Copies{Ratio: 0.9, Times: 3}
	}
	for key, to := range map[string]*float64{"quantile": &out.Ratio, "multiplier": &out.Times} {
		if v, err := strconv.ParseFloat(p.conf["spark.speculation."+key], 64); err == nil && v >= 0 && v <= 1e6 {
			*to = v
		}
	}
	return out
}
