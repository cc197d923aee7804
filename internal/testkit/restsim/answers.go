package restsim

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/paratimer/paratimer/dag"
)

//go:embed answers.tmpl
var answersText string

var answers = template.Must(template.New("answers").Option("missingkey=zero").Funcs(template.FuncMap{
	"ms": ms, "counters": counters, "property": property, "quote": quote,
	"percent": func(v float64) string { return fmt.Sprint(float32(v)) }, // as Java formats a float
	"repeat":  strings.Repeat,
	"join":    strings.Join,
	"minus":   func(a, b int) int { return max(0, a-b) },
}).Parse(strings.ReplaceAll(regexp.MustCompile(`\n\s*`).ReplaceAllString(answersText, ""), "{{{", `{{"{"}}{{`)))

// ms returns an instant as Hadoop writes it: 0 if it is unknown.
func ms(i dag.Instant) int64 {
	if !i.Known() {
		return 0
	}
	return int64(i)
}

// counters returns the counters that are known, given as names and values.
func counters(nameAndValue ...any) string {
	var all []string
	for i := 0; i < len(nameAndValue); i += 2 {
		if v := nameAndValue[i+1].(float64); !math.IsNaN(v) {
			all = append(all, fmt.Sprintf(`{"name":%q,"value":%d}`, nameAndValue[i], int64(v)))
		}
	}
	return strings.Join(all, ",")
}

func quote(s string) (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

// property returns a property of a configuration, or nothing if its value is 0 or empty.
func property(name string, value any) (string, error) {
	if isSet, _ := template.IsTrue(value); !isSet {
		return "", nil
	}
	quoted, err := quote(fmt.Sprint(value))
	return fmt.Sprintf(`{"name":%q,"value":%s,"source":["programmatically","file:/lab/job.xml"]},`, name, quoted), err
}

// A request is what a template responds to.
type request struct {
	cluster   *Cluster
	values    url.Values
	Job       *job
	IsHistory bool // to the job history server
	Path      string
	TaskID    string
	Kind      dag.StageIndex
	task      int
}

// IsBrief reports whether an application's resources are not requested.
func (q request) IsBrief() bool { return strings.Contains(q.values.Get("deSelects"), "resourceInfo") }

// Apps returns the applications of each run, newest first, with the filters that a watcher may use. An application
// that has not ended counts as ended at 0.
func (q request) Apps() (all []*job) {
	since := func(filter string) int64 {
		v, _ := strconv.ParseInt(q.values.Get(filter), 10, 64) // 0 if there is no filter
		return v
	}
	states := strings.Split(q.values.Get("states"), ",")
	for _, r := range q.cluster.runs {
		for _, j := range slices.Backward(r.jobs) {
			if j != nil && (!q.values.Has("user") || q.values.Get("user") == j.User()) &&
				(!q.values.Has("states") || slices.Contains(states, j.YarnState())) &&
				ms(j.State.Submitted) >= since("startedTimeBegin") && ms(j.State.Finished) >= since("finishedTimeBegin") {
				all = append(all, j)
			}
		}
	}
	return all
}

// totals are the sums over all runs.
type totals struct {
	MB, HeldMB, Lost int             // memory of all nodes and how much of it is allocated
	Hosts            []dag.NodeState // the nodes of a single run, else they are made up
	QueueShare       float64         // share of the cluster that the first run's queue may use, in percent
}

// Totals returns the sums; each slot counts as a container of 1 GB.
func (q request) Totals() totals {
	t, nodes := totals{QueueShare: 100}, len(q.cluster.runs)/10+1
	for i, r := range q.cluster.runs {
		if r.snap == nil {
			continue
		}
		c := &r.snap.Plan.Cluster
		t.MB += cmp.Or(c.MemoryMB, 1024*(c.MapSlots+c.ReduceSlots))
		for i := range r.snap.Jobs {
			t.HeldMB += r.snap.Jobs[i].HeldMB
		}
		if i == 0 {
			t.QueueShare = 100 * min(1, cmp.Or(float64(c.QueueMB)/float64(t.MB), 1))
			t.Hosts, nodes = r.snap.Nodes, max(nodes, len(c.Nodes))
		}
	}
	if len(q.cluster.runs) != 1 || len(t.Hosts) == 0 {
		t.Hosts = nil
		for i := range nodes {
			t.Hosts = append(t.Hosts, dag.NodeState{Name: fmt.Sprintf("node-%d:8042", i), MemoryMB: t.MB / nodes})
		}
	}
	for _, n := range t.Hosts {
		if n.Lost {
			t.Lost++
		}
	}
	return t
}
