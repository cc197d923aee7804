package mapreduce

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Property is one setting of a job's configuration.
type Property struct {
	Name  input.Raw `xml:"name"`
	Value input.Raw `xml:"value"`
}

type confBody struct {
	Conf rest.Box[struct{ Property rest.List[Property] }]
}

// Properties reads a job's properties from a response with its configuration. The request may have failed with err.
// what names it in errors.
func Properties(what string, body []byte, err error) ([]Property, error) {
	b, err := yarn.Read[confBody](what, body, err)
	return b.Conf.V.Property, err //nolint:wrapcheck // it names the request
}

// Settings are the stored part of a job's configuration: its place in a workflow, and its schedule. The rest is dropped
// at once.
type Settings struct {
	Workflow, WorkflowName, Node string // "" outside a workflow
	// one per batch that a script launches, ms since the epoch; "" if unknown
	Launch         string
	After          map[string][]string // a node to its successors
	Stops          bool                // a failed job ends the whole script
	Parallel       bool                // Hive runs stages at once that do not wait for each other
	RerunsAll      bool                // a restarted master runs every task again
	Feature, Alias string
	Input          []string
	MasterMB       int
	Limits         dag.MapReduceLimits
	Overheads      dag.Overheads // Beat, Abandon, Report and Wave
}

// defaultReport is the interval of a task's counter reports if its job does not set one: a hundredth of the default
// task time-out (facts/hadoop.md A4, "Refresh").
const defaultReport = 6 * time.Second

// waveWork is the time that Pig takes to compile the next wave and to compute its splits, once it has noticed that
// a wave has ended. Half a sleep comes before it on average (facts/hadoop.md C2; 1.7 s on recordings with
// file:///, more with HDFS).
const waveWork = 1700 * time.Millisecond

const adjacency = "mapreduce.workflow.adjacency."

// masterMemory are the properties that may set the memory of a job's master.
var masterMemory = []string{
	"yarn.app.mapreduce.am.resource.mb", "yarn.app.mapreduce.am.resource.memory-mb",
	"yarn.app.mapreduce.am.resource.memory",
}

// values are the values of properties by name.
type values map[string]string

func (v values) number(name string) input.Optional { return input.ParseOptional(v[name]) }

// duration returns a property that has milliseconds, most at most; 0 if it is not set.
func (v values) duration(name string, most time.Duration) time.Duration {
	return time.Duration(v.number(name).Count(int(most.Milliseconds()))) * time.Millisecond
}

// within returns a property if it is a number from least to most, else def.
func (v values) within(name string, least, most, def float64) float64 {
	if n := v.number(name); n.Known && n.V >= least && n.V <= most {
		return n.V
	}
	return def
}

// ReadSettings reads the settings from a job's properties (facts/hadoop.md C1, F). Without properties they are
// Hadoop's defaults.
func ReadSettings(properties []Property) Settings {
	v, master := values{}, input.Optional{}
	var s Settings
	edges, bytes := mostNames, mostText // left for the graph
	for _, p := range properties {
		name, value := string(p.Name), string(p.Value)
		v[name] = value
		if !master.Known && slices.Contains(masterMemory, name) {
			master = input.ParseOptional(value)
		}
		node, ok := strings.CutPrefix(name, adjacency)
		if !ok || node == "" {
			continue
		}
		if s.After == nil {
			s.After = map[string][]string{}
		}
		if edges, bytes = edges-1, bytes-len(node)-len(value); edges >= 0 && bytes >= 0 {
			to := fields(value, edges)
			edges -= len(to)
			s.After[dag.Clean(node)] = to
		}
	}
	s.Workflow, s.Node = dag.Clean(v["mapreduce.workflow.id"]), dag.Clean(v["mapreduce.workflow.node.name"])
	// The clone drops the rest of a query's text.
	s.WorkflowName = strings.Clone(naming.WorkflowTitle(s.Workflow, v["mapreduce.workflow.name"]))
	s.Launch = dag.Clean(v["pig.script.submitted.timestamp"])
	s.Stops, s.Parallel = v["stop.on.failure"] == "true", v["hive.exec.parallel"] == "true"
	s.RerunsAll = v["pig.output.committer.recovery.support"] == "false"
	s.Feature, s.Alias = dag.Clean(v["pig.job.feature"]), dag.Clean(v["pig.alias"])
	if s.Input = fields(v["pig.input.dirs"], mostNames); len(s.Input) == 0 {
		s.Input = fields(v["mapreduce.input.fileinputformat.inputdir"], mostNames)
	}
	heap := v.within("mapreduce.job.heap.memory-mb.ratio", math.SmallestNonzeroFloat64, 1, 0.8)
	step := v.within("yarn.scheduler.minimum-allocation-mb", 1, math.Inf(1), 1024)
	s.MasterMB = container(master, "", heap, 1536, step)
	s.Limits = dag.MapReduceLimits{
		MapMB:      container(v.number("mapreduce.map.memory.mb"), v["mapreduce.map.java.opts"], heap, 1024, step),
		ReduceMB:   container(v.number("mapreduce.reduce.memory.mb"), v["mapreduce.reduce.java.opts"], heap, 1024, step),
		SlowStart:  v.within("mapreduce.job.reduce.slowstart.completedmaps", 0, 1, 0.05),
		RampUp:     v.within("yarn.app.mapreduce.am.job.reduce.rampup.limit", 0, 1, 0.5),
		MaxMaps:    v.number("mapreduce.job.running.map.limit").Count(MaxTasks),
		MaxReduces: v.number("mapreduce.job.running.reduce.limit").Count(MaxTasks),
	}
	s.Overheads.Beat = v.duration("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", time.Hour)
	s.Overheads.Report = cmp.Or(v.duration("mapreduce.task.progress-report.interval", time.Hour), defaultReport)
	s.Overheads.Abandon = v.duration("yarn.client.nodemanager-connect.max-wait-ms", 24*time.Hour)
	// The time between two polls of Pig for its jobs.
	if sleep := v.duration("pig.jobcontrol.sleep", time.Hour); sleep > 0 {
		s.Overheads.Wave = sleep/2 + waveWork
	}
	return s
}

// container returns the MB that a request gets: the requested size, else the heap's size over ratio
// (JobConf.getMemoryRequired), else the default, rounded up to a multiple of the minimum allocation
// (facts/hadoop.md E3).
func container(asked input.Optional, opts string, ratio float64, def int, step float64) int {
	mb := float64(def)
	if asked.Known && asked.V > 0 {
		mb = asked.V
	} else if h := heapMB(opts); h > 0 {
		mb = math.Ceil(h / ratio)
	}
	return int(min(math.Ceil(mb/step)*step, yarn.MaxMB))
}

// maxHeap matches the JVM option for the largest heap.
var maxHeap = regexp.MustCompile(`(?:^|\s)-Xmx([\d.]+)([kKmMgG]?)\b`)

// heapMB returns the last -Xmx of JVM options, in MB; 0 if there is none.
func heapMB(opts string) float64 {
	all := maxHeap.FindAllStringSubmatch(opts, -1)
	if len(all) == 0 {
		return 0
	}
	last := all[len(all)-1]
	units := map[string]float64{"": 1. / (1 << 20), "k": 1. / (1 << 10), "m": 1, "g": 1 << 10}
	return max(0, input.ParseOptional(last[1]).V*units[strings.ToLower(last[2])])
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
	return input.Unique(out)
}
