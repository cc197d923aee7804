package mapreduce

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A jobConf is the part of a job's configuration that is kept; the rest (350 KB of a Pig job) is dropped at once.
type jobConf struct {
	workflow string // mapreduce.workflow.id; "" outside a workflow
	name     string // mapreduce.workflow.name
	node     string // mapreduce.workflow.node.name
	launch   string // pig.script.submitted.timestamp: one per batch that the script launches
	feature  string
	alias    string
	input    []string
	files    inputFiles
	masterMB int
	limits   dag.MapReduceLimits
	noRecov  bool                // a restarted master runs every task again
	after    map[string][]string // node to its successors, from the adjacency entries
	stops    bool                // a failed job ends the whole script
	beat     time.Duration       // between heartbeats of the master to the scheduler
	report   time.Duration       // between reports of a task's counters
	sleep    time.Duration       // between two polls of Pig for its jobs; 0 if Pig did not set it
	abandon  time.Duration       // how long the master tries to reach a lost node
	parallel bool                // Hive runs stages at once that do not wait for each other
}

const adjacency = "mapreduce.workflow.adjacency."

// conf reads a job's settings from its properties (docs/facts/hadoop.md C1, F).
func (b *confBody) conf() *jobConf {
	c := &jobConf{
		masterMB: 1536, limits: dag.MapReduceLimits{MapMB: 1024, ReduceMB: 1024, SlowStart: 0.05, RampUp: 0.5},
	}
	var inputDirs, pigDirs, formats, mapOpts, reduceOpts string
	var mapMB, reduceMB, amMB loose.Optional
	heap, step := 0.8, 1024.0
	edges, chars := mostNames, mostText // left for the graph
	for _, p := range b.Conf.V.Properties {
		v := string(p.Value)
		n := loose.ParseOptional(v)
		switch name := string(p.Name); name {
		case "mapreduce.workflow.id":
			c.workflow = dag.Clean(v)
		case "mapreduce.workflow.name":
			c.name = v
		case "mapreduce.workflow.node.name":
			c.node = dag.Clean(v)
		case "pig.script.submitted.timestamp":
			c.launch = dag.Clean(v)
		case "pig.job.feature":
			c.feature = dag.Clean(v)
		case "pig.alias":
			c.alias = dag.Clean(v)
		case "pig.input.dirs":
			pigDirs = v
		case "mapreduce.input.fileinputformat.inputdir":
			inputDirs = v
		case "mapreduce.input.multipleinputs.dir.formats":
			formats = v
		case "pig.output.committer.recovery.support":
			c.noRecov = v == "false"
		case "yarn.app.mapreduce.am.resource.mb", "yarn.app.mapreduce.am.resource.memory-mb",
			"yarn.app.mapreduce.am.resource.memory":
			if !amMB.Known {
				amMB = n
			}
		case "mapreduce.map.memory.mb":
			mapMB = n
		case "mapreduce.reduce.memory.mb":
			reduceMB = n
		case "mapreduce.map.java.opts":
			mapOpts = v
		case "mapreduce.reduce.java.opts":
			reduceOpts = v
		case "mapreduce.job.heap.memory-mb.ratio":
			if n.Known && n.V > 0 && n.V <= 1 {
				heap = n.V
			}
		case "yarn.scheduler.minimum-allocation-mb":
			if n.Known && n.V >= 1 {
				step = n.V
			}
		case "mapreduce.job.reduce.slowstart.completedmaps":
			c.limits.SlowStart = within01(n, c.limits.SlowStart)
		case "yarn.app.mapreduce.am.job.reduce.rampup.limit":
			c.limits.RampUp = within01(n, c.limits.RampUp)
		case "mapreduce.job.running.map.limit":
			c.limits.MaxMaps = n.Count(maxTasks)
		case "mapreduce.job.running.reduce.limit":
			c.limits.MaxReduces = n.Count(maxTasks)
		case "hive.exec.parallel":
			c.parallel = v == "true"
		case "stop.on.failure":
			c.stops = v == "true"
		case "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms":
			c.beat = time.Duration(n.Count(3_600_000)) * time.Millisecond
		case "mapreduce.task.progress-report.interval":
			c.report = time.Duration(n.Count(3_600_000)) * time.Millisecond
		case "pig.jobcontrol.sleep":
			c.sleep = time.Duration(n.Count(3_600_000)) * time.Millisecond
		case "yarn.client.nodemanager-connect.max-wait-ms":
			c.abandon = time.Duration(n.Count(86_400_000)) * time.Millisecond
		default:
			c.files.on.Set(name, v)
			if node, ok := strings.CutPrefix(name, adjacency); ok && node != "" {
				if c.after == nil {
					c.after = map[string][]string{}
				}
				if edges, chars = edges-1, chars-len(node)-len(v); edges >= 0 && chars >= 0 {
					to := fields(v, edges)
					edges -= len(to)
					c.after[dag.Clean(node)] = to
				}
			}
		}
	}
	c.name = strings.Clone(hive.WorkflowTitle(c.workflow, c.name)) // drops the rest of a query's text
	c.masterMB = container(amMB, "", heap, c.masterMB, step)
	c.limits.MapMB = container(mapMB, mapOpts, heap, c.limits.MapMB, step)
	c.limits.ReduceMB = container(reduceMB, reduceOpts, heap, c.limits.ReduceMB, step)
	if c.input = fields(pigDirs, mostNames); len(c.input) == 0 {
		c.input = fields(inputDirs, mostNames)
	}
	c.files.name(pigDirs, inputDirs, formats)
	return c
}

