// Package tty is the live terminal: it shows frames full screen while a query is watched or a recording is played,
// and handles keys. Package screen draws a frame; this package has a store of frames, a playhead and a tick.
//
// Only Program's tick reads a clock. The model is a function of its messages and of the store.
package tty

import (
	"errors"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
	"github.com/paratimer/paratimer/units"
)

// redraw is the time between two redraws that no key has caused: two a second.
const redraw = 500 * time.Millisecond

// The messages of the model besides keys and sizes.
type (
	tickMsg struct{}            // redraw has passed
	overMsg struct{ err error } // no more frames come; err is the reason
	stopMsg struct{}            // the program must end now
)

// A model is the state of the screen, except for the store, which the models of one program share with the watch.
type model struct {
	play   bool // a recording is played; else a query is watched
	listed bool // the query is one of a list
	style  screen.Style

	store  *store
	head   playhead
	choice screen.Choice
	shown  frame.Frame

	width, height int
	drawn         string // the last picture

	over bool // no more frames come
}

func newModel(o Options) model {
	return model{play: o.Play, style: o.Style, store: newStore(), head: playhead{live: !o.Play, speed: o.Speed}}
}

// Init requests the terminal's background. A terminal that does not respond counts as dark.
func (m model) Init() tea.Cmd { return tea.Batch(tick(), tea.RequestBackgroundColor) }

// tick is the only clock: it sends a tickMsg after redraw.
func tick() tea.Cmd { return tea.Tick(redraw, func(time.Time) tea.Msg { return tickMsg{} }) }

// View returns the last picture: data between two ticks is not shown yet.
func (m model) View() tea.View { return tea.View{Content: m.drawn, AltScreen: true} }

// Update handles a message.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.store.Lock()
	defer m.store.Unlock()
	switch msg := msg.(type) {
	case tickMsg:
		return m.passed(), tick()
	case overMsg:
		return m.end(msg.err)
	case stopMsg:
		return m, tea.Quit
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.draw(), nil
	case tea.BackgroundColorMsg:
		m.style.Light = !msg.IsDark()
		return m.draw(), nil
	case tea.KeyPressMsg:
		return m.press(msg.Key().String())
	}
	return m, nil
}

// passed handles a tick: it advances a recording, and redraws if data has changed.
func (m model) passed() model {
	if m.play && !m.choice.Paused && !m.head.live {
		before := m.head.at
		end := m.store.end()
		m.head.at += time.Duration(min(m.head.pace(end)*float64(redraw), float64(end-m.head.at)))
		m.store.dirty = m.store.dirty || m.head.at != before
	}
	if m.head.live && !m.play && !m.over && m.store.newest().StaleSeconds > 0 {
		m.store.unseen += redraw
		m.store.dirty = true
	}
	if m.store.dirty {
		return m.draw()
	}
	return m
}

// end handles the end of the frames. A watch ends with its query, unless the user has opened or selected something; a
// recording stays on the screen.
func (m model) end(err error) (tea.Model, tea.Cmd) {
	m.over, m.store.dirty = true, true
	switch {
	case errors.Is(err, errPanicked):
		return m, tea.Quit
	case m.play && err != nil:
		m.store.log = err.Error()
	case m.play:
	case err != nil || m.head.live && m.choice == (screen.Choice{}):
		return m, tea.Quit
	default:
		m.store.log = "the query has ended; q leaves"
	}
	return m, nil
}

