package hadoop

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// defaultReport is how often a task sends its counters where its job does not say: a hundredth of the default task
// time-out (docs/facts/hadoop.md A4, "Refresh").
const defaultReport = 6 * time.Second

// waveWork is what Pig needs between noticing that a wave has ended and submitting the next: compilation and splits. Half a sleep
// comes before it on average (docs/facts/hadoop.md C2; 1.7 s on recordings with file:///, more with HDFS).
const waveWork = 1700 * time.Millisecond

func itoa(n int) string { return strconv.Itoa(n) }

// planOf makes the plan of the graph. It returns the plan before where nothing has changed, so that readers may compare pointers.
func (s *Source) planOf(g *graph) *dag.Plan {
	first := s.apps[s.chosen]
	p := &dag.Plan{
		Name:    strings.TrimPrefix(scriptName(JobTitle(string(first.Name))), "PigLatin:"),
		Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: s.world.totalMB, QueueMB: s.world.queueMB(string(first.Queue))},
		Jobs:    make([]dag.Job, len(g.nodes)),
	}
	p.Cluster.Nodes = s.world.plain()
	var limits dag.Limits
	if conf := s.conf(); conf != nil {
		p.Name = cmp.Or(conf.name, p.Name)
		p.Overheads = conf.overheads()
		limits = conf.limits
	}
	left := dag.MaxTasks
	for i := range g.nodes {
		n := &g.nodes[i]
		// Until a job's own conf is known it is taken to ask for what the script's first one does.
		p.Jobs[i] = dag.Job{Node: n.label, After: n.after, Limits: limits}
		if n.job != nil {
			s.planJob(&p.Jobs[i], n.job)
		}
		// The masters' counts of jobs whose lists are too long to be read may add up to more than a plan may have.
		for _, phase := range []*dag.Phase{&p.Jobs[i].Map, &p.Jobs[i].Reduce} {
			phase.Tasks = min(phase.Tasks, left)
			left -= phase.Tasks
		}
		p.Jobs[i].Map.Pipelines = make([]dag.Pipeline, 1)
		p.Jobs[i].Reduce.Pipelines = make([]dag.Pipeline, dag.Pipelines)
	}
	if s.plan != nil && reflect.DeepEqual(s.plan, p) {
		return s.plan
	}
	return p
}

func (s *Source) planJob(to *dag.Job, j *job) {
	if c := j.conf; c != nil {
		to.Feature, to.Alias, to.Input, to.Limits = c.feature, c.alias, c.input, c.limits
	}
	to.InputBytes = j.inputBytes
	if a := s.apps[j.app]; a != nil {
		to.Name = JobTitle(string(a.Name))
		if _, am := a.memory(); am > 0 {
			to.Limits.AMMB = am
		}
	}
	if j.known {
		to.Map = dag.Phase{Known: true, Tasks: j.total[dag.Map]}
		to.Reduce = dag.Phase{Known: true, Tasks: j.total[dag.Reduce]}
	}
}
