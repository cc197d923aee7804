package cost

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// expectedLoad returns the load of the run's newest snapshot, completed with the expected work of other applications.
// If an application's own master reports its need, needOf completes it. An application that has done nothing yet counts
// as a typical job (typicalNeed). For any other, the end follows from the rate of its progress while it was watched,
// else since its submission. setup is the start-up time of a task here, in milliseconds.
func expectedLoad(run dag.Run, plan *dag.Plan, setup float64) []dag.Load {
	s := run.Now()
	out := slices.Clone(s.Load)
	// Computed once: there may be thousands of other applications.
	stranger := sync.OnceValue(func() *dag.Need { return typicalNeed(run, plan) })
	job := sync.OnceValue(func() float64 { return taskcost.MS(typicalJob(s)) })
	for i := range out {
		l := &out[i]
		if l.Need = needOf(run, setup, l); l.Need != nil {
			continue
		}
		switch {
		case l.HeldMB == 0:
			l.Need = stranger()
			continue
		case !(l.Progress >= 2*setupRatio):
			l.Need = begunNeed(*stranger(), l)
			continue
		}
		since, was := l.Submitted, 0.0
		for _, old := range run.Window {
			if o := old.Other(l.ID); o != nil && o.Progress > 0 && s.At.Sub(old.At) >= leastStall {
				since, was = old.At, o.Progress
				break
			}
		}
		if gain := l.Progress - was; gain > 0.02 && since.Known() && s.At > since {
			left := float64(s.At-since) * (1 - l.Progress) / gain
			// The less it has done, the less its own rate counts.
			left = l.Progress*left + (1-l.Progress)*job()
			l.Until = s.At.Add(time.Duration(min(left, taskcost.MostMS)) * time.Millisecond)
		}
	}
	return out
}

// typicalJob returns the mean length of this run's finished jobs, half a minute if there are none.
func typicalJob(s *dag.Snapshot) time.Duration {
	sum, n := time.Duration(0), 0
	for j := range s.Jobs {
		js := &s.Jobs[j]
		if from := firstStart(&js.Stages[dag.Map]); js.State == dag.Succeeded && from.Known() && js.Finished.Known() &&
			js.Finished > from {
			sum += js.Finished.Sub(from)
			n++
		}
	}
	if n == 0 {
		return 30 * time.Second
	}
	return sum / time.Duration(n)
}

// typicalNeed returns the expected need of an application without any data: the mean number of tasks of all known
// jobs, our own and those of other applications with reported needs. Its tasks are as long as this run's tasks.
func typicalNeed(run dag.Run, plan *dag.Plan) *dag.Need {
	var n dag.Need
	reported := reportedNeeds(run)
	for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
		p := needPhase(&n, k)
		sum := 0
		for j := range plan.Jobs {
			sum += plan.Jobs[j].Stages[k].Count()
			p.TaskMB = max(p.TaskMB, plan.Jobs[j].TaskMB(k))
		}
		for _, o := range reported {
			sum += needPhase(o, k).Tasks
		}
		p.Tasks = int(math.Round(float64(sum) / float64(max(len(plan.Jobs)+len(reported), 1))))
		// The median of a mean: other applications' tasks are as skewed as drawLoad draws them, and an estimate should
		// be too long as often as too short.
		p.LengthMS = math.Exp(-loadSigma*loadSigma/2) * typicalTask(run.Now(), k)
		p.TaskMB = cmp.Or(p.TaskMB, dag.DefaultMB)
	}
	return &n
}

// reportedNeeds returns the newest needs of all other applications in the window.
func reportedNeeds(run dag.Run) []*dag.Need {
	var out []*dag.Need
	seen := map[string]bool{}
	for i := len(run.Window) - 1; i >= 0; i-- {
		loads := run.Window[i].Load
		for k := range loads {
			if o := &loads[k]; o.Need != nil && !seen[o.ID] {
				seen[o.ID] = true
				out = append(out, o.Need)
			}
		}
	}
	return out
}

// begunNeed returns a typical need for an application with a master: its maps are those that it runs and requests.
func begunNeed(n dag.Need, l *dag.Load) *dag.Need {
	running, waits := max(0, l.HeldMB-l.MasterMB)/n.Map.TaskMB, max(0, l.PendingMB)/n.Map.TaskMB
	if running+waits > 0 {
		n.Map.Tasks, n.Map.Running, n.Map.Progress = running+waits, running, math.NaN()
	}
	return &n
}

// loadWarnings lists other applications with unknown needs, and warns if the scheduler may preempt containers of ours.
func loadWarnings(s *dag.Snapshot) []dag.Warning {
	var out []dag.Warning
	add := func(format string, args ...any) {
		out = append(out, dag.Warningf(dag.WarnOtherLoad, format, args...))
	}
	var unknown []string
	for i := range s.Load {
		if s.Load[i].Need == nil {
			unknown = append(unknown, s.Load[i].Title())
		}
	}
	switch all, n := len(s.Load), len(unknown); {
	case all == 0:
	case n == 0:
		add("what other applications have left to do is known from their own masters")
	default:
		names := strings.Join(unknown[:min(n, taskcost.Named)], ", ")
		if n > taskcost.Named {
			names += fmt.Sprintf(" and %d more", n-taskcost.Named)
		}
		add("%d of %d other applications report no progress, so their remaining work is a guess: %s", n, all, names)
	}
	if over := preemptableMB(s); over > 0 {
		add("queue %s uses %d MB more than its guarantee while others wait: the scheduler may preempt containers, "+
			"and what ran in them runs again", s.Queue, over)
	}
	return out
}

