package tty

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// TestFleet shows queries until the reader leaves, by q and by control-C, and until work has failed; the terminal is
// then as it was.
func TestFleet(t *testing.T) {
	t.Parallel()
	trouble := errors.New("trouble")
	for name, c := range map[string]struct {
		keys string
		work error
		want error
	}{"left": {"q", nil, ErrLeft}, "interrupted": {"\x03", nil, ErrInterrupted}, "failed": {"", trouble, trouble}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTerminal(t)
			queries := func() []view.Query { return []view.Query{{ID: "q1", Name: "nightly.pig", Left: "~7m"}} }
			work := func(ctx context.Context) error {
				x.waits("nightly.pig")
				if c.keys == "" {
					return c.work
				}
				if _, err := x.keys.Write([]byte(c.keys)); err != nil {
					return err
				}
				<-ctx.Done()
				return context.Cause(ctx)
			}
			o := Options{In: x.in, Out: x, Env: []string{"TERM=xterm-256color"}}
			if err := NewFleet(o, queries).Run(t.Context(), work, tea.WithWindowSize(80, 24)); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			x.restored()
		})
	}
}

// A listing is a list of queries on a terminal of 100x24.
type listing struct {
	*testing.T
	fleet *Fleet
	rows  []view.Query
	m     fleetModel
	cmd   tea.Cmd
}

// list returns a list of n queries that have been observed once: nightly-0.pig of user alice, nightly-1.pig of bob, …
func list(t *testing.T, n int) *listing {
	t.Helper()
	l := &listing{T: t}
	l.fleet = NewFleet(Options{}, func() []view.Query { return l.rows })
	l.m = fleetModel{fleet: l.fleet, store: newStore()}
	for i := range n {
		l.add(i)
	}
	l.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	return l
}

// add appends the row of a new query, and shows its first frame.
func (l *listing) add(i int) {
	user := []string{"alice", "bob"}[i%2]
	l.rows = append(l.rows, view.Query{
		ID: fmt.Sprintf("q%d", i), Name: fmt.Sprintf("nightly-%d.pig", i), User: user, Standing: view.IsFree,
	})
	l.show(len(l.rows)-1, 10)
}

// show shows the frame of a query that has run for some seconds.
func (l *listing) show(i int, seconds float64) {
	f := frameAt(seconds, 2)
	f.Workflow = frame.Workflow{ID: frame.Text(l.rows[i].ID), Name: frame.Text(l.rows[i].Name), State: dag.Running}
	if err := l.fleet.Show(frame.Tick{Frame: f}); err != nil {
		l.Fatal(err)
	}
}

func (l *listing) send(msg tea.Msg) {
	next, cmd := l.m.Update(msg)
	l.m, l.cmd = next.(fleetModel), cmd
}

func (l *listing) keys(names ...string) {
	for _, name := range names {
		k, ok := named[name]
		if !ok {
			k = tea.Key{Text: name, Code: []rune(name)[0]}
		}
		l.send(tea.KeyPressMsg(k))
	}
}

// shows checks which texts are on the screen, and which, after "-", are not.
func (l *listing) shows(want ...string) {
	l.Helper()
	picture := l.m.View().Content
	for _, w := range want {
		if text, absent := strings.CutPrefix(w, "-"); strings.Contains(picture, text) == absent {
			l.Errorf("%q is shown: %v\n%s", text, !absent, picture)
		}
	}
}

// quits reports whether the last key ends the program.
func (l *listing) quits() bool {
	if l.cmd == nil {
		return false
	}
	_, quit := l.cmd().(tea.QuitMsg)
	return quit
}