// draw makes the picture of the current data.
func (m model) draw() model {
	m.store.dirty = false
	s := screen.State{Width: m.width, Height: m.height, Style: m.style, Choice: m.choice, Listed: m.listed}
	s.Log = m.store.log
	end := m.store.end()
	if m.head.live {
		m.head.at = end
	}
	if i := m.store.index(m.head.at); i >= 0 {
		m.shown = m.store.moments[i].frame
		f := m.shown
		if m.store.unseen > 0 && i == len(m.store.moments)-1 {
			// until the next frame comes, which may take a minute if a cluster does not respond
			f = f.Older(m.store.unseen)
		}
		s.Frame, s.Past = &f, m.store.upTo(i)
		if m.play {
			s.Play = &screen.Playback{Speed: m.head.pace(end), At: m.shown.Elapsed()}
			if math.IsInf(s.Play.Speed, 1) {
				s.Play.Speed = 0
			}
			if newest := m.store.newest(); m.over {
				s.Play.Length = newest.Elapsed()
			}
		}
		if back := end - m.store.moments[i].at; back > 0 && !m.play && !m.head.live && !m.choice.Paused {
			s.Log = "looking back: " + units.Short(back) + " before the newest; end shows that"
		}
	}
	m.drawn = strings.Join(screen.Draw(s), "\n")
	return m
}

// steps are how far actions move the playhead, in hundredths of the run.
var steps = map[screen.Action]int{
	screen.Forward: 1, screen.Back: -1, screen.FarForward: 10, screen.FarBack: -10,
}

// speeds are the factors by which actions change the speed.
var speeds = map[screen.Action]float64{screen.Faster: 2, screen.Slower: 0.5}

// press handles a key and redraws at once.
func (m model) press(key string) (tea.Model, tea.Cmd) {
	a, end := screen.ActionOf(key), m.store.end()
	if m.head.live {
		m.head.at = end
	}
	again := a == screen.Pause && m.play && m.over && m.head.at >= end
	switch {
	case key == "ctrl+c":
		return m, tea.Interrupt
	case key == "ctrl+z":
		return m, suspend
	case a == screen.Quit:
		return m, tea.Quit
	case a == screen.NoAction:
		return m, nil
	case a == screen.Start, again: // a recording that has ended starts again
		m.head, m.choice.Paused = m.head.to(0, end), m.choice.Paused && !again
	case a == screen.End:
		m.head.at, m.head.live, m.choice.Paused = end, true, false
	case speeds[a] != 0:
		m.head = m.head.faster(speeds[a], end)
	case steps[a] != 0 && len(m.store.moments) > 0:
		m.head = m.head.to(m.step(steps[a]), end)
	}
	if !again {
		m.choice = screen.Press(m.choice, a, &m.shown)
	}
	if a == screen.Pause {
		m.head.live = false
		if !m.play && !m.choice.Paused {
			m.head.at = end
		}
	}
	// A watch that is back at its newest frame follows it again.
	if !m.play {
		m.head.live = !m.choice.Paused && m.head.at == end
	}
	return m.draw(), nil
}

// step returns the time that some hundredths of the run, and at least a frame, are away.
func (m model) step(parts int) time.Duration {
	at, here := m.head.at+m.store.end()/100*time.Duration(parts), m.store.index(m.head.at)
	if parts < 0 {
		return min(at, m.store.moments[max(here-1, 0)].at)
	}
	return max(at, m.store.moments[min(here+1, len(m.store.moments)-1)].at)
}

// A playhead is the position of the picture in the known frames, and its speed. Its time is the query's own.
type playhead struct {
	at time.Duration
	// live: the position is always the newest frame.
	live bool
	// speed is the replay's speed as a multiple of real time. 0 plays the whole recording in about playLength.
	speed float64
}

// playLength is how long a replay takes without a given speed.
const playLength = 30 * time.Second

// Limits of the speed that keys can choose.
const (
	slowest = 1.0 / 16
	fastest = 1 << 16
)

// pace returns the speed for a recording of a length: as given, else a power of two.
func (p playhead) pace(length time.Duration) float64 {
	if p.speed > 0 {
		return p.speed
	}
	return max(1, math.Exp2(math.Ceil(math.Log2(float64(length)/float64(playLength)))))
}

// to jumps to a position within the known length.
func (p playhead) to(at, length time.Duration) playhead {
	p.at, p.live = min(max(0, at), length), false
	return p
}

// faster multiplies the speed.
func (p playhead) faster(by float64, length time.Duration) playhead {
	p.speed = min(max(slowest, p.pace(length)*by), fastest)
	return p
}
