package spark

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/naming"
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
	shown    map[*stage]string   // titles for people
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
			s.key = p.keyOf(s)
		}
	}
}

// keyOf returns the name of a stage in the plan: its call site and its last RDD. Both are the same in each run of a
// program that submits its jobs in the same order.
func (p *planner) keyOf(s *stage) string {
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

// title returns the title of a stage for people.
func (p *planner) title(s *stage) string {
	title, ok := p.shown[s]
	if !ok {
		title = p.titleOf(s)
		p.shown[s] = title
	}
	return title
}

// retitle makes new titles after more of a stage or of a query's plan is known.
func (p *planner) retitle() { clear(p.shown) }

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
	stages, left := make([]dag.Stage, 0, len(p.order)), dag.MaxTasks
	for _, s := range p.order {
		stage := dag.Stage{
			Name: s.key, Title: p.title(s), URL: p.page(s), Group: p.group(s), Known: true, Pool: p.poolOf(s),
			After: p.edges(s), Pipelines: make([]dag.Pipeline, 1),
			Broadcast: slices.ContainsFunc(s.jobs, func(j *job) bool { return j.broadcast && j.last() == s }),
		}
		if s.ran() || runs && p.lacks[s.id] { // otherwise Spark skips it
			stage.Tasks = min(s.tasks, left)
			left -= stage.Tasks
		}
		stages = append(stages, stage)
	}
	var coming []dag.Capacity
	if plan.Open = runs; runs {
		plan.Cluster.Elastic, coming = p.capacity(now)
	}
	plan.Jobs[0].Stages = stages
	p.plan = events.Plan(p.plan, plan)
	return p.plan, coming
}

// page returns the address of the page of a stage's newest attempt; "" if there is none.
func (p *planner) page(s *stage) string {
	if !s.ran() {
		return ""
	}
	return p.pageAt("/stages/stage/?id=%d&attempt=%d", s.id, max(len(s.tries)-1, 0))
}

// group returns the page of the first job of a stage.
func (p *planner) group(s *stage) dag.Page {
	if len(s.jobs) == 0 {
		return dag.Page{}
	}
	id := s.jobs[0].id
	return dag.Page{Name: fmt.Sprintf("Job %d", id), URL: p.pageAt("/jobs/job/?id=%d", id)}
}

// pageAt returns the address of a page of the application: at the history server once it has the end, else at the
// driver. It returns "" if there is neither.
func (p *planner) pageAt(format string, args ...any) string {
	base := p.pages
	if p.historyHasEnd && p.historyPages != "" {
		base = p.historyPages + path.Join("/history", p.id, p.turn)
	}
	if base == "" {
		return ""
	}
	return base + fmt.Sprintf(format, args...)
}