// TestFleetOpensAQuery checks that enter shows the selected query as attach does, with its earlier observations; its
// keys work, the picture follows the observations, and esc and q lead back to the list, on which q ends the program.
func TestFleetOpensAQuery(t *testing.T) {
	t.Parallel()
	for _, back := range []string{"esc", "q"} {
		l := list(t, 3)
		l.show(1, 20)
		l.keys("down", "enter")
		l.shows("nightly-1.pig", "runs for 20s", "q list", "-nightly-2.pig")
		l.keys("left")
		l.shows("runs for 10s", "looking back: 10s")
		l.keys("end")
		l.show(1, 30)
		l.send(tickMsg{})
		l.shows("runs for 30s")
		l.keys("enter", "?")
		l.shows("back to the list")
		l.keys("esc", "esc", "esc")
		l.shows("-nightly-2.pig")
		l.keys("space", back)
		l.shows("nightly-2.pig", "› nightly-1.pig")
		if l.quits() {
			t.Errorf("%s on a query ends the program", back)
		}
		if l.keys("esc"); l.quits() {
			t.Error("esc on the list ends the program")
		}
		if l.keys("q"); !l.quits() {
			t.Error("q on the list does not end the program")
		}
	}
}

// TestFleetLog checks that log lines are shown on the list and on a query.
func TestFleetLog(t *testing.T) {
	t.Parallel()
	l := list(t, 1)
	l.m.store.say("first trouble")
	l.send(tickMsg{})
	l.shows("first trouble")
	l.keys("enter")
	l.shows("first trouble")
	l.m.store.say("second trouble")
	l.send(tickMsg{})
	l.shows("second trouble")
}

// TestFleetFilters checks that queries are found by name or owner, in either case; esc shows all again.
func TestFleetFilters(t *testing.T) {
	t.Parallel()
	l := list(t, 12)
	l.keys("/", "B", "o", "x", "backspace", "b")
	l.shows("/Bob: 6 of 12", "nightly-1.pig", "-nightly-2.pig", "12 running.")
	l.keys("enter", "down", "enter")
	l.shows("runs for", "nightly-3.pig", "-nightly-1.pig")
	l.keys("q")
	l.shows("/Bob: 6 of 12", "› nightly-3.pig")
	l.keys("esc")
	l.shows("nightly-2.pig", "› nightly-3.pig", "-/Bob")
	l.keys("/")
	l.send(tea.PasteMsg{Content: "y-11."})
	l.shows("/y-11.: 1 of 12", "› nightly-11.pig", "-nightly-3.pig")
	l.keys("q", "enter", "enter")
	l.shows("/y-11.q: 0 of 12", "-nightly-11.pig")
	l.keys("esc")
	if l.shows("nightly-11.pig"); l.m.draw.Typing {
		t.Error("it still takes letters")
	}
}

// TestFleetSelection checks that the first row stays selected whatever it is, and another query wherever it moves.
func TestFleetSelection(t *testing.T) {
	t.Parallel()
	l := list(t, 3)
	swap := func() {
		l.rows[0], l.rows[2] = l.rows[2], l.rows[0]
		l.send(tickMsg{})
	}
	swap()
	l.shows("› nightly-2.pig")
	l.keys("end")
	l.shows("› nightly-0.pig")
	l.rows[1], l.rows[2] = l.rows[2], l.rows[1]
	l.send(tickMsg{})
	l.shows("› nightly-0.pig")
	l.rows = l.rows[2:]
	l.send(tickMsg{})
	l.shows("› nightly-1.pig")
	l.rows = nil
	l.send(tickMsg{})
	l.keys("enter", "down")
	l.shows("No query was seen yet.")
}

// TestFleetIsBounded checks that the frames of all queries together have one budget, and those of a query that is not
// listed any more are dropped.
func TestFleetIsBounded(t *testing.T) {
	t.Parallel()
	l := list(t, 4)
	l.rows = l.rows[1:]
	l.add(4)
	if n := len(l.fleet.stores); n != 4 || l.fleet.stores["q0"] != nil {
		t.Errorf("%d queries are kept", n)
	}
	for i := range l.rows {
		l.show(i, 20)
		if s := l.fleet.stores[l.rows[i].ID]; s.most != budget/4 || s.mostHeld != taskBudget/4 {
			t.Errorf("%s may take %d and %d bytes", l.rows[i].ID, s.most, s.mostHeld)
		}
	}
}
