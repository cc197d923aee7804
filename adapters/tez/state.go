package tez

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A state is the observed state of a DAG. Only the transitions change it.
type state struct {
	id       string
	title    title
	settings settings
	boot     boot // of the master

	vertices []*vertex // by their index in ids
	hasPlan  bool      // names and edges are from the plan
	inputs   []string

	submitted, started, finished dag.Instant
	reported                     string    // the newest status that the master's web service has reported; "" before
	final                        dag.State // how the DAG ended by the master's log or history; Blocked before
	diagnosis                    string

	masters  int                    // of the application so far
	attempts int                    // stored ones
	launched map[string]dag.Instant // containers, which are JVMs that run attempts one after another
	slots    map[string]int32       // of containers that have run an attempt, in the order of first use
	setups   map[string]float64     // ms from allocation to start of each container's first attempt
	room     surroundings

	stageOrder []*vertex
	plan       *dag.Plan // of the newest complete snapshot; nil before
}

// A boot has the start of a master's JVM and when the master was ready. Unknown times are zero.
type boot struct{ launched, ready dag.Instant }

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

// A vertex is a stage.
type vertex struct {
	index      int32
	name       string
	tasks      int
	hasTasks   bool // the number of tasks is known
	hasStarted bool // its inputs are known to the master
	memoryMB   int
	slowStart  slowStart // of its sources
	sources    []source
	movement   string // the likely data movement into it, if there is no plan

	running, succeeded int // tasks by the master's count; -1 unknown
	ended              int // failed and killed attempts, likewise
	mismatches         int // consecutive polls in which the master's counts differed from the known tasks
	listed             int // polls up to the last one that listed its tasks; 0 none
	table              events.Table[task]
}

// A source is a vertex that another one reads.
type source struct {
	vertex   *vertex
	movement string // as named in the plan, such as SCATTER_GATHER
}

// Data movements of edges, as plans name them.
const (
	scatterGather = "SCATTER_GATHER"
	broadcast     = "BROADCAST"
	oneToOne      = "ONE_TO_ONE"
	custom        = "CUSTOM"
)

// A task has its attempts by number.
type task struct{ attempts []attempt }

// An attempt is one attempt of a task, with the state of the requests for it.
type attempt struct {
	dag.Attempt
	masterNumber     int32  // its number, as its master assigned it; retired if a new master may have reused that
	isRecovered      bool   // it succeeded under an earlier master
	container        string // "" before its start event
	firstInContainer bool
	reportsLeft      int // of the web service after its end; 0 if its counters are final
}

const retired = -1

func newState(id string, room surroundings) *state {
	return &state{
		id: id, submitted: dag.NoInstant, started: dag.NoInstant, finished: dag.NoInstant,
		launched: map[string]dag.Instant{}, slots: map[string]int32{}, setups: map[string]float64{}, room: room,
	}
}

// Bounds of a DAG that is estimated: its tasks and its attempts, and the containers that are stored.
const (
	mostAttempts   = 200_000
	mostContainers = 200_000
)

// hasEnded reports whether the master's web service has reported an end.
func (st *state) hasEnded() bool {
	_, ended := yarn.EndStates[st.reported]
	return ended
}

// current returns the state of a DAG that has not ended.
func (st *state) current() dag.State {
	if st.started.Known() || st.reported == "RUNNING" {
		return dag.Running
	}
	return dag.Submitted
}

// attemptStates are the final states of an attempt.
var attemptStates = map[text]dag.AttemptState{
	"SUCCEEDED": dag.AttemptSucceeded, "FAILED": dag.AttemptFailed, "KILLED": dag.AttemptKilled,
}

// tasks yields all tasks, by vertex and index.
func (st *state) tasks() iter.Seq2[*vertex, *task] {
	return func(yield func(*vertex, *task) bool) {
		for _, v := range st.vertices {
			for _, t := range v.table.All() {
				if !yield(v, t) {
					return
				}
			}
		}
	}
}

