package tez

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/dag"
)

// A graph is the known state of the DAG.
type graph struct {
	id       string
	vertices []*vertex // by their index in ids
	byName   map[string]*vertex
	planned  bool // names and edges are known
	edged    bool // edges are known for all started vertices
	name     string
	key      string // identifies a query by its text, whatever its name; "" if it is not a query
	title    string // of the query; "" if that is the name
	pig      bool
	inputs   []string

	submitted, started, finished dag.Instant
	master                       boot
	status                       string // the master's newest status; "" before
	logged                       string // how the DAG ended by the master's log or history; "" before
	diagnosis                    string
	taskMB                       int // of a container, by the configuration; 0 unknown

	era        int // how many masters have ended
	kept       int // stored attempts
	containers map[string]*container
	used       int32     // number of containers used
	setups     []float64 // ms from allocation to start of each container's first attempt
	setupOf    map[attemptKey]int
}

// A boot has the start of a master's JVM and when the master was ready. Unknown times are zero.
type boot struct{ launched, ready dag.Instant }

// event applies an event of the master itself.
func (b *boot) event(kind string, at dag.Instant) {
	switch kind {
	case "AM_LAUNCHED":
		*b = boot{launched: at} // of a new master, if there was one before
	case "AM_STARTED":
		b.ready = at
	}
}

// freshBoot is how old a master's start may be at a DAG's submission to show how busy the machine is.
const freshBoot = 10 * time.Minute

// took returns how long the master took to start. It returns 0 if that is unknown, or if the DAG was submitted more
// than freshBoot later.
func (b *boot) took(submitted dag.Instant) time.Duration {
	if b.launched <= 0 || b.ready <= b.launched || !submitted.Known() || submitted > b.ready.Add(freshBoot) {
		return 0
	}
	return b.ready.Sub(b.launched)
}

// A container is a JVM that runs attempts one after another.
type container struct {
	slot     int32 // in the order of first use; -1 before
	launched dag.Instant
}

// A vertex is a stage.
type vertex struct {
	index    int32
	name     string
	tasks    int
	known    bool
	status   string
	begun    bool // its inputs are known to the master
	memoryMB int
	min, max float64 // the slow-start fractions of its sources; NaN unknown
	auto     bool    // auto-parallelism may still reduce its number of tasks
	sources  []source
	movement string // the likely data movement into it, if there is no plan

	running, succeeded int // tasks by the master's count; -1 unknown
	ended              int // failed and killed attempts, likewise
	off                int // consecutive polls in which these counts differed from the known tasks
	listedTick         int // the last poll that listed its tasks
	table              tasktable.Table[task]
}

// A source is a vertex that another one reads.
type source struct {
	vertex   int32
	movement string // as named in the plan, such as SCATTER_GATHER
}

// A task has its attempts by number.
type task struct {
	attempts []attempt
	shift    int32 // offset of the numbers that the master assigns, because a new master may reuse them
}

// An attempt is one attempt of a task, with the state of the requests for it.
type attempt struct {
	dag.Attempt
	wire    int32  // its number, as its master assigned it
	past    bool   // a new master may have reused the number
	era     int    // how many masters had ended when it was first seen
	in      string // its container; "" unknown
	fresh   bool   // the first one in its container
	logged  bool   // its start is from the master's log
	settled bool   // it has ended, and its counters are final
	tries   int    // responses after its end
}

func newGraph(id string) *graph {
	return &graph{
		id: id, byName: map[string]*vertex{}, submitted: dag.NoInstant, started: dag.NoInstant, finished: dag.NoInstant,
		containers: map[string]*container{}, setupOf: map[attemptKey]int{},
	}
}

// mostAttempts bounds the tasks, and the attempts, of a DAG that is estimated.
const mostAttempts = 200_000

