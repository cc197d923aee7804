package whatif

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A moment is how a replay stands at one instant: what an observer would see then, and what is left of what runs.
type moment struct {
	s       *dag.Snapshot
	running map[attempt]schedule.Cost
}

type attempt struct {
	job, task, number int
	kind              dag.StageIndex
}

// A course is a whole replay, of which moments can be seen.
type course struct {
	w     *clusterState
	s     *schedule.Schedule
	ended [][]dag.Instant   // by job and stage: the end of its last task, 0 where it has none
	asked map[attempt]asked // by the first task of a span
	nodes map[int32]int32   // YARN: of each lane, where known
}

// asked is what a span's task was said to cost when it started.
type asked struct {
	cost  schedule.Cost
	start dag.Instant
}

// course replays a world and keeps what cannot be read off a schedule.
func (w *clusterState) course() (*course, error) {
	c := &course{w: w, asked: make(map[attempt]asked), nodes: make(map[int32]int32)}
	left := w.left()
	record := func(t schedule.Task) schedule.Cost {
		cost := left(t)
		from := t.Start
		if t.Running != nil || !from.Known() {
			from = w.s.At
		}
		c.asked[attempt{t.Job, t.Index, t.Attempt, t.Stage}] = asked{cost, from}
		c.nodes[int32(t.Slot)] = int32(t.Node)
		return cost
	}
	var err error
	if c.s, err = schedule.Replay(w.s, record, schedule.Options{Fault: w.fault}); err != nil {
		return nil, err
	}
	c.ended = make([][]dag.Instant, len(w.s.Plan.Jobs))
	for j := range c.ended {
		c.ended[j] = make([]dag.Instant, len(w.s.Plan.Jobs[j].Stages))
	}
	for i := range c.s.Spans {
		if sp := &c.s.Spans[i]; sp.Pause == dag.NoPause && sp.Outcome == schedule.OK {
			c.ended[sp.Job][sp.Stage] = max(c.ended[sp.Job][sp.Stage], sp.End)
		}
	}
	return c, nil
}

// input is when a span's tasks have all that they wait for in their slots, if they copy.
func (c *course) input(sp *schedule.Span) (last dag.Instant, copies bool) {
	job := &c.w.s.Plan.Jobs[sp.Job]
	for _, e := range job.Stages[sp.Stage].After {
		last = max(last, c.ended[sp.Job][e.From])
		copies = copies || e.Kind == dag.SlowStart || e.Kind == dag.Broadcast && job.Rules == dag.AncestorsFirst
	}
	if !copies {
		return 0, false
	}
	return last, true
}

// at is the moment at an instant that is not before now. What starts then has not.
func (c *course) at(t dag.Instant) *moment {
	m := &moment{s: copied(c.w.s), running: make(map[attempt]schedule.Cost)}
	m.s.At = t
	attempts := make([][][]dag.Attempt, len(m.s.Jobs))
	for j := range m.s.Jobs {
		attempts[j] = make([][]dag.Attempt, len(m.s.Jobs[j].Stages))
		for k := range m.s.Jobs[j].Stages {
			for _, a := range m.s.Jobs[j].Stages[k].Attempts {
				if a.State != dag.AttemptRunning && a.State != dag.AttemptWaiting {
					attempts[j][k] = append(attempts[j][k], a)
				}
			}
		}
	}
	for i := range c.s.Spans {
		sp := &c.s.Spans[i]
		if sp.Pause != dag.NoPause || sp.Past || sp.Start >= t {
			continue
		}
		for n := range sp.Count {
			attempts[sp.Job][sp.Stage] = append(attempts[sp.Job][sp.Stage], c.attempt(m, sp, n))
		}
	}
	for j := range m.s.Jobs {
		for k := range m.s.Jobs[j].Stages {
			list := attempts[j][k]
			slices.SortStableFunc(list, func(a, b dag.Attempt) int {
				return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
			})
			m.s.Jobs[j].Stages[k].Attempts = list
		}
		c.state(m, j)
	}
	return m
}