// preemptableMB returns the memory that the scheduler may preempt from our queue: the memory above its share, if
// another queue below its own share requests some.
func preemptableMB(s *dag.Snapshot) int {
	q := s.QueueNamed(s.Queue)
	if q == nil || !q.Preempted || q.ShareMB <= 0 {
		return 0
	}
	held, wants := map[string]int{}, map[string]bool{}
	for j := range s.Jobs {
		held[s.Queue] += s.Jobs[j].HeldMB
	}
	for i := range s.Load {
		l := &s.Load[i]
		held[l.Queue] += l.HeldMB
		wants[l.Queue] = wants[l.Queue] || l.PendingMB > 0
	}
	for i := range s.Load {
		l := &s.Load[i]
		share := l.ShareMB
		if o := s.QueueNamed(l.Queue); o != nil {
			share = o.ShareMB
		}
		if l.Queue != s.Queue && wants[l.Queue] && held[l.Queue] < share {
			return max(0, held[s.Queue]-q.ShareMB)
		}
	}
	return 0
}

// Standard deviations of the logarithms of other applications' expected times.
const (
	loadSigma       = 0.7  // an application
	sharedLoadSigma = 0.25 // common to all applications: others come and go while we run
)

// drawLoad returns the load of one draw: from an instant on, applications take longer or shorter than expected.
func drawLoad(d estimators.Draws, all []dag.Load, now dag.Instant) []dag.Load {
	if len(all) == 0 {
		return all
	}
	out := slices.Clone(all)
	shared := estimators.LogNormal(d.Common(estimators.ForOther, -1, 0), sharedLoadSigma)
	for i := range out {
		l, f := &out[i], estimators.LogNormal(d.Common(estimators.ForOther, i, 0), loadSigma)
		if l.Until.Known() && l.Until > now {
			l.Until = now.Add(taskcost.Duration(taskcost.MS(l.Until.Sub(now)) * f))
		}
		l.Length = taskcost.Duration(taskcost.MS(l.Length) * f)
		if l.Need == nil {
			continue
		}
		need := *l.Need
		for _, p := range [...]*dag.NeedPhase{&need.Map, &need.Reduce} {
			p.LengthMS = min(p.LengthMS*shared*f, taskcost.MostMS/2)
		}
		l.Need = &need
	}
	return out
}

// Tasks may wait for a reason that no API shows: others' containers in the history of one job, a limit, a scheduler
// that does not respond. If nothing has started or ended for leastStall, and the replay would start something soon
// and before anything ends, the run is stalled.
const leastStall = 15 * time.Second

// findStall finds the time for which nothing has started although it could; 0: the run is not stalled. It is expected
// to last as long again. If only the age of a wait is known, the rest is longer than x times that age with probability
// 1/(1+x) (J. R. Gott, "Implications of the Copernican principle for our future prospects", Nature 363, 1993, equation
// 1), and half of the waits end within their age.
func (m *Model) findStall() {
	s := m.s
	if m.given || s.Plan.Cluster.Policy == dag.FIFO || s.State.Ended() {
		return
	}
	since := lastChange(s)
	if !since.Known() || s.At.Sub(since) < leastStall {
		return
	}
	plan, err := schedule.Replay(s, m.left, schedule.Options{Until: s.At.Add(taskcost.Heartbeat), FutureOnly: true})
	if err == nil && startsAtOnce(s, plan) { // the replay to the end returns the error
		m.stalled = s.At.Sub(since)
		s.NextContainer = s.At.Add(m.stalled)
	}
}

// startsAtOnce reports whether a task or master of a submitted job starts before anything that runs has ended: it
// needs only resources that are free already.
func startsAtOnce(s *dag.Snapshot, plan *schedule.Schedule) bool {
	start, end := dag.Instant(math.MaxInt64), dag.Instant(math.MaxInt64)
	for i := range plan.Spans {
		switch sp := &plan.Spans[i]; {
		case sp.Count == 0 || !s.Jobs[sp.Job].Submitted.Known():
		case sp.Start >= plan.Now:
			start = min(start, sp.Start)
		case sp.End.Known():
			end = min(end, sp.End)
		}
	}
	for j, t := range plan.Mastered {
		if t.Known() && t >= plan.Now && s.Jobs[j].Submitted.Known() {
			start = min(start, t)
		}
	}
	return start < min(end, dag.Instant(math.MaxInt64))
}

// lastChange returns when a task or a job last started or ended; NoInstant if none has.
func lastChange(s *dag.Snapshot) dag.Instant {
	last := dag.NoInstant
	for j := range s.Jobs {
		js := &s.Jobs[j]
		last = max(last, js.Submitted, js.Started, js.Finished)
		for _, a := range js.All() {
			last = max(last, a.Start, a.End)
		}
	}
	return last
}
