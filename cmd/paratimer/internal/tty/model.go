// Package tty is the live terminal: it shows frames full screen while a query is watched or a recording is played,
// and handles keys. Package screen draws a frame; this package has a store of frames, a playhead and a tick.
//
// Only Program's tick reads a clock. The model is a pure function of messages.
package tty

import (
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
	tickMsg  struct{}              // redraw has passed
	frameMsg struct{ frame.Frame } // a new frame
	logMsg   string                // a line for the log line
	overMsg  struct{ err error }   // no more frames come; err is the reason
	stopMsg  struct{}              // the program must end now
)

// A model is the state of the screen. Update is a pure function of model and message, except for the store, which the
// models of one program share.
type model struct {
	play  bool // a recording is played; else a query is watched
	style screen.Style

	store  *store
	head   playhead
	choice screen.Choice
	shown  frame.Frame
	log    string

	// unseen is how long ago the newest frame came, if that frame is stale.
	unseen time.Duration

	width, height int
	dirty         bool   // the picture is older than the data
	drawn         string // the last picture

	over        bool // no more frames come
	interrupted bool // by control-C
}

func (m model) wasInterrupted() bool { return m.interrupted }

func newModel(o Options) model {
	return model{
		play: o.Play, style: o.Style,
		store: newStore(), head: playhead{live: !o.Play, speed: o.Speed},
	}
}

// Init requests the terminal's background. A terminal that does not respond counts as dark.
func (m model) Init() tea.Cmd { return tea.Batch(tick(), tea.RequestBackgroundColor) }

// tick is the only clock: it sends a tickMsg after redraw.
func tick() tea.Cmd { return tea.Tick(redraw, func(time.Time) tea.Msg { return tickMsg{} }) }

// View returns the last picture: data between two ticks is not shown yet.
func (m model) View() tea.View { return tea.View{Content: m.drawn, AltScreen: true} }

// Update handles a message.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tickMsg:
		return m.passed(), tick()
	case frameMsg:
		return m.add(msg.Frame), nil
	case logMsg:
		m.log, m.dirty = string(msg), true
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
		return m.press(msg.Key())
	}
	return m, nil
}

// passed handles a tick: it advances a recording, and redraws if data has changed.
func (m model) passed() model {
	if m.play && !m.choice.Paused && !m.head.live {
		before := m.head.at
		m.head = m.head.pass(redraw, m.store.end())
		m.dirty = m.dirty || m.head.at != before
	}
	if m.head.live && !m.play && !m.over && m.store.newest().StaleSeconds > 0 {
		m.unseen += redraw
		m.dirty = true
	}
	if m.dirty {
		return m.draw()
	}
	return m
}

// add stores a new frame. The first one is drawn at once.
func (m model) add(f frame.Frame) model {
	m.store.add(f)
	m.unseen = 0
	if m.head.live {
		m.dirty = true
	}
	if len(m.store.moments) == 1 {
		return m.draw()
	}
	return m
}

// end handles the end of the frames. A watch ends with its query, unless the user has opened or selected something; a
// recording stays on the screen.
func (m model) end(err error) (tea.Model, tea.Cmd) {
	m.over, m.dirty = true, true
	switch {
	case m.play && err != nil:
		m.log = err.Error()
	case m.play:
	case err != nil || m.head.live && m.choice == (screen.Choice{}):
		return m, tea.Quit
	default:
		m.log = "the query has ended; q leaves"
	}
	return m, nil
}

// draw makes the picture of the current data.
func (m model) draw() model {
	m.dirty = false
	s := screen.State{
		Width: m.width, Height: m.height, Style: m.style, Choice: m.choice, Log: m.log,
	}
	if m.head.live {
		m.head.at = m.store.end()
	}
	if i := m.store.index(m.head.at); i >= 0 {
		m.shown = m.store.moments[i].frame
		f := m.shown
		if m.unseen > 0 && i == len(m.store.moments)-1 {
			f = f.Older(m.unseen) // until the next frame comes, which may take a minute if a cluster does not respond
		}
		s.Frame, s.Past = &f, m.store.upTo(i)
		s.Play = m.playback()
		if behind := m.behind(i); behind != "" {
			s.Log = behind
		}
	}
	m.drawn = strings.Join(screen.Draw(s), "\n")
	return m
}

// playback returns the position in a recording; nil for a watch.
func (m model) playback() *screen.Playback {
	if !m.play {
		return nil
	}
	p := &screen.Playback{Speed: m.head.shownSpeed(m.store.end()), At: m.shown.Elapsed()}
	if m.over {
		newest := m.store.newest()
		length := newest.Elapsed()
		p.Length = &length
	}
	return p
}

// behind says how far back the picture is, if a watcher looks back.
func (m model) behind(shown int) string {
	back := m.store.end() - m.store.moments[shown].at
	if m.play || m.head.live || back == 0 || m.choice.Paused {
		return ""
	}
	return "looking back: " + units.Short(back) + " before the newest; end shows that"
}