// vertexAt returns the vertex of an index, which must be below mostVertices, and creates it if needed.
func (st *state) vertexAt(index int32) *vertex {
	for i := int32(len(st.vertices)); i <= index; i++ { //nolint:gosec // G115: bounded
		st.vertices = append(st.vertices, &vertex{
			index: i, slowStart: slowStart{math.NaN(), math.NaN()}, running: -1, succeeded: -1,
		})
	}
	return st.vertices[index]
}

// vertexOf returns the vertex of an id and creates it if needed. It returns nil for other ids.
func (st *state) vertexOf(id string) *vertex {
	k, ok := parseID(id, "vertex", st.id, 1)
	if !ok {
		return nil
	}
	return st.vertexAt(k.vertex)
}

// find returns a known attempt of the current master, or nil.
func (st *state) find(k attemptKey) *attempt {
	if int(k.vertex) >= len(st.vertices) {
		return nil
	}
	return st.vertices[k.vertex].table.Find(k.task).find(k.number)
}

// attempt returns an attempt, which counts as changed, and creates it if needed. It returns nil if there are too many.
func (st *state) attempt(k attemptKey) (*vertex, *attempt) {
	v := st.vertexAt(k.vertex)
	t := v.table.Find(k.task)
	if a := t.find(k.number); a != nil {
		v.table.Change(k.task)
		return v, a
	}
	if st.attempts >= mostAttempts {
		st.attempts = mostAttempts + 1
		return nil, nil
	}
	st.attempts++
	if t == nil {
		t = &task{}
		v.table.Add(k.task, t)
	}
	v.table.Change(k.task)
	n := k.number
	byNumber := func(a attempt, n int32) int { return cmp.Compare(a.Number, n) }
	i, isTaken := slices.BinarySearchFunc(t.attempts, n, byNumber)
	if isTaken { // by an attempt of an earlier master
		i = len(t.attempts)
		n = t.attempts[i-1].Number + 1
	}
	t.attempts = slices.Insert(t.attempts, i, attempt{
		Attempt: dag.BlankAttempt(k.task, n), masterNumber: k.number, reportsLeft: mostReportsAfterEnd,
	})
	return v, &t.attempts[i]
}

// find returns the attempt with a number of the current master, or nil. t may be nil.
func (t *task) find(number int32) *attempt {
	if t == nil {
		return nil
	}
	for i := range t.attempts {
		if a := &t.attempts[i]; a.masterNumber == number {
			return a
		}
	}
	return nil
}

// has reports whether the task has an attempt in a state.
func (t *task) has(state dag.AttemptState) bool {
	for i := range t.attempts { // not copied: there may be many
		if t.attempts[i].State == state {
			return true
		}
	}
	return false
}

// counts returns the known numbers of running and succeeded tasks of a vertex.
func (v *vertex) counts() (running, succeeded int) {
	for _, t := range v.table.All() {
		switch {
		case t.has(dag.AttemptSucceeded):
			succeeded++
		case t.has(dag.AttemptRunning):
			running++
		}
	}
	return running, succeeded
}

// setupMedian returns the median set-up time in milliseconds, or 0 if there is none.
func (st *state) setupMedian() float64 {
	all := slices.Sorted(maps.Values(st.setups))
	n := len(all)
	if n == 0 {
		return 0
	}
	return (all[(n-1)/2] + all[n/2]) / 2
}

// counters are those of an attempt that estimates use, by name. It is nil if there are none of any name.
type counters map[string]number

// The requested counters. All are in one group.
const (
	taskCounters = "org.apache.tez.common.counters.TaskCounter"
	counterNames = "INPUT_RECORDS_PROCESSED,REDUCE_INPUT_RECORDS,OUTPUT_RECORDS,INPUT_SPLIT_LENGTH_BYTES," +
		"SHUFFLE_BYTES_DECOMPRESSED,NUM_SHUFFLED_INPUTS,SHUFFLE_PHASE_TIME,MERGE_PHASE_TIME"
)

// of returns the value of a counter, or NaN.
func (c counters) of(name string) float64 {
	if v, ok := c[name]; ok && v >= 0 {
		return float64(v)
	}
	return math.NaN()
}

