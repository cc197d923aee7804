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

// Settings are what is kept of a job's configuration: its place in a workflow, and its schedule. The rest
// (350 KB of a Pig job) is dropped at once.
type Settings struct {
	Workflow, WorkflowName, Node string // "" outside a workflow
	// one per batch that a script launches, ms since the epoch; "" if unknown
	Launch         string
	After          map[string][]string // a node to its successors
	Stops          bool                // a failed job ends the whole script
	Parallel       bool                // Hive runs stages at once that do not wait for each other
	Feature, Alias string
	Input          []string
	MasterMB       int
	Limits         dag.MapReduceLimits
	Overheads      dag.Overheads // Beat, Abandon, Report and Wave
}

// settings are those that only a live cluster needs, too.
type settings struct {
	Settings
	files     inputFiles
	rerunsAll bool // a restarted master runs every task again
}

// defaultReport is the interval of a task's counter reports if its job does not set one: a hundredth of the default
// task time-out (docs/facts/hadoop.md A4, "Refresh").
const defaultReport = 6 * time.Second

// waveWork is the time that Pig takes to compile the next wave and to compute its splits, once it has noticed that
// a wave has ended. Half a sleep comes before it on average (docs/facts/hadoop.md C2; 1.7 s on recordings with
// file:///, more with HDFS).
const waveWork = 1700 * time.Millisecond

const adjacency = "mapreduce.workflow.adjacency."

// conf reads a job's settings from its properties (docs/facts/hadoop.md C1, F).
func (b *confBody) conf() *settings {
	c := &settings{Settings: Settings{
		MasterMB: 1536, Limits: dag.MapReduceLimits{MapMB: 1024, ReduceMB: 1024, SlowStart: 0.05, RampUp: 0.5},
	}}
	var inputDirs, pigDirs, formats, mapOpts, reduceOpts string
	var mapMB, reduceMB, amMB loose.Optional
	heap, step := 0.8, 1024.0
	var sleep time.Duration             // between two polls of Pig for its jobs; 0 if Pig did not set it
	edges, chars := mostNames, mostText // left for the graph
	for _, p := range b.Conf.V.Properties {
		v := string(p.Value)
		n := loose.ParseOptional(v)
		switch name := string(p.Name); name {
		case "mapreduce.workflow.id":
			c.Workflow = dag.Clean(v)
		case "mapreduce.workflow.name":
			c.WorkflowName = v
		case "mapreduce.workflow.node.name":
			c.Node = dag.Clean(v)
		case "pig.script.submitted.timestamp":
			c.Launch = dag.Clean(v)
		case "pig.job.feature":
			c.Feature = dag.Clean(v)
		case "pig.alias":
			c.Alias = dag.Clean(v)
		case "pig.input.dirs":
			pigDirs = v
		case "mapreduce.input.fileinputformat.inputdir":
			inputDirs = v
		case "mapreduce.input.multipleinputs.dir.formats":
			formats = v
		case "pig.output.committer.recovery.support":
			c.rerunsAll = v == "false"
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
			c.Limits.SlowStart = within01(n, c.Limits.SlowStart)
		case "yarn.app.mapreduce.am.job.reduce.rampup.limit":
			c.Limits.RampUp = within01(n, c.Limits.RampUp)
		case "mapreduce.job.running.map.limit":
			c.Limits.MaxMaps = n.Count(maxTasks)
		case "mapreduce.job.running.reduce.limit":
			c.Limits.MaxReduces = n.Count(maxTasks)
		case "hive.exec.parallel":
			c.Parallel = v == "true"
		case "stop.on.failure":
			c.Stops = v == "true"
		case "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms":
			c.Overheads.Beat = time.Duration(n.Count(3_600_000)) * time.Millisecond
		case "mapreduce.task.progress-report.interval":
			c.Overheads.Report = time.Duration(n.Count(3_600_000)) * time.Millisecond
		case "pig.jobcontrol.sleep":
			sleep = time.Duration(n.Count(3_600_000)) * time.Millisecond
		case "yarn.client.nodemanager-connect.max-wait-ms":
			c.Overheads.Abandon = time.Duration(n.Count(86_400_000)) * time.Millisecond
		default:
			c.files.on.Set(name, v)
			if node, ok := strings.CutPrefix(name, adjacency); ok && node != "" {
				if c.After == nil {
					c.After = map[string][]string{}
				}
				if edges, chars = edges-1, chars-len(node)-len(v); edges >= 0 && chars >= 0 {
					to := fields(v, edges)
					edges -= len(to)
					c.After[dag.Clean(node)] = to
				}
			}
		}
	}
	c.WorkflowName = strings.Clone(hive.WorkflowTitle(c.Workflow, c.WorkflowName)) // drops the rest of a query's text
	c.MasterMB = container(amMB, "", heap, c.MasterMB, step)
	c.Limits.MapMB = container(mapMB, mapOpts, heap, c.Limits.MapMB, step)
	c.Limits.ReduceMB = container(reduceMB, reduceOpts, heap, c.Limits.ReduceMB, step)
	if c.Input = fields(pigDirs, mostNames); len(c.Input) == 0 {
		c.Input = fields(inputDirs, mostNames)
	}
	c.files.name(pigDirs, inputDirs, formats)
	if c.Overheads.Report == 0 {
		c.Overheads.Report = defaultReport
	}
	if sleep > 0 {
		c.Overheads.Wave = sleep/2 + waveWork
	}
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
			j = newJob(s.view.Known(id))
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
			if s.view.Known(j.app).Ended {
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