// tooLarge returns why a DAG is too large for an estimate, or "".
func (g *graph) tooLarge() string {
	n := 0
	for _, v := range g.vertices {
		if v.known {
			n = min(n+v.tasks, dag.MaxTasks)
		}
	}
	if n = max(n, g.kept); n > mostAttempts {
		return fmt.Sprintf("it has %d tasks or attempts, and %d is the limit of a workflow", n, mostAttempts)
	}
	return ""
}

// at returns the vertex of an index and creates it if needed. It returns nil if there are too many.
func (g *graph) at(index int32) *vertex {
	if index < 0 || index >= mostVertices {
		return nil
	}
	for int32(len(g.vertices)) <= index { //nolint:gosec // G115: bounded above
		i := int32(len(g.vertices)) //nolint:gosec // G115: bounded above
		v := &vertex{index: i, min: math.NaN(), max: math.NaN(), running: -1, succeeded: -1}
		g.vertices = append(g.vertices, v)
	}
	return g.vertices[index]
}

// setTasks sets the number of tasks. Snapshots show only attempts of tasks below it.
func (v *vertex) setTasks(n int, known bool) {
	if v.tasks != n || v.known != known {
		v.tasks, v.known = n, known
		v.table.ChangeAll()
	}
}

// call sets the name of a vertex.
func (g *graph) call(v *vertex, name string) {
	if name == "" || v.name == name || g.byName[name] != nil {
		return
	}
	delete(g.byName, v.name)
	v.name = name
	g.byName[name] = v
}

// attempt returns an attempt and creates it if needed. It returns nil for an invalid task.
func (g *graph) attempt(k attemptKey) (*vertex, *attempt) {
	v := g.at(k.vertex)
	if v == nil {
		return nil, nil
	}
	t := v.table.Find(k.task)
	if t == nil {
		if g.kept >= mostAttempts {
			g.kept = mostAttempts + 1
			return nil, nil
		}
		t = &task{}
		v.table.Add(k.task, t)
	}
	if a := t.find(k.number); a != nil {
		return v, a
	}
	if g.kept++; g.kept > mostAttempts {
		return nil, nil
	}
	n := k.number + t.shift
	byNumber := func(a attempt, n int32) int { return cmp.Compare(a.Number, n) }
	i, _ := slices.BinarySearchFunc(t.attempts, n, byNumber)
	a := attempt{Attempt: dag.BlankAttempt(k.task, n), wire: k.number, era: g.era}
	t.attempts = slices.Insert(t.attempts, i, a)
	return v, &t.attempts[i]
}

// find returns the attempt with a number of the current master, or nil.
func (t *task) find(number int32) *attempt {
	for i := range t.attempts {
		if a := &t.attempts[i]; a.wire == number && !a.past {
			return a
		}
	}
	return nil
}

// retire frees an attempt's number for the next master. It ends an attempt that counts as running or succeeded.
func (t *task) retire(a *attempt, at dag.Instant) {
	switch a.State {
	case dag.AttemptRunning:
		a.State, a.End, a.Diagnosis = dag.AttemptKilled, max(at, a.Start), masterGone
	case dag.AttemptSucceeded:
		a.State, a.Diagnosis = dag.AttemptKilled, lostOutput
	}
	a.past = true
	t.shift = t.attempts[len(t.attempts)-1].Number + 1
}

// find returns a known attempt, or nil.
func (g *graph) find(k attemptKey) *attempt {
	if k.vertex < 0 || int(k.vertex) >= len(g.vertices) {
		return nil
	}
	if t := g.vertices[k.vertex].table.Find(k.task); t != nil {
		return t.find(k.number)
	}
	return nil
}

// containerID matches the id of a container, with the number of the application's master.
var containerID = regexp.MustCompile(`^container_(?:e\d+_)?(\d+_\d+)_(\d{2,4})_\d{6,}$`)

