package history

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Job is a MapReduce job that has ended, or has an incomplete history.
type Job struct {
	ID, Name, User, Queue string
	Settings              mapreduce.Settings
	// Configured reports that Settings come from the job's own configuration. Otherwise only its place in a workflow
	// is known.
	Configured bool

	Submitted, Launched, Finished dag.Instant
	State                         dag.State // final, or Running if the history is incomplete
	Masters                       []Master  // attempts of its application master
	Sized                         bool      // Maps and Reduces are known
	Maps, Reduces                 int
	Uber                          bool // its tasks ran inside its master
	Slots                         bool // it ran on map and reduce slots, before YARN
	MapMB, ReduceMB               int  // of a container, from the job's counters; 0 unknown
	Diagnosis                     string
	Attempts                      [2][]*Attempt // by kind; unordered before settle

	Last dag.Instant // the newest instant in the history
	Torn bool        // it is cut off in the middle of an event

	Place string // its file or folder, as the user named it
	Bad   int    // unusable events
	// Clocks describes the corrections of wrong clocks.
	Clocks []string
}

// A Master is one attempt of a job's application master.
type Master struct {
	At   dag.Instant // when it started
	Node string
}

// An Attempt is one attempt of a task. Its state is the final one, or running if the history has no end. Its progress
// and counters are those of a snapshot, so they are blank.
type Attempt struct {
	dag.Attempt
	Kind   dag.StageIndex
	Node   string           // host and HTTP port; "" unknown
	Counts mapreduce.Counts // at its end
	Usage  mapreduce.Usage  // at its end
	Splits []int32          // clockSplits: ms in each twelfth of its progress

	// If its output was lost after success: when that was noticed, and the state since then.
	Lost    dag.Instant
	LostAs  dag.AttemptState
	LostWhy string

	course course
}

func newJob(id string) *Job {
	return &Job{
		ID: id, State: dag.Running, Submitted: dag.NoInstant, Launched: dag.NoInstant, Finished: dag.NoInstant,
		Last: dag.NoInstant, Settings: mapreduce.ReadSettings(nil),
	}
}

func newAttempt(kind dag.StageIndex, task, number int32) *Attempt {
	a := &Attempt{
		Attempt: dag.BlankAttempt(task, number), Kind: kind, Lost: dag.NoInstant,
		Counts: mapreduce.CountsOf(nil), Usage: mapreduce.UsageOf(nil),
	}
	a.State = dag.AttemptRunning
	return a
}

// Ended reports whether the history has the job's end.
func (j *Job) Ended() bool { return j.State.Ended() && j.Finished.Known() }

// all returns the attempts of maps and reduces.
func (j *Job) all() []*Attempt { return slices.Concat(j.Attempts[dag.Map], j.Attempts[dag.Reduce]) }

// mapOnly reports whether the job has no reduces.
func (j *Job) mapOnly() bool { return j.Sized && j.Reduces == 0 }

// firstSeen returns when a watcher could first reach the job's master.
func (j *Job) firstSeen() dag.Instant {
	if len(j.Masters) > 0 {
		return j.Masters[0].At
	}
	return dag.FirstKnown(j.Launched, j.Submitted)
}

// defaultMaster is Hadoop's default memory of an application master, in MB.
const defaultMaster = 1536

// settle puts a job's parts into order, and completes them by what its configuration does not contain. Settling twice
// changes nothing.
func (j *Job) settle() {
	j.submitEarlier()
	slices.SortStableFunc(j.Masters, func(a, b Master) int { return cmp.Compare(a.At, b.At) })
	l := &j.Settings.Limits
	l.MapMB, l.ReduceMB = cmp.Or(j.MapMB, l.MapMB), cmp.Or(j.ReduceMB, l.ReduceMB)
	if !j.Configured && j.MapMB > 0 {
		// Containers are multiples of the smallest allocation, and a map's container is one such multiple.
		step := min(j.MapMB, 1024)
		j.Settings.MasterMB = (defaultMaster + step - 1) / step * step
	}
	if j.Uber { // tasks run one after another in the master's container
		l.MaxMaps, l.MaxReduces, l.SlowStart = 1, 1, 1
	}
	j.Maps, j.Attempts[dag.Map] = fitting(j.Maps, j.Attempts[dag.Map])
	j.Reduces, j.Attempts[dag.Reduce] = fitting(j.Reduces, j.Attempts[dag.Reduce])
	for _, list := range j.Attempts {
		slices.SortStableFunc(list, func(a, b *Attempt) int {
			return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
		})
	}
	for _, a := range j.all() {
		if !a.End.Known() && j.Finished.Known() {
			a.State, a.End, a.Diagnosis = dag.AttemptKilled, j.Finished, "the history has no end of it"
		}
		if a.End.Known() {
			a.End = max(a.End, a.Start)
		}
		a.course = courseOf(a, j.mapOnly())
		j.Last = max(j.Last, a.End, a.Lost)
	}
}

