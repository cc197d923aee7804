package cost

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A pause is time in which the driver works alone and no task can run: before stage k of job j, or after its last
// task (dag.NoStage).
type pause struct {
	j        int
	k        dag.StageIndex
	expected time.Duration
	waited   time.Duration // how much of it has passed
}

// rest returns how long the driver is expected to work on. If it is late, it is expected to need half of its delay
// again.
func (p *pause) rest() time.Duration {
	if left := p.expected - p.waited; left >= 0 {
		return left
	}
	return ((p.waited - p.expected) / 2).Truncate(time.Millisecond)
}

// driverPauses sets the pauses of the driver, the program that submits stages, in the plan: those that this run has
// had, and for the rest of the run those of the profile.
func (m *Model) driverPauses() {
	for j := range m.s.Plan.Jobs {
		js, known := &m.s.Jobs[j], m.profile.Job(j)
		running := js.Submitted.Known() && !js.State.Ended()
		left := false
		for k := range m.stages[j] {
			st := &m.stages[j][k]
			left = left || st.state.Succeeded() < st.plan.Count()
			if own := st.plan.Pause; st.open {
				st.plan.Pause = taskcost.Duration(st.pause)
			} else if was := profiles.Stage(known, st.plan.Name); was != nil || own > 0 {
				p := pause{j: j, k: st.k, expected: own}
				if own == 0 {
					p.expected = was.Pause
				}
				if st.opens.Known() && running {
					p.waited = max(0, m.s.At.Sub(st.opens))
				}
				m.expect(&st.plan.Pause, p)
			}
		}
		if running {
			m.learnFinish(j, left)
		}
	}
}

// learnFinish expects the driver to work after its last task for as long as in the profile's run. A pause shorter
// than taskcost.Notable is scaled by the pace of overhead.
func (m *Model) learnFinish(j int, left bool) {
	o := &m.s.Plan.Overheads
	p := pause{j: j, k: dag.NoStage, expected: cmp.Or(o.Finish, m.profile.Overheads().Finish)}
	if p.expected < taskcost.Notable {
		p.expected = min(taskcost.Duration(taskcost.MS(p.expected)*m.pace.loaded), taskcost.Notable)
	}
	if last := m.s.Jobs[j].LastSuccess(); !left && last.Known() {
		p.waited = max(0, m.s.At.Sub(last))
	}
	m.expect(&o.Finish, p)
}

// expect enters a current or future pause into the plan. A pause that no earlier run had counts only once it has
// become long.
func (m *Model) expect(in *time.Duration, p pause) {
	least := taskcost.Notable
	if p.k == dag.NoStage {
		least = time.Millisecond
	}
	if p.expected <= 0 && (p.waited < least || m.s.Plan.Open) {
		return
	}
	*in = p.waited + p.rest()
	m.pauses = append(m.pauses, p)
}

// between has the pauses of this run in which none of its tasks run: from a job's submission to its
// first task, from one wave of jobs to the next, and from a job's last task to its end. JVM starts are most of this
// time, so it shows the pace of overhead.
type between struct {
	pauses [3]shownPause // of the kinds of fields
	waited time.Duration // how long a job without remaining tasks has waited for its end; 0: none waits
}

// The kinds of pauses.
const (
	launchPause = iota
	wavePause
	finishPause
)

// fields returns the fields of overheads for the kinds of pauses.
func (*between) fields(o *dag.Overheads) [3]*time.Duration {
	return [...]*time.Duration{&o.Launch, &o.Wave, &o.Finish}
}

// A shownPause is the expected length of one kind of pause, and the pauses that this run has had, oldest first.
type shownPause struct {
	expected time.Duration
	had      []time.Duration
}

// mean returns the mean of the pauses that the run has had, in milliseconds, and their number; 0 if there was none.
func (p *shownPause) mean() (ms, n float64) {
	for _, d := range p.had {
		ms, n = ms+taskcost.MS(d), n+1
	}
	return ms / max(n, 1), n
}

// groups returns the pauses as observations of the pace of overhead.
func (b *between) groups() []group {
	var out []group
	for _, p := range b.pauses[:finishPause] {
		mean, n := p.mean()
		out = append(out, group{took: mean, over: taskcost.MS(p.expected), n: n, head: true, launch: true})
	}
	return out
}