// later reports whether a container belongs to a later master of the same application than another container.
func later(container, than string) bool {
	a, b := containerID.FindStringSubmatch(container), containerID.FindStringSubmatch(than)
	if a == nil || b == nil || a[1] != b[1] || len(a[2]) != len(b[2]) {
		return false
	}
	return a[2] > b[2]
}

// begin records that an attempt runs in a container since an instant.
func (g *graph) begin(k attemptKey, at dag.Instant, in string, node int32) {
	if a := g.find(k); a != nil && a.logged && later(in, a.in) && at.Known() && at >= a.Start {
		// A new master has lost it and reuses its number.
		table := &g.vertices[k.vertex].table
		table.Find(k.task).retire(a, at)
		table.Change(k.task)
	}
	v, a := g.attempt(k)
	if a == nil || a.logged {
		return
	}
	v.table.Change(k.task)
	a.logged = true
	if at.Known() {
		a.Start = at
	}
	a.Node, a.in = node, in
	c := g.container(in)
	if c == nil {
		return
	}
	if c.slot < 0 {
		c.slot, g.used = g.used, g.used+1
		if a.fresh = c.launched.Known(); a.fresh {
			g.setup(k, c.launched, a.Start)
		}
	}
	a.Slot = c.slot
}

// mostContainers bounds the stored containers.
const mostContainers = 200_000

func (g *graph) container(id string) *container {
	c := g.containers[id]
	if c == nil && id != "" && len(g.containers) < mostContainers {
		c = &container{slot: -1, launched: dag.NoInstant}
		g.containers[id] = c
	}
	return c
}

// setup records the launch time of the container of attempt k. A later, more accurate value replaces it.
func (g *graph) setup(k attemptKey, from, to dag.Instant) {
	if !from.Known() || !to.Known() || to < from {
		return
	}
	i, known := g.setupOf[k]
	if !known {
		i = len(g.setups)
		g.setupOf[k], g.setups = i, append(g.setups, 0)
	}
	g.setups[i] = float64(to - from)
}

// end records how an attempt ended, and when.
func (g *graph) end(k attemptKey, state dag.AttemptState, start, end dag.Instant, why string) {
	v, a := g.attempt(k)
	if a == nil {
		return
	}
	v.table.Change(k.task)
	a.State, a.Diagnosis = state, why
	if start.Known() {
		a.Start = start
	}
	if end.Known() {
		a.End = end
	}
	if state == dag.AttemptSucceeded {
		a.Ratio, a.Diagnosis = 1, ""
		for i, others := 0, v.table.Find(k.task).attempts; i < len(others); i++ {
			if o := &others[i]; o.Number != a.Number && o.State == dag.AttemptSucceeded {
				// Its output was lost, or that of this attempt was not accepted.
				o.State, o.Diagnosis = dag.AttemptKilled, lostOutput
			}
		}
	}
}

const (
	lostOutput = "its output is lost: it must run again"
	masterGone = "its master is gone"
)

// stop ends all running attempts, because their master is gone.
func (g *graph) stop(at dag.Instant) {
	for _, v := range g.vertices {
		for index, t := range v.table.All() {
			for i := range t.attempts {
				if a := &t.attempts[i]; a.State == dag.AttemptRunning {
					a.State, a.End, a.Diagnosis = dag.AttemptKilled, at, masterGone
					v.table.Change(index)
				}
			}
		}
	}
}

// succeed starts the era of a new master. The new master recovers succeeded attempts that were written down, and
// reuses the numbers of all others.
func (g *graph) succeed(at dag.Instant) {
	g.stop(at)
	g.era++
	for _, v := range g.vertices {
		for _, t := range v.table.All() {
			for i := range t.attempts {
				if a := &t.attempts[i]; !a.past && a.State != dag.AttemptSucceeded {
					t.retire(a, at)
				}
			}
		}
	}
}