// outline returns a plan without stages.
func (p *planner) outline() *dag.Plan {
	return &dag.Plan{
		Name: p.flowName(), Engine: naming.Spark, Whole: naming.Whole(naming.Spark), Driver: dag.Eager,
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
	if major, _, _ := strings.Cut(p.version, "."); atoi(major) >= 4 {
		out = dag.Copies{Ratio: 0.9, Times: 3}
	}
	for key, to := range map[string]*float64{"quantile": &out.Ratio, "multiplier": &out.Times} {
		if v, err := strconv.ParseFloat(p.conf["spark.speculation."+key], 64); err == nil && v >= 0 && v <= 1e6 {
			*to = v
		}
	}
	return out
}

// twin returns the newest stage before s that writes the same shuffle, or nil.
func (p *planner) twin(s *stage) *stage {
	for _, of := range slices.Backward(p.writers[s.shuffle]) {
		if of.id < s.id {
			return of
		}
	}
	return nil
}

// parentsOf returns the ids of the stages that a stage of a job reads. If they are unknown, it returns a guess.
func (j *job) parentsOf(s *stage) []int {
	if s.parents != nil {
		return s.parents
	}
	return j.guess()[s]
}

// guess guesses the dependencies between the stages of a job. Parents have smaller ids. The RDD that reads a shuffle
// often follows directly after the last RDD of the stage that writes it. Every stage that no other stage reads is a
// parent of the job's last stage.
func (j *job) guess() map[*stage][]int {
	out, last := make(map[*stage][]int, len(j.stages)), j.last()
	for i, p := range j.stages {
		read := false
		for _, s := range j.stages[i+1:] {
			if len(p.rdds) == 0 {
				break
			}
			if _, found := slices.BinarySearch(s.rdds, p.rdds[len(p.rdds)-1]+1); found {
				out[s], read = append(out[s], p.id), true
			}
		}
		if p != last && !read {
			out[last] = append(out[last], p.id)
		}
	}
	return out
}

// final reports whether a stage is the last one of all its jobs and writes no shuffle, so that it has the jobs'
// results. A query stage of adaptive execution is the last stage of its job too, but it writes a shuffle for later
// jobs.
func (s *stage) final() bool {
	return !s.writes && len(s.jobs) > 0 && !slices.ContainsFunc(s.jobs, func(j *job) bool { return j.last() != s })
}

// read reports whether a running job may read the output of a stage.
func (s *stage) read() bool {
	return slices.ContainsFunc(s.jobs, func(j *job) bool { return !j.hasEnded() })
}

// lacking marks the stages of a job that Spark's scheduler will still submit. A submitted stage has its input, so
// its unsubmitted parents are not lacking, unless the stage has failed.
func (p *planner) lacking(j *job) map[int]bool {
	if j.hasEnded() || j.last() == nil {
		return nil
	}
	out, seen := map[int]bool{}, map[int]bool{}
	var visit func(id int)
	visit = func(id int) {
		s := p.stages[id]
		if !s.listed() || seen[id] {
			return
		}
		seen[id] = true
		if s.ran() && s.status != "FAILED" {
			return
		}
		if !s.ran() {
			if w := p.twin(s); s != j.last() && w != nil && w.done() {
				return // Spark skips it
			}
			out[id] = true
		}
		for _, parent := range j.parentsOf(s) {
			visit(parent)
		}
		if out[id] && p.passedOver(j, s, out) {
			delete(out, id)
		}
	}
	visit(j.last().id)
	return out
}

// passedOver reports whether Spark will skip a waiting stage although no known stage has written its output. The
// driver may have dropped the stage that wrote it. On submission of a job Spark submits all stages that have their
// input. A stage therefore has its output already if another stage of its job was submitted and its own parents have
// nothing to run. lacks are the stages that have to run, including parents of s.
func (p *planner) passedOver(j *job, s *stage, lacks map[int]bool) bool {
	for p.stages[p.listedBelow].listed() { // Spark numbers stages without gaps
		p.listedBelow++
	}
	if s.parents == nil || s == j.last() || s.id <= p.listedBelow {
		return false
	}
	for _, id := range s.parents {
		if of := p.stages[id]; lacks[id] || of != nil && of.ran() {
			return false
		}
	}
	return slices.ContainsFunc(j.stages, (*stage).ran)
}

// edges returns the edges into a stage, one from each stage: barriers from the stages that it reads, or else broadcasts
// from the last stages of the preceding jobs.
func (p *planner) edges(s *stage) []dag.Edge {
	var out []dag.Edge
	add := func(of *stage, kind dag.EdgeKind) {
		if of != nil && of.planPlace > 0 && of.planPlace < s.planPlace {
			//nolint:gosec // G115: bounded by mostStages
			out = append(out, dag.Edge{From: dag.StageIndex(of.planPlace - 1), Kind: kind})
		}
	}
	own := false // the stage waits for a stage of its own job
	for _, j := range s.jobs {
		for _, id := range j.parentsOf(s) {
			of := p.stages[id]
			if of != nil && of.planPlace == 0 { // another stage has written the same shuffle
				of = p.twin(of)
			} else {
				own = own || of != nil
			}
			add(of, dag.Barrier)
		}
	}
	if !own {
		for _, j := range s.jobs {
			for _, last := range p.before(j) {
				add(last, dag.Broadcast)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y dag.Edge) int { return cmp.Compare(x.From, y.From) })
	return slices.CompactFunc(out, func(x, y dag.Edge) bool { return x.From == y.From })
}

// before returns the last stages of the jobs that had to end before j was submitted, judged by times. These are the
// jobs that had ended by then, except those that ended before another of these was submitted. They do not change any
// more once j has ended.
func (p *planner) before(j *job) []*stage {
	if j.before != nil || !j.submitted.Known() {
		return j.before
	}
	latest, out := dag.NoInstant, []*stage{} // the latest submission of a job that had ended
	var ended []*job
	for _, k := range p.unitJobs() {
		if k != j && k.completed.Known() && k.submitted.Known() && k.completed <= j.submitted {
			ended, latest = append(ended, k), max(latest, k.submitted)
		}
	}
	for _, k := range ended {
		if s := k.last(); k.completed > latest && s != nil && s.planPlace > 0 {
			out = append(out, s)
		}
	}
	if j.hasEnded() {
		j.before = out
	}
	return out
}
