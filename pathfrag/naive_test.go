package pathfrag_test

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// naive is rounds, fragments and critical path as facts/paratimer.md A2, A3 and A10 define them, task by task,
// with no thought of speed.
type naive struct {
	plan           *dag.Plan
	delta1, delta2 int64
	attempts       []*naiveTask
	rounds         []*naiveRound
	fragments      []*naiveFragment
}

type naiveTask struct {
	job, index, attempt int
	kind                dag.StageIndex
	slot                int32
	start, end          int64
	fails               bool
	round               *naiveRound
	before              *naiveTask // the attempt before it in its slot
}

type naiveRound struct {
	id    int
	kind  dag.StageIndex
	tasks []*naiveTask
	frag  *naiveFragment
}

type naiveFragment struct {
	id, width int
	closed    bool
	rounds    []*naiveRound
}

func newNaive(plan *dag.Plan, s *schedule.Schedule, par pathfrag.Params) *naive {
	n := &naive{plan: plan, delta1: par.Delta1.Milliseconds(), delta2: par.Delta2.Milliseconds()}
	for _, sp := range s.Spans {
		for i := range sp.Count {
			n.attempts = append(n.attempts, &naiveTask{
				job: int(sp.Job), index: int(sp.First + i), attempt: int(sp.Attempt), kind: sp.Stage, slot: sp.Slots[i],
				start: int64(sp.Start), end: int64(sp.End), fails: sp.Outcome == schedule.Fails,
			})
		}
	}
	slices.SortStableFunc(n.attempts, func(a, b *naiveTask) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.job, b.job),
			cmp.Compare(a.index, b.index))
	})
	type place struct {
		kind dag.StageIndex
		slot int32
	}
	last := map[place]*naiveTask{}
	for _, a := range n.attempts {
		a.before = last[place{a.kind, a.slot}]
		last[place{a.kind, a.slot}] = a
	}
	n.cut()
	n.chain()
	return n
}

func (n *naive) cut() {
	for _, a := range n.attempts {
		if a.fails {
			continue
		}
		i := slices.IndexFunc(n.rounds, func(r *naiveRound) bool { return n.fits(r, a) })
		if i < 0 {
			i = len(n.rounds)
			n.rounds = append(n.rounds, &naiveRound{kind: a.kind})
		}
		a.round = n.rounds[i]
		a.round.tasks = append(a.round.tasks, a)
	}
	slices.SortStableFunc(n.rounds, func(a, b *naiveRound) int {
		return cmp.Or(cmp.Compare(a.start(), b.start()), cmp.Compare(a.kind, b.kind),
			cmp.Compare(a.least(func(t *naiveTask) int { return t.job }),
				b.least(func(t *naiveTask) int { return t.job })),
			cmp.Compare(a.least(func(t *naiveTask) int { return t.index }),
				b.least(func(t *naiveTask) int { return t.index })))
	})
	for i, r := range n.rounds {
		r.id = i
		slices.SortFunc(r.tasks, func(a, b *naiveTask) int {
			return cmp.Or(cmp.Compare(a.job, b.job),
				cmp.Compare(a.index, b.index))
		})
	}
}

func (n *naive) fits(r *naiveRound, a *naiveTask) bool {
	if r.kind != a.kind || slices.ContainsFunc(r.tasks, func(t *naiveTask) bool { return t.slot == a.slot }) {
		return false
	}
	with := naiveRound{tasks: append(slices.Clone(r.tasks), a)}
	firstEnd, lastStart := a.end, a.start
	for _, t := range with.tasks {
		firstEnd, lastStart = min(firstEnd, t.end), max(lastStart, t.start)
	}
	return lastStart-with.start() <= n.delta1 && with.end()-firstEnd <= n.delta1
}

func (r *naiveRound) start() int64 {
	t := r.tasks[0].start
	for _, x := range r.tasks {
		t = min(t, x.start)
	}
	return t
}

func (r *naiveRound) end() int64 {
	t := r.tasks[0].end
	for _, x := range r.tasks {
		t = max(t, x.end)
	}
	return t
}

func (r *naiveRound) least(of func(*naiveTask) int) int {
	v := of(r.tasks[0])
	for _, t := range r.tasks {
		v = min(v, of(t))
	}
	return v
}