// settle ends attempts of a succeeded DAG that no source has reported as ended. For each task without a success, the
// newest running attempt becomes the successful one.
func (g *graph) settle(at dag.Instant) {
	for _, v := range g.vertices {
		for index, t := range v.table.All() {
			newest := -1
			for i := range t.attempts {
				switch t.attempts[i].State {
				case dag.AttemptSucceeded:
					newest = len(t.attempts)
				case dag.AttemptRunning:
					newest = max(newest, i)
				}
			}
			if newest >= 0 && newest < len(t.attempts) {
				a := &t.attempts[newest]
				a.State, a.End, a.Ratio = dag.AttemptSucceeded, max(at, a.Start), 1
				v.table.Change(index)
			}
		}
	}
}

var attemptStates = map[string]dag.AttemptState{
	"SUCCEEDED": dag.AttemptSucceeded, "FAILED": dag.AttemptFailed, "KILLED": dag.AttemptKilled,
}

// applyReport applies an entry of attemptsInfo from an instant. before is the time of the previous observation.
func (g *graph) applyReport(w *wireAttempt, before, at dag.Instant) {
	k, ok := parseID(string(w.ID), "attempt", g.id, 3)
	if !ok {
		return
	}
	known := g.find(k)
	state, ended := attemptStates[string(w.Status)]
	if known == nil && (string(w.Status) != "RUNNING" && !ended) {
		return // it waits or is being launched
	}
	v, a := g.attempt(k)
	if a == nil {
		return
	}
	v.table.Change(k.task)
	if ended && a.State != state {
		g.end(k, state, dag.NoInstant, dag.NoInstant, a.Diagnosis)
	} else if !ended && a.State == dag.AttemptWaiting && string(w.Status) == "RUNNING" {
		a.State = dag.AttemptRunning
	}
	if a.State == dag.AttemptRunning && !a.Start.Known() {
		a.Start = at
	}
	if ended {
		if !a.Start.Known() { // it started and ended between two polls
			a.Start = before
		}
		if !a.End.Known() {
			a.End = at
		}
		a.tries++
	}
	c := countersOf(w.Counters[taskCounters])
	g.count(v, a, &c, at)
	if a.State == dag.AttemptRunning {
		a.Ratio = math.NaN()
		// Processors that report no progress show 0. Pig's do, and Hive's with a cached table.
		if p := float64(w.Progress); p > 0 || p == 0 && !g.pig && !(a.Done[0] > 0) {
			a.Ratio = min(p, 1)
		}
	} else if ended && (c.any || a.tries >= triesAfterEnd) {
		a.settled = true
	}
}

// triesAfterEnd bounds the requests for an attempt that has ended.
const triesAfterEnd = 2

// attempts returns the attempts of a vertex for a snapshot, with times up to at. Snapshots share the slice until the
// vertex changes.
func (v *vertex) attempts(at dag.Instant) []dag.Attempt {
	return v.table.Attempts(func(to []dag.Attempt, index int32, t *task) []dag.Attempt {
		if v.known && int(index) >= v.tasks {
			return to
		}
		for i := range t.attempts {
			a := t.attempts[i].Attempt
			if a.State == dag.AttemptWaiting {
				continue
			}
			if a.Start > at || a.End > at { // the log was read a moment after the observation
				a.Start, a.End = min(a.Start, at), min(a.End, at)
				v.table.Change(index)
			}
			to = append(to, a)
		}
		return to
	})
}

// setupMedian returns the median set-up time in milliseconds, or 0 if there is none.
func (g *graph) setupMedian() float64 {
	if len(g.setups) == 0 {
		return 0
	}
	all := slices.Clone(g.setups)
	slices.Sort(all)
	if n := len(all); n%2 == 0 {
		return (all[n/2-1] + all[n/2]) / 2
	}
	return all[len(all)/2]
}

// feature returns the kind of a DAG that is a query with its text as the key.
func (g *graph) feature() string {
	if g.key == "" {
		return ""
	}
	return "HIVE_QUERY"
}