// attempt is task n of a span as it stands.
func (c *course) attempt(m *moment, sp *schedule.Span, n int32) dag.Attempt {
	t, nan := m.s.At, math.NaN()
	a := dag.Attempt{
		Task: sp.First + n, Number: sp.Attempt, Slot: sp.Slots[n], Node: -1, Start: sp.Start, End: sp.End,
		Done: [dag.Pipelines]float64{nan, nan, nan}, Total: [dag.Pipelines]float64{nan, nan, nan}, Out: nan, Bytes: nan,
		Ratio:   nan,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, First: dag.Mark{At: dag.NoInstant},
		Last: dag.Mark{At: dag.NoInstant}, FirstReport: dag.NoInstant,
	}
	if m.s.Plan.Cluster.Policy == dag.FIFO {
		a.Node = a.Slot / int32(max(1, m.s.Plan.Cluster.SlotsPerNode))
	} else if node, ok := c.nodes[sp.Slots[0]]; ok {
		if one, ok := c.nodes[a.Slot]; ok {
			node = one
		}
		a.Node = node
	}
	switch {
	case sp.End <= t && sp.Outcome == schedule.Fails:
		a.State = dag.AttemptFailed
	case sp.End <= t:
		a.State = dag.AttemptSucceeded
	default:
		a.State, a.End = dag.AttemptRunning, dag.NoInstant
		cost := schedule.Cost{Work: c.naturalEnd(sp).Sub(t), Same: 1}
		input, copies := c.input(sp)
		if was, ok := c.of(sp); ok && input > t {
			cost = was.cost
			cost.Setup, cost.Same = max(was.start.Add(was.cost.Setup).Sub(t), 0), 1
		} else if copies {
			a.CopyEnd = t
		}
		m.running[attempt{int(sp.Job), int(a.Task), int(a.Number), sp.Stage}] = cost
	}
	return a
}

// of is what a span's tasks were said to cost. A replay may ask once for several tasks that start together, and let
// each of them be a span where one fails.
func (c *course) of(sp *schedule.Span) (asked, bool) {
	for i := int(sp.First); i >= 0 && i > int(sp.First)-mostTogether; i-- {
		was, ok := c.asked[attempt{int(sp.Job), i, int(sp.Attempt), sp.Stage}]
		if ok && (i == int(sp.First) || was.start == sp.Start && i+was.cost.Same > int(sp.First)) {
			return was, true
		}
		if ok {
			break
		}
	}
	return asked{}, false
}

// mostTogether bounds how far back such a question is looked for.
const mostTogether = 1 << 16

// naturalEnd is when a span would end that does not fail.
func (c *course) naturalEnd(sp *schedule.Span) dag.Instant {
	was, ok := c.of(sp)
	if sp.Outcome != schedule.Fails || !ok {
		return sp.End
	}
	input, _ := c.input(sp)
	return max(max(was.start.Add(was.cost.Setup), input).Add(was.cost.Work), sp.End)
}

// state is that of a job at a moment.
func (c *course) state(m *moment, j int) {
	js := &m.s.Jobs[j]
	if js.State.Ended() {
		return
	}
	t := m.s.At
	js.Submitted, js.Finished, js.HeldMB = c.s.Submitted[j], dag.NoInstant, 0
	switch {
	case !js.Submitted.Known() || js.Submitted >= t && !c.w.s.Jobs[j].Submitted.Known():
		js.Submitted, js.State = dag.NoInstant, dag.Blocked
	case c.s.Finished[j].Known() && c.s.Finished[j] <= t:
		js.State, js.Finished = dag.Succeeded, c.s.Finished[j]
	case c.s.Mastered != nil && c.s.Mastered[j].Known() && c.s.Mastered[j] >= t:
		js.State = dag.Submitted
	default:
		js.State = dag.Running
		js.HeldMB = c.w.s.Plan.Jobs[j].MasterMB
	}
}

// clusterState goes on from the moment, with what is left of what runs.
func (m *moment) clusterState(w *clusterState) *clusterState {
	left := w.left()
	from := *w
	from.s = m.s
	from.replayed = func(t schedule.Task) schedule.Cost {
		if t.Running != nil {
			if cost, ok := m.running[attempt{t.Job, t.Index, t.Attempt, t.Stage}]; ok {
				return cost
			}
		}
		return left(t)
	}
	return &from
}

// took is how long an attempt has run, 0 of one whose start is not known.
func took(a *dag.Attempt, now dag.Instant) time.Duration {
	end := a.End
	if !end.Known() {
		end = now
	}
	if !a.Start.Known() || end < a.Start {
		return 0
	}
	return end.Sub(a.Start)
}
