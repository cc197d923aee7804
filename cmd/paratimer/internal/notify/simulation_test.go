package notify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestSimulation plays random troubles in virtual time: watchers that are killed, one or two, with one state folder or
// two; observations that fail, disks that are full, clocks that are set, other ends that are down, fail, ask for
// patience or hang. Nothing is lost, no receiver with idempotency keys gets a notification twice, and there is none
// about a query that was on time by a margin.
func TestSimulation(t *testing.T) {
	schedules := fixtures.Long(2_000, 10_000)
	switch {
	case raceEnabled:
		schedules = 300
	case testing.Short():
		schedules = 1_000
	}
	var sum tally
	var group errgroup.Group
	var mu sync.Mutex
	const share = 50
	group.SetLimit(runtime.GOMAXPROCS(0))
	for first := 0; first < schedules; first += share {
		group.Go(func() error {
			var part tally
			for seed := range share {
				if err := simulate(uint64(first+seed), &part); err != nil {
					return fmt.Errorf("seed %d: %w", first+seed, err)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			sum.add(part)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d schedules: %+v", schedules, sum)
	if sum.Killed == 0 || sum.Exact == 0 || sum.Late == 0 || sum.OnTime == 0 || sum.Twice == 0 || sum.Steps == 0 ||
		sum.Full == 0 || sum.Shared == 0 || sum.Fired == 0 {
		t.Errorf("some trouble never happened: %+v", sum)
	}
}

// A tally counts the events of all schedules.
type tally struct {
	Queries, Late, OnTime int
	Killed                int // processes
	Twice                 int // messages that came again under the same key
	Exact                 int // sequences compared with the reference
	Steps, Full, Shared   int // clocks set, disks full, folders shared
	Fired                 int // that fired, and were counted at an Alertmanager without a fault
}

func (t *tally) add(o tally) {
	t.Queries, t.Late, t.OnTime = t.Queries+o.Queries, t.Late+o.Late, t.OnTime+o.OnTime
	t.Killed, t.Twice, t.Exact = t.Killed+o.Killed, t.Twice+o.Twice, t.Exact+o.Exact
	t.Steps, t.Full, t.Shared = t.Steps+o.Steps, t.Full+o.Full, t.Shared+o.Shared
	t.Fired += o.Fired
}

const tickEvery = 30 * time.Second

// healing is enough for the longest back-off, and for what Alertmanager lets expire.
const healing = 15 * time.Minute

func simulate(seed uint64, sum *tally) (err error) {
	rng := rand.New(rand.NewPCG(seed, 20261121))
	w := &environment{rng: rng, risk: []float64{0, 0.01, 0.05}[rng.IntN(3)]}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, strings.Join(w.log, "\n"))
		}
	}()
	queries := drawQueries(rng)
	processes, shared := drawProcesses(w, queries)
	last := time.Duration(0)
	for _, q := range queries {
		last = max(last, q.start+q.length)
	}
	for ; w.time < last+3*time.Minute; w.time += tickEvery {
		w.trouble(processes, sum)
		for _, p := range processes {
			p.tick(queries)
		}
		if err := firing(w, processes, queries); err != nil {
			return err
		}
	}
	// The faults end, and the queries are observed again.
	w.calm, w.full = true, false
	w.logf("calm")
	for end := w.time + healing; w.time < end; w.time += time.Minute {
		for _, p := range processes {
			p.tick(queries)
		}
	}
	for _, p := range processes {
		sum.Killed += p.killed
	}
	if shared {
		sum.Shared++
	}
	return verify(processes, queries, shared, sum)
}

func drawQueries(rng *rand.Rand) []*query {
	queries := make([]*query, 1+rng.IntN(2))
	for i := range queries {
		due := time.Duration(4+rng.IntN(6)) * time.Minute
		q := &query{
			id: fmt.Sprintf("wf-%d", i+1), start: time.Duration(rng.IntN(120)) * time.Second, due: due,
			seed: rng.Uint64(),
			length: time.Duration(float64(due) * []float64{0.3, 0.5, 0.9, 1, 1.1, 1.3, 2}[rng.IntN(7)] * (0.95 +
				0.1*rng.Float64())),
			noise: []float64{0, 0.05, 0.2}[rng.IntN(3)],
		}
		q.bounds = []alert.Bound{{Name: "deadline", Kind: alert.Deadline, At: at(q.start + due), Hold: 1 + rng.IntN(3)}}
		queries[i] = q
	}
	return queries
}

// drawProcesses draws one watcher, or two with a receiver each unless they share a folder: only
// then do they know of each other.
func drawProcesses(w *environment, queries []*query) (all []*process, shared bool) {
	am := &board{
		end: end{w: w}, until: map[string]time.Time{}, since: map[string]time.Duration{},
		rang: map[string]int{},
	}
	am.take = am.read
	kind := w.rng.IntN(3)
	shared = kind == 1
	var f *folder
	var h *hook
	for i := range 1 + min(kind, 1) {
		if f == nil || !shared {
			f = &folder{w: w, files: map[string]*state.Workflow{}, locks: map[string]*process{}}
			h = &hook{end: end{w: w}, keys: map[string]bool{}, sent: map[string][]string{}}
			h.take = h.read
		}
		p := &process{
			name: fmt.Sprintf("watcher %d", i+1), w: w, folder: f, am: am, hook: h, checked: true,
			model: map[*query]*expected{},
		}
		p.misses = []float64{0, 0.1, 0.5}[w.rng.IntN(3)]
		for _, q := range queries {
			p.model[q] = &expected{}
		}
		all = append(all, p)
	}
	return all, shared
}

// trouble draws what goes wrong from now on.
func (w *environment) trouble(processes []*process, sum *tally) {
	if w.rng.Float64() < 0.02 {
		w.full = !w.full
		w.logf("disks are full: %v", w.full)
		sum.Full++
	}
	if w.rng.Float64() < 0.01 {
		w.stepped = true
		w.step = time.Duration(w.rng.IntN(3)-1) * time.Hour
		w.logf("clock is off by %v", w.step)
		sum.Steps++
	}
	ends := []*end{&processes[0].am.end}
	for _, p := range processes {
		ends = append(ends, &p.hook.end)
	}
	for _, e := range ends {
		if w.rng.Float64() < 0.05 {
			e.mood, e.after = moods[w.rng.IntN(len(moods))], 5+w.rng.IntN(60)
			e.failed = e.failed || e.mood != ""
			w.logf("the other end: %q", e.mood)
		}
	}
	for _, p := range processes {
		if p.d != nil && w.rng.Float64() < w.risk {
			w.logf("%s is killed", p.name)
			p.kill()
		}
	}
}

func (p *process) tick(queries []*query) {
	if p.d == nil {
		if p.w.time < p.downUntil && !p.w.calm {
			return
		}
		if !p.act(p.start) {
			return
		}
	}
	for _, q := range queries {
		if p.d != nil {
			p.see(q)
		}
	}
	if p.d != nil {
		p.act(func() { p.d.Flush(context.Background()) })
	}
}

// settled is how long after the last trouble of it an alert must be on the board: a back-off, a repost and two ticks.
const settled = 4 * time.Minute

// firing checks that alerts that a watcher sent and that still apply are on the board, once Alertmanager has been well
// for a while.
func firing(w *environment, processes []*process, queries []*query) error {
	am := processes[0].am
	if am.mood != "" {
		am.since = map[string]time.Duration{}
		return nil
	}
	for _, q := range queries {
		isFiring := false
		for _, p := range processes {
			isFiring = isFiring || p.d != nil && p.parts[q] != nil && p.parts[q].s.Bounds["deadline"].State.Firing()
		}
		since, is := am.since[q.id]
		switch {
		case !isFiring:
			delete(am.since, q.id)
		case !is:
			am.since[q.id] = w.time
		case w.time-since > settled && len(processes) == 1 && !am.fires(q.id):
			return fmt.Errorf("%s has fired since %v, and Alertmanager is well, but has no alert", q.id, since)
		}
	}
	return nil
}

// form lists the possible notifications about one query, in order.
var form = regexp.MustCompile(`^((at_risk |late |at_risk late )resolved )*$`)

func verify(processes []*process, queries []*query, shared bool, sum *tally) error {
	am := processes[0].am
	// A watcher that is killed while the disk is full loses its sent and pending notifications, also for watchers that
	// share its folder.
	forgot := slices.ContainsFunc(processes, func(p *process) bool { return !p.checked })
	for _, q := range queries {
		sum.Queries++
		if am.fires(q.id) && !forgot {
			return fmt.Errorf("%s has ended, but fires", q.id)
		}
		seen := false // by a process that still has its state
		for _, p := range processes {
			seen = seen || p.model[q].seen && p.checked && !(shared && forgot)
		}
		if q.late() && seen {
			sum.Late++
			if am.rang[q.id] == 0 {
				return fmt.Errorf("%s was late, without an alert in Alertmanager", q.id)
			}
		}
		if q.onTime() {
			sum.OnTime++
			if am.rang[q.id] > 0 {
				return fmt.Errorf("%s was on time by a margin, and Alertmanager got an alert", q.id)
			}
		}
		// Who is alone, lives, and finds Alertmanager well rings once for each spell at most. A clock that is set back
		// ends an alert there for the time of one post.
		if p := processes[0]; len(processes) == 1 && p.killed == 0 && !am.failed && !p.w.stepped {
			n := p.model[q].fired()
			sum.Fired += n
			if am.rang[q.id] > n {
				return fmt.Errorf("%s rang %d times at Alertmanager, and fired %d times", q.id, am.rang[q.id], n)
			}
		}
		for _, p := range processes {
			got := p.hook.sent[q.id]
			text := strings.Join(append(slices.Clone(got), ""), " ")
			switch {
			case q.onTime() && len(got) > 0:
				return fmt.Errorf("%s was on time by a margin, and the notifications are %q", q.id, text)
			case q.late() && p.checked && !(shared && forgot) && p.model[q].seen && !strings.Contains(text, "late") &&
				!strings.Contains(text, "at_risk"):
				return fmt.Errorf("%s was late, and the notifications are %q", q.id, text)
			}
			if !p.checked || shared && forgot {
				continue
			}
			if !form.MatchString(text) {
				return fmt.Errorf("%s: notifications %q", q.id, text)
			}
			if shared {
				continue
			}
			sum.Exact++
			if want := p.model[q].expect; !slices.Equal(got, want) {
				return fmt.Errorf("%s: notifications %q, want %q", q.id, got, want)
			}
		}
	}
	for _, p := range processes {
		sum.Twice += p.hook.twice
		if p.checked && !shared && p.hook.twice > p.hook.unsaid {
			return fmt.Errorf("%s sent %d messages again, and had reason to %d times", p.name, p.hook.twice,
				p.hook.unsaid)
		}
	}
	return nil
}
