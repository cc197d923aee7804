package tty

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
)

// press handles a key and redraws at once.
func (m model) press(k tea.Key) (tea.Model, tea.Cmd) {
	switch name := k.String(); {
	case name == "ctrl+c":
		m.interrupted = true
		return m, tea.Quit
	case name == "ctrl+z":
		return m, suspend
	default:
		return m.act(screen.ActionOf(name))
	}
}

func (m model) act(a screen.Action) (tea.Model, tea.Cmd) {
	end := m.store.end()
	if m.head.live {
		m.head.at = end
	}
	switch a {
	case screen.NoAction:
		return m, nil
	case screen.Quit:
		return m, tea.Quit
	case screen.Pause:
		m = m.pause(end)
		return m.draw(), nil
	case screen.Forward:
		m = m.step(1)
	case screen.Back:
		m = m.step(-1)
	case screen.FarForward:
		m.head = m.head.to(m.head.at+end/far, end)
	case screen.FarBack:
		m.head = m.head.to(m.head.at-end/far, end)
	case screen.Start:
		m.head = m.head.to(0, end)
	case screen.End:
		m.head.at, m.head.live, m.choice.Paused = end, true, false
	case screen.Faster:
		m.head = m.head.faster(2, end)
	case screen.Slower:
		m.head = m.head.faster(0.5, end)
	}
	// A watch that is back at its newest frame follows it again.
	if !m.play {
		m.head.live = !m.choice.Paused && m.head.at == end
	}
	m.choice = screen.Press(m.choice, a, m.frame())
	return m.draw(), nil
}

// A small step is at least a hundredth of the run, a large one a tenth.
const (
	near = 100
	far  = 10
)

// step moves by a hundredth of the run, or to the next frame if that is further.
func (m model) step(direction int) model {
	end, here := m.store.end(), m.store.index(m.head.at)
	if here < 0 {
		return m
	}
	at := m.head.at + time.Duration(direction)*end/near
	next := m.store.moments[min(max(0, here+direction), len(m.store.moments)-1)].at
	if direction > 0 {
		m.head = m.head.to(max(at, next), end)
	} else {
		m.head = m.head.to(min(at, next), end)
	}
	return m
}

// pause toggles the pause. Then a watch continues at its newest frame, and a recording that has ended starts again.
func (m model) pause(end time.Duration) model {
	if m.play && m.over && m.head.at >= end {
		m.head, m.choice.Paused = m.head.to(0, end), false
		return m
	}
	m.choice = screen.Press(m.choice, screen.Pause, m.frame())
	m.head.live = !m.play && !m.choice.Paused
	return m
}

// frame returns the frame on the screen; nil before the first.
func (m model) frame() *frame.Frame {
	if len(m.store.moments) == 0 {
		return nil
	}
	f := m.shown
	return &f
}
