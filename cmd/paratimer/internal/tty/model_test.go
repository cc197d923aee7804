package tty

import (
	"errors"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
	"github.com/paratimer/paratimer/dag"
)

// Messages of a session that go to the model's store.
type (
	frameMsg struct{ frame.Frame }
	logMsg   string
)

// A session is a model and its last command.
type session struct {
	*testing.T
	m   model
	cmd tea.Cmd
}

// begin is a session of 80x24 with frames at the given seconds.
func begin(t *testing.T, o Options, frames ...float64) *session {
	t.Helper()
	s := &session{T: t, m: newModel(o)}
	for _, at := range frames {
		s.send(frameMsg{frameAt(at, 3)})
	}
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	return s
}

func (s *session) send(all ...tea.Msg) {
	s.Helper()
	for _, msg := range all {
		switch msg := msg.(type) {
		case frameMsg:
			s.m.store.add(msg.Frame)
		case logMsg:
			s.m.store.say(string(msg))
		default:
			next, cmd := s.m.Update(msg)
			s.m, s.cmd = next.(model), cmd
		}
	}
}

// keys types keys by bubbletea's names of them.
func (s *session) keys(names ...string) {
	s.Helper()
	for _, name := range names {
		k, ok := named[name]
		if !ok {
			k = tea.Key{Text: name, Code: []rune(name)[0]}
		}
		if got := k.String(); got != name {
			s.Fatalf("the key %q is called %q", name, got)
		}
		s.send(tea.KeyPressMsg(k))
	}
}

var named = map[string]tea.Key{
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"shift+left": {Code: tea.KeyLeft, Mod: tea.ModShift}, "shift+right": {Code: tea.KeyRight, Mod: tea.ModShift},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "enter": {Code: tea.KeyEnter},
	"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"backspace": {Code: tea.KeyBackspace},
	"esc":       {Code: tea.KeyEscape}, "space": {Code: tea.KeySpace, Text: " "},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+z": {Code: 'z', Mod: tea.ModCtrl},
}

// shows checks that the frame at a second is on the screen.
func (s *session) shows(seconds float64) {
	s.Helper()
	if got := float64(s.m.shown.Elapsed()); got != seconds {
		s.Errorf("the frame of %g s is shown, want %g s", got, seconds)
	}
}

// ticks redraws n times.
func (s *session) ticks(n int) {
	s.Helper()
	for range n {
		s.send(tickMsg{})
	}
}

func (s *session) quits(want bool) {
	s.Helper()
	got := false
	if s.cmd != nil {
		_, got = s.cmd().(tea.QuitMsg)
	}
	if got != want {
		s.Errorf("it quits: %v, want %v", got, want)
	}
}