// set keeps a counter that estimates use.
func (c *counters) set(name string, value number) {
	if *c == nil {
		*c = counters{}
	}
	if _, rest, isUsed := strings.Cut(counterNames, name); isUsed && (rest == "" || rest[0] == ',') {
		(*c)[strings.Clone(name)] = value
	}
}

// UnmarshalJSON reads the counters of a history. Counters of another form are unknown.
func (c *counters) UnmarshalJSON(b []byte) error {
	var w struct {
		Groups []struct {
			Name     text `json:"counterGroupName"`
			Counters []struct {
				Name  text   `json:"counterName"`
				Value number `json:"counterValue"`
			}
		} `json:"counterGroups"`
	}
	_ = json.Unmarshal(b, &w)
	for _, g := range w.Groups {
		for _, each := range g.Counters {
			if g.Name == taskCounters {
				c.set(string(each.Name), each.Value)
			}
		}
	}
	return nil
}

// copies reports whether a vertex copies the output of others in pieces. If its edges are unknown, the counters decide.
func (v *vertex) copies(c counters) bool {
	inPieces := func(s source) bool { return s.movement == scatterGather || s.movement == custom }
	return slices.ContainsFunc(v.sources, inPieces) || len(v.sources) == 0 && c.of("REDUCE_INPUT_RECORDS") > 0
}

// countFinal applies the counters of an attempt that has ended.
func (v *vertex) countFinal(a *attempt, e *event, now dag.Instant) {
	v.table.Change(a.Task)
	v.count(a, e.Counters, true, now)
	if e.Counters != nil && a.State == dag.AttemptSucceeded {
		a.reportsLeft = 0
	}
}

// maxMS bounds the length of a phase in milliseconds: a year.
const maxMS = 365 * 86400e3

// count applies counters that were observed at an instant. Counters that decreased are applied as they are. Tez does
// not write final counters that are 0.
func (v *vertex) count(a *attempt, c counters, isFinal bool, at dag.Instant) {
	if c == nil || a.reportsLeft == 0 {
		return
	}
	a.FirstReport = dag.FirstKnown(a.FirstReport, at)
	done, reduced, out := c.of("INPUT_RECORDS_PROCESSED"), c.of("REDUCE_INPUT_RECORDS"), c.of("OUTPUT_RECORDS")
	if isFinal && math.IsNaN(done) && math.IsNaN(reduced) {
		done = 0
	}
	if isFinal && math.IsNaN(out) {
		out = 0
	}
	if v.copies(c) {
		if reduced >= 0 {
			done = reduced
		}
		a.Bytes = c.of("SHUFFLE_BYTES_DECOMPRESSED")
		// From its start to the end of copy and of sort; 0 before.
		copied, sorted := c.of("SHUFFLE_PHASE_TIME"), c.of("MERGE_PHASE_TIME")
		if copied > 0 && copied < maxMS && a.Start.Known() {
			a.CopyEnd = a.Start + dag.Instant(copied)
			if sorted >= copied && sorted < maxMS {
				a.SortEnd = a.Start + dag.Instant(sorted)
			}
		}
		// Views and checks expect a copying stage's records in its last pipeline.
		a.Done[dag.Work] = done
	} else {
		a.Bytes = c.of("INPUT_SPLIT_LENGTH_BYTES")
		done = v.own(c, done)
	}
	a.Done[0], a.Out = done, out
	events.Mark(&a.Attempt, 0, at)
}

// own returns the processed records without broadcast input. The first attempt in a container reads and counts the
// whole output of the broadcasting vertices. Later attempts reuse it from the container.
func (v *vertex) own(c counters, done float64) float64 {
	if !(c.of("NUM_SHUFFLED_INPUTS") > 0) {
		return done
	}
	for _, s := range v.sources {
		if s.movement != broadcast {
			continue
		}
		tasks := 0
		for _, t := range s.vertex.table.All() {
			for i := range t.attempts {
				if a := &t.attempts[i]; a.State == dag.AttemptSucceeded && a.Out >= 0 {
					done -= a.Out
					tasks++
				}
			}
		}
		if !s.vertex.hasTasks || tasks < s.vertex.tasks {
			return 0 // it waits for them
		}
	}
	return max(0, done)
}
