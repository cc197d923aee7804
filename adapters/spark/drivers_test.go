package spark

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A manager lists applications. Their drivers are one fake.
type manager struct {
	driver *fake
	all    []Listed
	lists  int
	err    error
}

func (m *manager) List(context.Context) ([]Listed, error) {
	m.lists++
	return m.all, m.err
}

func (m *manager) Driver(Listed) Driver { return m.driver }
func (m *manager) ListsAll() bool       { return true }
func (m *manager) Now() dag.Instant     { return m.driver.now }

// TestDrivers checks which applications of a manager are shown: those that run, the newest first, up to a limit.
func TestDrivers(t *testing.T) {
	t.Parallel()
	m := &manager{driver: &fake{now: 1}, all: []Listed{
		{ID: "old", State: dag.Running, Began: 1, URL: "http://a"},
		{ID: "ended", State: dag.Failed, Began: 9},
		{ID: "starts", State: dag.Submitted, Began: 5},
	}}
	d := NewDrivers(m)
	if all := d.Running(); len(all) != 0 {
		t.Errorf("before a list: %+v", all)
	}
	if err := d.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := d.Running()
	if len(all) != 2 || all[0].App != "starts" || all[0].Readable || all[0].Workflow != "" || all[1].Workflow != "old" ||
		!all[1].Readable || all[1].URL != "http://a" {
		t.Errorf("listed: %+v", all)
	}
	if m.err = errors.New("refused"); d.Refresh(t.Context()) == nil || len(d.Running()) != 2 {
		t.Error("after an error the list is gone")
	}
	m.err = nil
	for i := range 2 * mostOfManager {
		m.all = append(m.all, Listed{ID: fmt.Sprint(i), State: dag.Running, Began: dag.Instant(10 + i)})
	}
	if err := d.Refresh(t.Context()); err != nil || len(d.Running()) != mostOfManager ||
		d.Running()[0].App != fmt.Sprint(2*mostOfManager-1) {
		t.Errorf("%d are listed, %v", len(d.Running()), err)
	}
}

// TestDriversEnd checks how an application ends if its driver never answers, and if it was seen: by the manager's
// report if there is one. Sources share the requests of a manager.
func TestDriversEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seen, restarted bool
		reported, want  dag.State
	}{
		"never seen, unknown":   {false, false, dag.EndedUnconfirmed, dag.EndedUnconfirmed},
		"never seen, restarted": {false, true, dag.Running, dag.EndedUnconfirmed},
		"seen, unknown":         {true, false, dag.EndedUnconfirmed, dag.Running},
		"seen, failed":          {true, false, dag.Failed, dag.Failed},
		"seen, killed":          {true, false, dag.Killed, dag.Killed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &manager{driver: &fake{tasks: 8, done: 3, now: 1795366700000, down: !c.seen}}
			m.all = []Listed{{ID: "app-1", Name: "nightly", State: dag.Running, URL: "http://a"}}
			d := NewDrivers(m)
			if err := d.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			all := []*Source{d.Watch("app-1"), d.Watch("app-1"), d.Watch("app-1")}
			for _, s := range all {
				if snap, err := s.Next(t.Context()); err != nil || snap.Plan.Name != "nightly" && !c.seen {
					t.Fatalf("%+v, %v", snap, err)
				}
			}
			if m.all[0].State, m.all[0].Ended = c.reported, m.driver.now; c.restarted {
				m.all = nil
			}
			m.driver.now, m.driver.down, m.lists = m.driver.now+6000, true, 0
			for _, s := range all {
				got := dag.Running
				for i := 0; i < lastRounds && !got.Ended(); i++ { // rounds with a request to the history server
					if snap, err := s.Next(t.Context()); err == nil {
						got = snap.State
					}
				}
				if got != c.want {
					t.Errorf("got %v, want %v", got, c.want)
				}
			}
			if m.lists != 1 {
				t.Errorf("%d sources: got %d lists of the applications, want 1", len(all), m.lists)
			}
		})
	}
}

// alone is a driver without a history server.
type alone struct{ *fake }

func (alone) History(context.Context, string) ([]byte, error) { return nil, errNoHistory }

// TestExitCode checks that the exit code of a driver decides, although its last job was not seen to end. The success
// that YARN reports does not: it has no exit code of a driver outside of its containers.
func TestExitCode(t *testing.T) {
	t.Parallel()
	for isExitCode, want := range map[bool]dag.State{true: dag.Succeeded, false: dag.EndedUnconfirmed} {
		f := &fake{tasks: 8, done: 3, now: 1795366700000}
		l := Listed{State: dag.Running}
		s := NewSource(alone{f}, "app-1")
		s.reportsEnd, s.manager = !isExitCode, func(context.Context) (Listed, bool) { return l, true }
		if snap, err := s.Next(t.Context()); err != nil || snap.State.Ended() {
			t.Fatalf("%+v, %v", snap, err)
		}
		f.down, f.now = true, f.now+2000
		l.State, l.Ended = dag.Succeeded, f.now
		if snap, err := s.Next(t.Context()); err != nil || snap.State != want || snap.Inferred {
			t.Errorf("by its exit code %v: %+v, %v", isExitCode, snap, err)
		}
	}
}

// TestDriversGone checks how soon an application has ended without a driver, with no history server: soon if its
// manager has its end, else later, and never by the list of this machine.
func TestDriversGone(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 8, done: 8, now: 1795366700000}
	for _, isListed := range []bool{true, false} {
		f.down = false
		s := NewSource(alone{f}, "app-1")
		state := dag.Running
		s.manager = func(context.Context) (Listed, bool) { return Listed{State: state, Ended: f.now}, isListed }
		if snap, err := s.Next(t.Context()); err != nil || snap.State.Ended() {
			t.Fatalf("%+v, %v", snap, err)
		}
		f.down, state, f.now = true, dag.EndedUnconfirmed, f.now.Add(logFor)
		snap, err := s.Next(t.Context())
		if isListed != (err == nil) || isListed && (snap.State != dag.Succeeded || !snap.Inferred) {
			t.Errorf("with the manager's report %v: %+v, %v", isListed, snap, err)
		}
	}
	client, err := yarn.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://localhost:4040"}}},
		rest.Options{Transport: rest.RoundTrip(func(*http.Request) (*http.Response, error) { return nil, refusal() })})
	if err != nil {
		t.Fatal(err)
	}
	s := NewDrivers(&Machine{Web: Web{Client: client}}).Watch("app-1")
	if l, known := s.manager(t.Context()); !known || !l.State.Ended() {
		t.Errorf("a driver that was never seen: %+v, %v", l, known)
	}
	s.app.lastSeen = f.now
	if l, known := s.manager(t.Context()); known {
		t.Errorf("a driver that was seen: %+v", l)
	}
}
