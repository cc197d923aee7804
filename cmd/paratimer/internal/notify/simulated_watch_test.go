package notify_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/dag"
)

// A query is a workflow of the simulated cluster: how long it takes and when it is due.
type query struct {
	id     string
	start  time.Duration // of the world's time
	length time.Duration
	due    time.Duration // after its start
	noise  float64
	bounds []alert.Bound
	seed   uint64
}

func (q *query) late() bool   { return q.length > q.due+q.due/50 }
func (q *query) onTime() bool { return q.length < q.due*6/10 }

func at(d time.Duration) dag.Instant { return dag.InstantOf(begin.Add(d)) }

// frame is a watcher's view of it; the same at the same time for every watcher.
func (q *query) frame(now time.Duration) frame.Frame {
	name := "nightly.pig"
	f := frame.Frame{At: frame.TimeOf(at(now)), Workflow: frame.Workflow{ID: &q.id, Name: &name, State: dag.Running}}
	elapsed := now - q.start
	spent := frame.SecondsOf(elapsed)
	f.ElapsedSeconds = &spent
	if elapsed >= q.length {
		f.Workflow.State = dag.Succeeded
		f.Headline.EndAt = frame.TimeOf(at(q.start + q.length))
		return f
	}
	rng := rand.New(rand.NewPCG(q.seed, uint64(now)))
	left := time.Duration(float64(q.length-elapsed) * (1 + q.noise*(2*rng.Float64()-1)))
	for _, k := range []int{90, 94, 97, 100, 103, 106, 110} {
		f.Left = append(f.Left, left*time.Duration(k)/100)
	}
	s := frame.SecondsOf(left)
	f.Headline.RemainingSeconds, f.Headline.EndAt = &s, frame.TimeOf(at(now+left))
	return f
}

// A process is a watcher that lives, is killed, and comes again.
type process struct {
	name   string
	w      *environment
	folder *folder
	am     *board
	hook   *hook
	misses float64 // how often it does not see

	d         *notify.Dispatcher
	parts     map[*query]*part
	downUntil time.Duration
	killed    int
	checked   bool // the notifications can be predicted: no stored one was lost
	model     map[*query]*expected

	unwritten map[string]bool // queries with a failed last write
	wrote     bool            // a write has succeeded in this frame
}

// A part is a query that a process watches.
type part struct {
	w     *notify.Watch
	s     alert.State
	last  frame.Frame
	began bool
	over  bool
}

// repostEvery is the simulated watchers' repost.
const repostEvery = time.Minute

func (p *process) start() {
	client := func(e http.RoundTripper) *http.Client { return &http.Client{Transport: e} }
	am, err := notify.NewAlertmanager("http://am", repostEvery, client(&p.am.end), p.w.wall)
	if err != nil {
		panic(err)
	}
	hook, err := notify.NewWebhook("http://hook", "", nil, client(&p.hook.end))
	if err != nil {
		panic(err)
	}
	p.d = notify.New(notify.Config{
		Store: p.folder, Sinks: []*notify.Sink{am, hook}, Repost: repostEvery, Now: p.w.wall, Log: zerolog.Nop(),
		Steady: func() time.Duration { return p.w.time + time.Hour },
	})
	p.parts, p.unwritten = map[*query]*part{}, map[string]bool{}
	p.w.logf("%s starts", p.name)
	p.d.Resume(context.Background())
}

// act does something that the process may be killed in.
func (p *process) act(what func()) (survived bool) {
	p.w.now = p
	defer func() {
		p.w.now = nil
		r := recover()
		if r == nil {
			return
		}
		if _, ok := r.(crash); !ok {
			panic(r)
		}
		p.kill()
	}()
	what()
	return true
}

func (p *process) kill() {
	if len(p.unwritten) > 0 {
		p.checked = false // its sent alerts are stored nowhere
	}
	p.folder.free(p)
	p.d, p.downUntil = nil, p.w.time+time.Duration(p.w.rng.IntN(200))*time.Second
	p.killed++
	p.hook.unsaid++
}

// see looks at a query and keeps what follows, as the loop does.
func (p *process) see(q *query) {
	t := p.parts[q]
	if t == nil {
		t = &part{w: p.d.Watch(nil)}
		p.parts[q] = t
	}
	if t.over || p.w.time < q.start {
		return
	}
	f := q.frame(p.w.time)
	if !p.w.calm && p.w.rng.Float64() < p.misses {
		if !t.began {
			return
		}
		f = t.last
		f.StaleSeconds = 20
	} else {
		t.last = f
	}
	if !t.began {
		t.s, t.began = t.w.Recall(f), true
	}
	var alerts []frame.Alert
	t.s, alerts = alert.Step(q.bounds, t.s, f)
	f.Alerts = alerts
	p.wrote = false
	kept := p.act(func() {
		t.w.Keep(t.s, f)
	})
	if kept || p.wrote { // killed before it was written, it has not happened
		p.model[q].follow(alerts[0])
	}
	if kept && f.Workflow.State.Ended() {
		t.over = true
		p.act(t.w.Close)
	}
}

// An expected is the reference: the notifications that a query must cause, in order, computed as simply as possible.
type expected struct {
	state  string   // "", "at_risk" or "late": notified and not resolved
	seen   bool     // before its end
	done   bool     // its end has been sent
	expect []string // all expected notifications
}

func (m *expected) follow(a frame.Alert) {
	switch a.State {
	case frame.OnTrack:
		m.seen = true
		if m.state != "" {
			m.expect, m.state = append(m.expect, "resolved"), ""
		}
	case frame.AtRisk:
		m.seen = true
		if m.state == "" {
			m.expect, m.state = append(m.expect, "at_risk"), "at_risk"
		}
	case frame.Late:
		m.seen = true
		if m.state != "late" {
			m.expect, m.state = append(m.expect, "late"), "late"
		}
	case frame.Ended:
		if m.state == "" && !m.done && m.seen && a.Outcome != nil && *a.Outcome == frame.Missed {
			m.expect, m.state = append(m.expect, "late"), "late"
		}
		if m.state != "" {
			m.expect, m.state = append(m.expect, "resolved"), ""
		}
		m.done = true
	}
}

// fired returns how often it fired, from on track and back.
func (m *expected) fired() int {
	n := 0
	for i, what := range m.expect {
		if what != "resolved" && (i == 0 || m.expect[i-1] == "resolved") {
			n++
		}
	}
	return n
}
