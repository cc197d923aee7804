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
	kind              dag.Kind
}

// A course is a whole replay, of which moments can be seen.
type course struct {
	w     *world
	s     *schedule.Schedule
	asked map[attempt]asked // by the first task of a span
	nodes map[int32]int32   // YARN: of each lane, where known
}

// asked is what a span's task was said to cost when it started.
type asked struct {
	cost  schedule.Cost
	start dag.Instant
}

// course replays a world and keeps what cannot be read off a schedule.
func (w *world) course() (*course, error) {
	c := &course{w: w, asked: make(map[attempt]asked), nodes: make(map[int32]int32)}
	left := w.left()
	record := func(t schedule.Task) schedule.Cost {
		cost := left(t)
		from := t.Start
		if t.Running != nil || !from.Known() {
			from = w.s.At
		}
		c.asked[attempt{t.Job, t.Index, t.Attempt, t.Kind}] = asked{cost, from}
		c.nodes[int32(t.Slot)] = int32(t.Node)
		return cost
	}
	var err error
	c.s, err = schedule.Replay(w.s, record, schedule.Options{Fault: w.fault})
	return c, err
}

// at is the moment at an instant that is not before now. What starts then has not.
func (c *course) at(t dag.Instant) *moment {
	m := &moment{s: copied(c.w.s), running: make(map[attempt]schedule.Cost)}
	m.s.At = t
	attempts := make([][2][]dag.Attempt, len(m.s.Jobs))
	maps := make([]dag.Instant, len(m.s.Jobs)) // when the last map ends
	for j := range m.s.Jobs {
		for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
			for _, a := range m.s.Jobs[j].Phase(k).Attempts {
				if a.State != dag.AttemptRunning && a.State != dag.AttemptWaiting {
					attempts[j][k] = append(attempts[j][k], a)
				}
			}
		}
	}
	for i := range c.s.Spans {
		if sp := &c.s.Spans[i]; sp.Kind == dag.Map && sp.Outcome == schedule.OK {
			maps[sp.Job] = max(maps[sp.Job], sp.End)
		}
	}
	for i := range c.s.Spans {
		sp := &c.s.Spans[i]
		if sp.Kind > dag.Reduce || sp.Past || sp.Start >= t {
			continue
		}
		for n := range sp.Count {
			attempts[sp.Job][sp.Kind] = append(attempts[sp.Job][sp.Kind], c.attempt(m, sp, n, maps[sp.Job]))
		}
	}
	for j := range m.s.Jobs {
		for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
			list := attempts[j][k]
			slices.SortStableFunc(list, func(a, b dag.Attempt) int {
				return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
			})
			m.s.Jobs[j].Phase(k).Attempts = list
		}
		c.state(m, j)
	}
	return m
}

// attempt is task n of a span as it stands.
func (c *course) attempt(m *moment, sp *schedule.Span, n int32, maps dag.Instant) dag.Attempt {
	t, nan := m.s.At, math.NaN()
	a := dag.Attempt{
		Task: sp.First + n, Number: sp.Attempt, Slot: sp.Slots[n], Node: -1, Start: sp.Start, End: sp.End,
		Done: [dag.Pipelines]float64{nan, nan, nan}, Total: [dag.Pipelines]float64{nan, nan, nan}, Out: nan, Bytes: nan, Ratio: nan,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, First: dag.Mark{At: dag.NoInstant}, Last: dag.Mark{At: dag.NoInstant}, FirstReport: dag.NoInstant,
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
		cost := schedule.Cost{Work: c.naturalEnd(sp, maps).Sub(t), Same: 1}
		if was, ok := c.of(sp); ok && sp.Kind == dag.Reduce && maps > t {
			cost = was.cost
			cost.Setup, cost.Same = max(was.start.Add(was.cost.Setup).Sub(t), 0), 1
		} else if sp.Kind == dag.Reduce {
			a.CopyEnd = t
		}
		m.running[attempt{int(sp.Job), int(a.Task), int(a.Number), sp.Kind}] = cost
	}
	return a
}

// of is what a span's tasks were said to cost. A replay may ask once for several tasks that start together, and let each of them be a
// span where one fails.
func (c *course) of(sp *schedule.Span) (asked, bool) {
	for i := int(sp.First); i >= 0 && i > int(sp.First)-mostTogether; i-- {
		was, ok := c.asked[attempt{int(sp.Job), i, int(sp.Attempt), sp.Kind}]
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
func (c *course) naturalEnd(sp *schedule.Span, maps dag.Instant) dag.Instant {
	was, ok := c.of(sp)
	if sp.Outcome != schedule.Fails || !ok {
		return sp.End
	}
	ready := was.start.Add(was.cost.Setup)
	if sp.Kind == dag.Reduce {
		ready = max(ready, maps)
	}
	return max(ready.Add(was.cost.Work), sp.End)
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
		js.HeldMB = c.w.s.Plan.Jobs[j].Limits.AMMB
	}
}

// world goes on from the moment, with what is left of what runs.
func (m *moment) world(w *world) *world {
	left := w.left()
	from := *w
	from.s = m.s
	from.replayed = func(t schedule.Task) schedule.Cost {
		if t.Running != nil {
			if cost, ok := m.running[attempt{t.Job, t.Index, t.Attempt, t.Kind}]; ok {
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
