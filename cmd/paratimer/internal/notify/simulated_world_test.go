package notify_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
)

// An environment is everything outside the watchers, in virtual time: clock, disks and receivers. It is drawn from
// a seed and takes no real time.
type environment struct {
	rng  *rand.Rand
	time time.Duration // true time since the beginning
	step time.Duration // by how much the watchers' clock is off
	calm bool          // no more faults
	now  *process      // who runs
	risk float64       // of a crash at each operation
	full bool          // the disks
	// stepped is true if the watchers' clock was set.
	stepped bool
	log     []string
}

// begin is the true time at the beginning.
var begin = time.Date(2010, 6, 6, 9, 0, 0, 0, time.UTC)

func (w *environment) true() time.Time { return begin.Add(w.time) }
func (w *environment) wall() time.Time { return w.true().Add(w.step) }

func (w *environment) logf(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%8v ", w.time)+fmt.Sprintf(format, args...))
}

// A crash is the end of a process, as by kill -9: it is thrown in the middle of an operation.
type crash struct{}

// peril ends the process that runs, now and then.
func (w *environment) peril(where string) {
	if !w.calm && w.now != nil && w.rng.Float64() < w.risk {
		w.logf("%s is killed %s", w.now.name, where)
		panic(crash{})
	}
}

// A folder is a state folder.
type folder struct {
	w     *environment
	files map[string]*state.Workflow
	locks map[string]*process
}

var errFull = errors.New("no space left on device")

func (f *folder) Read(name string) (*state.Workflow, error) {
	wf := state.Workflow{Version: state.Version, Name: name}
	if was := f.files[name]; was != nil {
		wf = *was
		wf.Watched = maps.Clone(was.Watched)
	}
	return &wf, nil
}

func (f *folder) Update(name string, change func(*state.Workflow) error) error {
	wf, err := f.Read(name)
	if err != nil {
		return err
	}
	was := maps.Clone(wf.Watched)
	if err := change(wf); err != nil {
		return err
	}
	changed := ""
	for id, raw := range wf.Watched {
		if !bytes.Equal(raw, was[id]) {
			changed = id
		}
	}
	f.w.peril("before it has written")
	p := f.w.now
	if f.w.full {
		p.unwritten[changed] = true
		return errFull
	}
	f.files[name] = wf
	p.wrote = true
	delete(p.unwritten, changed)
	f.w.peril("when it has written")
	return nil
}

func (f *folder) List() ([]string, error) {
	var names []string
	for name := range f.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (f *folder) Elect(name string) (func(), error) {
	if f.locks[name] != nil {
		return nil, state.ErrLocked
	}
	me := f.w.now
	f.locks[name] = me
	return func() {
		if f.locks[name] == me {
			delete(f.locks, name)
		}
	}, nil
}

// free releases the locks of an ended process, as the kernel does.
func (f *folder) free(p *process) {
	for name, holder := range f.locks {
		if holder == p {
			delete(f.locks, name)
		}
	}
}

// An end is the receiver of a sink: a server that keeps each notification once, by its idempotency key.
type end struct {
	w       *environment
	take    func(body []byte, key string)
	mood    string // its fault, "" for none
	after   int    // Retry-After, in seconds
	failed  bool   // it had a fault once
	retried time.Duration
	// unsaid counts accepted requests without a seen response: it did not respond, or the sender was killed.
	unsaid int
}

var errHang = errors.New("no answer in time")

// RoundTrip responds in place of a socket.
func (e *end) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	e.w.peril("before it has sent")
	answer := func(code int) (*http.Response, error) {
		h := http.Header{"Date": {e.w.true().Format(http.TimeFormat)}}
		if code == http.StatusTooManyRequests {
			h.Set("Retry-After", strconv.Itoa(e.after))
			e.retried = e.w.time + time.Duration(e.after)*time.Second
		}
		return &http.Response{
			StatusCode: code, Status: strconv.Itoa(code), Header: h,
			Body: io.NopCloser(strings.NewReader("")),
		}, nil
	}
	mood := e.mood
	if e.w.calm {
		mood = ""
	}
	switch mood {
	case "down":
		return nil, errors.New("connection refused")
	case "500":
		return answer(http.StatusInternalServerError)
	case "429":
		return answer(http.StatusTooManyRequests)
	case "hangs":
		if e.w.rng.IntN(2) == 0 { // it may have read it all the same
			e.take(body, r.Header.Get("Idempotency-Key"))
			e.unsaid++
		}
		return nil, errHang
	}
	e.take(body, r.Header.Get("Idempotency-Key"))
	e.w.peril("when it has sent")
	return answer(http.StatusOK)
}

// moods are the possible faults of the other end.
var moods = []string{"", "", "", "", "down", "500", "429", "hangs"}

// A board is the state of an Alertmanager: alerts by workflow, and until when each fires.
type board struct {
	end
	until map[string]time.Time
	since map[string]time.Duration // since when it is without a break
	rang  map[string]int           // how often it began to fire
}

func (b *board) read(body []byte, _ string) {
	var all []struct {
		Labels           map[string]string
		StartsAt, EndsAt time.Time
	}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&all); err != nil {
		panic(err)
	}
	for _, a := range all {
		id := a.Labels["workflow_id"]
		if a.StartsAt.After(a.EndsAt) {
			panic("an alert that ends before it starts is refused by Alertmanager")
		}
		if a.EndsAt.After(b.w.true()) && !b.fires(id) {
			b.rang[id]++
			b.w.logf("Alertmanager: %s fires", id)
		}
		if !a.EndsAt.After(b.w.true()) && b.fires(id) {
			b.w.logf("Alertmanager: %s is resolved", id)
		}
		b.until[id] = a.EndsAt
	}
}

func (b *board) fires(id string) bool { return b.until[id].After(b.w.true()) }

// A hook is the state of a webhook's receiver, which recognizes keys that it has seen.
type hook struct {
	end
	keys  map[string]bool
	twice int                 // messages that came again
	sent  map[string][]string // by workflow, each key once: what happened
}

func (h *hook) read(body []byte, key string) {
	if h.keys[key] {
		h.twice++
		return
	}
	h.keys[key] = true
	var m struct {
		ParaTimer struct {
			Status   string
			Workflow struct{ ID string }
			Alert    struct{ State string }
		}
	}
	if err := json.Unmarshal(body, &m); err != nil {
		panic(err)
	}
	id, what := m.ParaTimer.Workflow.ID, key[strings.LastIndexByte(key, '-')+1:]
	h.sent[id] = append(h.sent[id], what)
	h.w.logf("webhook: %s %s", id, what)
}