func seconds(n int) []float64 {
	out := make([]float64, n+1)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

// TestLiveShowsTheNewest: a watch shows the newest frame, but draws between keys with ticks alone.
func TestLiveShowsTheNewest(t *testing.T) {
	s := begin(t, Options{}, 0)
	s.shows(0)
	drawn := s.m.drawn
	s.send(frameMsg{frameAt(5, 3)}, frameMsg{frameAt(6, 3)}, logMsg("trouble"))
	if s.m.drawn != drawn {
		t.Error("it was drawn before the tick")
	}
	s.ticks(1)
	s.shows(6)
	if !strings.Contains(s.m.drawn, "trouble") {
		t.Errorf("the log line is not shown:\n%s", s.m.drawn)
	}
}

// TestNothingNewIsNotDrawn: a tick without news, or at rest, draws nothing.
func TestNothingNewIsNotDrawn(t *testing.T) {
	live, replayed := begin(t, Options{}, 0, 5), begin(t, Options{Play: true}, 0, 5)
	replayed.keys("space")
	for _, s := range []*session{live, replayed} {
		s.ticks(1)
		s.m.drawn = "sentinel"
		s.ticks(3)
		if s.m.drawn != "sentinel" {
			t.Error("it was drawn again")
		}
	}
}

// TestPauseLive checks that the picture stands still while observation goes on, and shows that; space or end go on with
// the newest.
func TestPauseLive(t *testing.T) {
	for _, key := range []string{"space", "end"} {
		s := begin(t, Options{}, 0, 5)
		s.keys("space")
		s.send(frameMsg{frameAt(10, 3)})
		s.ticks(2)
		s.shows(5)
		if !strings.Contains(strings.ToLower(s.m.drawn), "paused") {
			t.Errorf("want paused, got\n%s", s.m.drawn)
		}
		s.keys(key)
		s.shows(10)
		s.send(frameMsg{frameAt(15, 3)})
		s.ticks(1)
		s.shows(15)
	}
}

// TestLookBackLive checks that a user goes back by keys, sees that, and comes back to the newest.
func TestLookBackLive(t *testing.T) {
	s := begin(t, Options{}, seconds(100)...)
	s.ticks(1)
	s.keys("left")
	s.shows(99)
	s.keys("shift+left")
	s.shows(89)
	if want := "looking back: 11s"; !strings.Contains(s.m.drawn, want) {
		t.Errorf("want %q, got\n%s", want, s.m.drawn)
	}
	s.send(frameMsg{frameAt(101, 3)})
	s.ticks(2)
	s.shows(89)
	s.keys("home")
	s.shows(0)
	s.keys("left")
	s.shows(0)
	s.keys("end")
	s.shows(101)
	s.send(frameMsg{frameAt(102, 3)})
	s.ticks(1)
	s.shows(102)
}

// TestSmallSteps: where frames are further apart than a hundredth of the run, a step is a frame.
func TestSmallSteps(t *testing.T) {
	s := begin(t, Options{Play: true}, 0, 60, 61, 90)
	s.keys("space")
	for _, want := range []float64{60, 61, 90, 90} {
		s.keys("right")
		s.shows(want)
	}
	for _, want := range []float64{61, 60, 0, 0} {
		s.keys("left")
		s.shows(want)
	}
}

// TestPlays: a recording of five minutes at no speed of its own takes about half a minute; speeds double and halve; it
// stays at its end.
func TestPlays(t *testing.T) {
	s := begin(t, Options{Play: true}, seconds(300)...)
	s.send(overMsg{})
	s.quits(false)
	s.ticks(10)
	s.shows(80)
	s.keys("+")
	s.ticks(1)
	s.shows(96)
	s.keys("-", "-")
	s.ticks(2)
	s.shows(104)
	s.keys("space")
	s.ticks(5)
	s.shows(104)
	s.keys("space", "shift+right")
	s.shows(134)
	s.ticks(1000)
	s.shows(300)
	s.keys("space")
	s.shows(0)
	s.ticks(2)
	s.shows(8)
	s.keys("q")
	s.quits(true)
}

// TestToTheEndWhileReading: the end of a recording that is still being read is its newest frame.
func TestToTheEndWhileReading(t *testing.T) {
	s := begin(t, Options{Play: true}, 0, 1, 2)
	s.keys("space", "end")
	s.shows(2)
	s.send(frameMsg{frameAt(3, 3)}, frameMsg{frameAt(4, 3)}, overMsg{})
	s.ticks(1)
	s.shows(4)
	s.keys("left")
	s.shows(3)
}

func TestPlaysAtASpeed(t *testing.T) {
	for speed, want := range map[float64]float64{60: 30, 1: 0, math.Inf(1): 300} {
		s := begin(t, Options{Play: true, Speed: speed}, seconds(300)...)
		s.ticks(1)
		s.shows(want)
	}
	s := begin(t, Options{Play: true, Speed: 1}, seconds(300)...)
	for range 40 {
		s.keys("-")
	}
	if s.m.head.speed != slowest {
		t.Errorf("slowest is %g", s.m.head.speed)
	}
	for range 40 {
		s.keys("+")
	}
	if s.m.head.speed != fastest {
		t.Errorf("fastest is %g", s.m.head.speed)
	}
}

// TestReadingIsAwaited: the playhead does not pass what has been read.
func TestReadingIsAwaited(t *testing.T) {
	s := begin(t, Options{Play: true, Speed: 100}, 0, 1, 2)
	s.ticks(3)
	s.shows(2)
	s.send(frameMsg{frameAt(3, 3)})
	s.ticks(1)
	s.shows(3)
}

// TestEnds: a watch leaves with its query, unless the user has a dialog open; after a failure it leaves in any case.
func TestEnds(t *testing.T) {
	trouble := errors.New("trouble")
	for name, c := range map[string]struct {
		play bool
		keys []string
		err  error
		want bool
	}{
		"live":               {want: true},
		"live, paused":       {keys: []string{"space"}},
		"live, looking back": {keys: []string{"left"}},
		"live, help":         {keys: []string{"?"}},
		"live, a job":        {keys: []string{"down"}},
		"live, trouble":      {keys: []string{"space"}, err: trouble, want: true},
		"played":             {play: true},
		"played, trouble":    {play: true, err: trouble},
	} {
		s := begin(t, Options{Play: c.play}, seconds(10)...)
		s.ticks(1)
		s.keys(c.keys...)
		s.send(overMsg{c.err})
		if t.Log(name); !c.want {
			s.quits(false)
			s.ticks(1)
			if s.m.store.log == "" && !c.play {
				t.Error("the screen lacks that the query has ended")
			}
			s.keys("q")
		}
		s.quits(true)
	}
}

func TestControlKeys(t *testing.T) {
	s := begin(t, Options{}, 0)
	s.keys("ctrl+z")
	if s.cmd() == nil {
		t.Error("control-Z does not suspend")
	}
	s.keys("ctrl+c")
	if _, interrupts := s.cmd().(tea.InterruptMsg); !interrupts {
		t.Error("control-C does not interrupt")
	}
	s = begin(t, Options{}, 0)
	s.send(stopMsg{})
	s.quits(true)
}

// TestEveryKeyOfTheTableDoesSomething: package screen lists keys, and each is known by bubbletea's name of it.
func TestEveryKeyOfTheTableDoesSomething(t *testing.T) {
	seen := map[screen.Action]bool{}
	for _, k := range screen.Keys() {
		if seen[k.Action] {
			t.Errorf("two rows of %s", k.Meaning)
		}
		seen[k.Action] = true
		for _, name := range k.Keys {
			if screen.ActionOf(name) != k.Action {
				t.Errorf("%s is a key of two rows", name)
			}
		}
	}
	for a := screen.NoAction + 1; a <= screen.Slower; a++ {
		if !seen[a] {
			t.Errorf("no key has action %d", a)
		}
	}
}

// TestBackground: what the terminal answers decides; until it does the ground is dark.
func TestBackground(t *testing.T) {
	s := begin(t, Options{}, 0)
	if s.m.style.Light {
		t.Error("light before the answer")
	}
	s.send(tea.BackgroundColorMsg{Color: color.White})
	if !s.m.style.Light {
		t.Error("white is not light")
	}
}

// TestSizes: any size can be drawn at any time, before the first frame too.
func TestSizes(t *testing.T) {
	for _, frames := range [][]float64{nil, {0, 1}} {
		s := begin(t, Options{Play: true}, frames...)
		for _, size := range [][2]int{{0, 0}, {1, 1}, {40, 12}, {300, 100}, {80, 1}} {
			s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			if lines := strings.Split(s.m.drawn, "\n"); len(lines) > max(1, size[1]) {
				t.Errorf("%v: %d lines", size, len(lines))
			}
			s.keys("left", "right", "home", "end", "down", "enter", "space", "+", "-", "esc")
		}
	}
}

// TestHead: time that is not known, or goes back, moves nothing back.
func TestHead(t *testing.T) {
	s := newStore()
	for _, at := range []float64{10, 5, 20} {
		s.add(frameAt(at, 1))
	}
	f := frameAt(30, 1)
	f.At = nil
	s.add(f)
	var got []time.Duration
	for _, m := range s.moments {
		got = append(got, m.at)
	}
	if want := []time.Duration{0, 0, 10 * time.Second, 10 * time.Second}; !slices.Equal(got, want) {
		t.Errorf("frames at %v, want %v", got, want)
	}
	if f.Workflow.State != dag.Running {
		t.Fatal("the frame was changed")
	}
}

func TestPace(t *testing.T) {
	for length, want := range map[int]float64{0: 1, 30: 1, 42: 2, 126: 8, 300: 16, 3600: 128} {
		if got := (playhead{}).pace(time.Duration(length) * time.Second); got != want {
			t.Errorf("%d s: got %g times the speed, want %g", length, got, want)
		}
	}
}

// TestUnseen: if the cluster does not respond, the picture shows for how long, although no frame comes.
func TestUnseen(t *testing.T) {
	s := begin(t, Options{}, 0, 100)
	s.ticks(4)
	if strings.Contains(s.m.drawn, "last data") {
		t.Errorf("there is new data:\n%s", s.m.drawn)
	}
	s.send(frameMsg{frameAt(100, 3).Aged(20*time.Second, errors.New("no answer"))})
	s.ticks(20)
	if !strings.Contains(s.m.drawn, "last data 30s ago") || !strings.Contains(s.m.drawn, "09:02:10 ") {
		t.Errorf("ten seconds later:\n%s", s.m.drawn)
	}
	s.keys("space")
	s.ticks(20)
	if !strings.Contains(s.m.drawn, "09:02:10 ") {
		t.Errorf("paused, the picture stands:\n%s", s.m.drawn)
	}
	s.keys("space")
	s.send(frameMsg{frameAt(140, 3)})
	s.ticks(4)
	if strings.Contains(s.m.drawn, "last data") {
		t.Errorf("it is seen again:\n%s", s.m.drawn)
	}
}