func (n *naive) chain() {
	groups := map[int64][]*naiveRound{}
	for _, r := range n.rounds {
		groups[r.start()] = append(groups[r.start()], r)
	}
	for _, start := range slices.Sorted(maps.Keys(groups)) {
		type pair struct {
			f        *naiveFragment
			b        *naiveRound
			handoffs int
		}
		var pairs []pair
		for _, f := range n.fragments {
			for _, b := range groups[start] {
				if h := n.continues(f, b); h > 0 {
					pairs = append(pairs, pair{f, b, h})
				}
			}
		}
		slices.SortFunc(pairs, func(x, y pair) int {
			equal := func(p pair) int {
				if len(p.b.tasks) == p.f.width {
					return 0
				}
				return 1
			}
			return cmp.Or(cmp.Compare(equal(x), equal(y)), cmp.Compare(y.handoffs, x.handoffs),
				cmp.Compare(x.f.id, y.f.id), cmp.Compare(x.b.id, y.b.id))
		})
		used := map[*naiveFragment]bool{}
		for _, p := range pairs {
			if p.b.frag == nil && !used[p.f] {
				used[p.f] = true
				p.b.frag = p.f
				p.f.rounds = append(p.f.rounds, p.b)
				p.f.closed = len(p.b.tasks) < p.f.width
			}
		}
		for _, b := range groups[start] {
			if b.frag == nil {
				b.frag = &naiveFragment{id: len(n.fragments), width: len(b.tasks), rounds: []*naiveRound{b}}
				n.fragments = append(n.fragments, b.frag)
			}
		}
	}
}

// continues returns the number of slots that b takes over from f's last round, 0 if it does not continue f.
func (n *naive) continues(f *naiveFragment, b *naiveRound) int {
	a := f.rounds[len(f.rounds)-1]
	gap := b.start() - a.end()
	if a.kind != b.kind || f.closed || len(b.tasks) > f.width || gap < -n.delta1 || gap > n.delta2 {
		return 0
	}
	for _, r := range f.rounds {
		for _, x := range r.tasks {
			for _, y := range b.tasks {
				if n.depends(y.job, x.job) {
					return 0
				}
			}
		}
	}
	handoffs := 0
	for _, t := range b.tasks {
		if t.before != nil && t.before.round == a {
			handoffs++
		}
	}
	return handoffs
}

func (n *naive) depends(j, on int) bool {
	for _, a := range n.plan.Jobs[j].After {
		if a == on || n.depends(a, on) {
			return true
		}
	}
	return false
}

func (n *naive) names(r *naiveRound) (names []string) {
	for _, t := range r.tasks {
		names = append(names, n.plan.Jobs[t.job].Node+"."+dag.MapReduceName(t.kind)[:1]+strconv.Itoa(t.index+1)+
			strings.Repeat("'", t.attempt))
	}
	return names
}

func (n *naive) goldenRounds() (out []golden.Round) {
	for _, r := range n.rounds {
		out = append(out, golden.Round{
			ID: r.id, Type: dag.MapReduceName(r.kind), StartMS: r.start(), EndMS: r.end(),
			Width: len(r.tasks), Tasks: n.names(r),
		})
	}
	return out
}

func (n *naive) goldenFragments() (out []golden.Fragment) {
	for _, f := range n.fragments {
		g := golden.Fragment{Round: golden.Round{
			ID: f.id, Type: dag.MapReduceName(f.rounds[0].kind), Width: f.width, StartMS: f.start(), EndMS: f.end(),
		}}
		for _, r := range f.rounds {
			g.Rounds = append(g.Rounds, r.id)
			g.SumOfRoundDurationsMS += r.end() - r.start()
			g.Tasks = append(g.Tasks, n.names(r)...)
		}
		out = append(out, g)
	}
	return out
}

func (f *naiveFragment) start() int64 {
	t := f.rounds[0].start()
	for _, r := range f.rounds {
		t = min(t, r.start())
	}
	return t
}

func (f *naiveFragment) end() int64 {
	t := f.rounds[0].end()
	for _, r := range f.rounds {
		t = max(t, r.end())
	}
	return t
}

// path is facts/paratimer.md A3 by its words: substitute pairs of fragments that overlap until none do.
func (n *naive) path(now int64) (out []golden.Segment) {
	type interval struct {
		id         int
		start, end int64
		kind       string
	}
	var rest []interval
	for _, f := range n.fragments {
		if f.end() > now {
			rest = append(rest, interval{f.id, max(now, f.start()), f.end(), "full"})
		}
	}
	for len(rest) > 0 {
		slices.SortFunc(rest, func(a, b interval) int {
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.id, b.id))
		})
		s := rest[0]
		out = append(out, golden.Segment{Fragment: s.id, Kind: s.kind, StartMS: s.start, EndMS: s.end})
		var left []interval
		for _, x := range rest[1:] {
			if x.start < s.end {
				x.start, x.kind = s.end, "extra"
			}
			if x.start < x.end {
				left = append(left, x)
			}
		}
		rest = left
	}
	return out
}

func total(path []golden.Segment) time.Duration {
	ms := int64(0)
	for _, s := range path {
		ms += s.EndMS - s.StartMS
	}
	return time.Duration(ms) * time.Millisecond
}