// pausesOf returns the pauses of MapReduce jobs that the run has had.
func pausesOf(o *observations) *between {
	b := &between{}
	if !o.mapReduce || o.given {
		return b
	}
	for i, f := range b.fields(&o.s.Plan.Overheads) {
		b.pauses[i].expected = *f
	}
	if graph, err := dag.NewGraph(o.s.Plan); err == nil {
		before := dag.NoInstant
		for _, jobs := range graph.Levels() {
			before = b.observeWave(o, jobs, before)
		}
	}
	return b
}

// observeWave adds the pauses of jobs that may run at once. before is when the previous wave ended. It returns when
// the last job of this wave ended.
func (b *between) observeWave(o *observations, jobs []int, before dag.Instant) dag.Instant {
	quickest, restarted := time.Duration(-1), false
	first, last := dag.NoInstant, dag.NoInstant
	for _, j := range jobs {
		js := &o.s.Jobs[j]
		first = first.Earlier(js.Submitted)
		attempts := js.Stages[dag.Map].Attempts
		// A restarted master numbers attempts from 1000 on, and does not report the earlier ones.
		restarted = restarted || len(attempts) > 0 && attempts[0].Number >= 1000
		if start := firstStart(&js.Stages[dag.Map]); start.Known() && js.Submitted.Known() {
			// The other jobs of a wave may have waited for containers.
			if took := start.Sub(js.Submitted); quickest < 0 || took < quickest {
				quickest = took
			}
		}
		end := js.LastSuccess()
		if js.State == dag.Succeeded && end.Known() && js.Finished >= end {
			b.add(finishPause, js.Finished.Sub(end))
		}
		unfinished := func(st stage) bool { return len(st.ended) < st.n }
		if !js.State.Ended() && end.Known() && !slices.ContainsFunc(o.stages[j], unfinished) {
			b.waited = max(b.waited, o.s.At.Sub(end))
		}
		last = max(last, js.Finished)
	}
	if quickest >= 0 && !restarted {
		b.add(launchPause, quickest)
	}
	if before.Known() && first.Known() && first >= before {
		b.add(wavePause, first.Sub(before))
	}
	return last
}

func (b *between) add(kind int, took time.Duration) {
	b.pauses[kind].had = append(b.pauses[kind].had, took)
}

// firstStart returns the earliest start of the attempts of a stage; NoInstant if none has started.
func firstStart(s *dag.StageState) dag.Instant {
	t := dag.NoInstant
	for a := range s.All() {
		if a.Start.Known() && a.State != dag.AttemptWaiting {
			t = t.Earlier(a.Start)
		}
	}
	return t
}

// expect sets each pause of the plan to a mean: the pauses that this run has had, and the expected one at the
// run's pace of overhead, loaded. The expected one weighs as much as one pause of the run.
func (b *between) expect(o *dag.Overheads, loaded float64) {
	for i, f := range b.fields(o) {
		mean, n := b.pauses[i].mean()
		*f = taskcost.Duration((loaded*taskcost.MS(b.pauses[i].expected) + mean*n) / (1 + n))
	}
}

// drawBetween returns the snapshot of one draw at a pace of overhead, with pauses and load drawn.
func (m *Model) drawBetween(d estimators.Draws, over float64) *dag.Snapshot {
	out, plan := *m.s, *m.s.Plan
	out.Plan, out.Load = &plan, drawLoad(d, m.s.Load, m.s.At)
	if m.given {
		return &out
	}
	if m.stalled != 0 {
		// The rest is longer than x times the age of the stall with probability 1/(1+x): see findStall.
		rest := taskcost.MS(m.stalled) * (1/d.Common(estimators.ForPause, -1, 0) - 1)
		out.NextContainer = m.s.At.Add(taskcost.Duration(rest))
	}
	o, sigma, busy := &plan.Overheads, m.numbers.Pause, over/m.pace.loaded
	for i, f := range []*time.Duration{&o.Launch, &o.AMStart, &o.Wave, &o.Finish, &o.Handoff, &o.AMHold, &o.Copy} {
		z := estimators.Normal(d.Common(estimators.ForPause, i, 0))
		*f = taskcost.Duration(taskcost.MS(*f) * busy * math.Exp(sigma*z))
	}
	if waited := m.between.waited; waited > 0 {
		rest := estimators.NewRest(taskcost.MS(m.s.Plan.Overheads.Finish), taskcost.MS(waited),
			estimators.NewFactors(nil, sigma), 1)
		o.Finish = waited + taskcost.Duration(rest.At(d.Common(estimators.ForPause, 3, 0), busy))
	}
	return &out
}