// submitEarlier moves a job's submission to its earliest start if it seems to have been submitted later. The
// submitting client has its own clock.
func (j *Job) submitEarlier() {
	starts := append(units.Each(j.all(), func(a *Attempt) dag.Instant { return a.Start }), j.Submitted, j.Launched)
	starts = append(starts, units.Each(j.Masters, func(m Master) dag.Instant { return m.At })...)
	first := slices.Min(slices.DeleteFunc(starts, func(at dag.Instant) bool { return !at.Known() }))
	if late := j.Submitted.Sub(first); late > time.Second {
		j.Clocks = append(j.Clocks, fmt.Sprintf("its submission is %s later than its start, by another clock: "+
			"ParaTimer takes the start for it", units.Exact(late)))
	}
	j.Submitted = first
}

// mostUnlisted bounds the tasks that a history announces without listing an attempt. A job that was killed early has
// some such tasks. A larger number is an error in the history, and the replay of all of them would be slow.
const mostUnlisted = 20_000

// fitting raises the size of a phase to what its attempts show. Some histories announce fewer tasks than ran, as one
// of Hadoop's own tests does. An attempt of a task far beyond the size is an error in the history.
func fitting(tasks int, attempts []*Attempt) (int, []*Attempt) {
	if tasks > mostUnlisted+len(attempts) {
		tasks = 0
	}
	most := tasks + len(attempts)
	attempts = slices.DeleteFunc(attempts, func(a *Attempt) bool { return a.Task < 0 || int(a.Task) >= most })
	for _, a := range attempts {
		tasks = max(tasks, int(a.Task)+1)
	}
	return tasks, attempts
}

// maxConf bounds a configuration file. A Pig job's takes 350 KB.
const maxConf = 64 << 20

// readConf parses a job's configuration file (JOB_conf.xml), which may be compressed.
func readConf(r io.Reader) ([]mapreduce.Property, error) {
	plain, err := input.Unpack(r, 1<<16)
	if err != nil {
		return nil, err //nolint:wrapcheck // the error describes what is wrong with the file
	}
	limited := &io.LimitedReader{R: plain, N: maxConf}
	var conf struct {
		Properties []mapreduce.Property `xml:"property"`
	}
	err = xml.NewDecoder(limited).Decode(&conf)
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("a configuration of more than %d bytes", maxConf)
	case err != nil:
		return nil, fmt.Errorf("not a configuration: %w", err)
	case len(conf.Properties) == 0:
		return nil, errors.New("no configuration: it has no properties")
	}
	return conf.Properties, nil
}

// Configure sets a job's settings from its own configuration. The job's place in the workflow comes from the history
// if the configuration does not have it.
func (j *Job) Configure(properties []mapreduce.Property) {
	had := j.Settings
	s := mapreduce.ReadSettings(properties)
	if s.Workflow == "" {
		s.Workflow, s.WorkflowName, s.Node, s.After = had.Workflow, had.WorkflowName, had.Node, had.After
	}
	s.WorkflowName = cmp.Or(s.WorkflowName, had.WorkflowName)
	j.Settings, j.Configured = s, true
}

// adjacency matches a node and its successors in the output of JobImpl.getWorkflowAdjacencies: "node"="next,next"
// "node"="next". A backslash escapes quotes and backslashes in names.
var (
	adjacency = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"="((?:[^"\\]|\\.)*)"`)
	escaped   = regexp.MustCompile(`\\(.)`)
)

// adjacencies parses the successors of nodes. It returns nil if there is no node.
func adjacencies(s string) map[string][]string {
	var out map[string][]string
	for _, m := range adjacency.FindAllStringSubmatch(s, -1) {
		if out == nil {
			out = map[string][]string{}
		}
		from, next := dag.Clean(escaped.ReplaceAllString(m[1], "$1")), []string{}
		for n := range strings.SplitSeq(escaped.ReplaceAllString(m[2], "$1"), ",") {
			if n = dag.Clean(strings.TrimSpace(n)); n != "" && !slices.Contains(next, n) {
				next = append(next, n)
			}
		}
		out[from] = next
	}
	return out
}

// without removes the vertices left. Successors of a removed vertex then follow its predecessors.
func without(vertices []mapreduce.Vertex, left []string) (out []mapreduce.Vertex) {
	to := make([][]int, len(vertices)) // replacements of a vertex, as indices of out
	for i, v := range vertices {
		var after []int
		for _, a := range v.After {
			after = append(after, to[a]...)
		}
		v.After = input.Unique(after)
		if v.Member < 0 && slices.Contains(left, v.Node) {
			to[i] = v.After
			continue
		}
		to[i] = []int{len(out)}
		out = append(out, v)
	}
	return out
}