// WorkflowOf returns the workflow's id in a response with a job's configuration; "" if there is none.
func WorkflowOf(conf []byte) string {
	b, err := getConf(context.Background(), "conf", conf, nil)
	if err != nil {
		return ""
	}
	for _, p := range b.Conf.V.Properties {
		if p.Name == "mapreduce.workflow.id" {
			return dag.Clean(string(p.Value))
		}
	}
	return ""
}

// container returns the MB that a request gets: the requested size, else the heap's size over ratio
// (JobConf.getMemoryRequired), else the default, rounded up to a multiple of the minimum allocation
// (docs/facts/hadoop.md E3).
func container(asked loose.Optional, opts string, ratio float64, def int, step float64) int {
	mb := float64(def)
	if asked.Known && asked.V > 0 {
		mb = asked.V
	} else if h := heapMB(opts); h > 0 {
		mb = math.Ceil(h / ratio)
	}
	return int(min(math.Ceil(mb/step)*step, yarn.MaxMB))
}

// heapMB returns the last -Xmx of JVM options, in MB; 0 if there is none.
func heapMB(opts string) float64 {
	mb := 0.0
	for o := range strings.FieldsSeq(opts) {
		v, ok := strings.CutPrefix(o, "-Xmx")
		if !ok || v == "" {
			continue
		}
		unit := 1.0 / (1 << 20)
		switch v[len(v)-1] {
		case 'k', 'K':
			unit, v = 1.0/(1<<10), v[:len(v)-1]
		case 'm', 'M':
			unit, v = 1, v[:len(v)-1]
		case 'g', 'G':
			unit, v = 1<<10, v[:len(v)-1]
		}
		if n := loose.ParseOptional(v); n.Known && n.V > 0 {
			mb = n.V * unit
		}
	}
	return mb
}

func within01(n loose.Optional, def float64) float64 {
	if !n.Known || n.V < 0 || n.V > 1 {
		return def
	}
	return n.V
}

// Bounds of the lists that are kept from a job's configuration. The user who wrote the job also wrote these lists,
// and they are kept as long as the ResourceManager lists the job.
const (
	mostNames = 20_000  // inputs; nodes and edges of the graph
	mostText  = 1 << 20 // bytes of the inputs, and of the graph
)

// fields splits a comma-separated list. The elements are cleaned, sorted and unique. It uses only the first
// mostText bytes and the first most elements of a longer list.
func fields(s string, most int) []string {
	if len(s) > mostText {
		cut := max(0, strings.LastIndexByte(s[:mostText+1], ','))
		s = strings.Clone(s[:cut])
	}
	var out []string
	for f := range strings.SplitSeq(s, ",") {
		if len(out) >= most {
			break
		}
		if f = strings.TrimSpace(f); f != "" {
			out = append(out, dag.Clean(f))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Bounds of the confs, 350 KB for a Pig job: requests at once, and rounds of them in one tick to find a workflow's
// id.
const (
	confsAtOnce = 8
	searches    = 10
)

// observeConfs requests the configuration of jobs that may be ours, once each, and returns the number of requests.
func (s *Source) observeConfs(ctx context.Context) int {
	var jobs []*job
	for _, id := range s.candidates() {
		j := s.jobs[id]
		if j == nil {
			j = newJob(s.over.Known(id))
			s.jobs[id] = j
		}
		if j.conf == nil {
			j.conf = s.hub.conf(id)
		}
		if j.conf == nil && j.confTick <= s.ticks && len(jobs) < confsAtOnce {
			j.confTick = s.ticks + 1
			jobs = append(jobs, j)
		}
	}
	confs, errs := make([]confBody, len(jobs)), make([]error, len(jobs))
	var questions []func(context.Context)
	for i, j := range jobs {
		questions = append(questions, func(ctx context.Context) {
			var body []byte
			var err error
			if s.over.Known(j.app).Ended {
				body, err = s.cluster.JHS(ctx, "mapreduce/jobs/"+j.id+"/conf")
			} else {
				body, err = s.cluster.AM(ctx, j.app, "jobs/"+j.id+"/conf")
			}
			confs[i], errs[i] = getConf(ctx, j.id+"/conf", body, err)
		})
	}
	yarn.Together(ctx, questions...)
	for i, j := range jobs {
		switch st := rest.Status(errs[i]); {
		case errs[i] == nil && len(confs[i].Conf.V.Properties) > 0:
			j.conf = confs[i].conf()
			s.hub.keep(j.app, j.conf)
		case st == http.StatusUnauthorized || st == http.StatusForbidden:
			j.confTick = never
		}
	}
	return len(jobs)
}
