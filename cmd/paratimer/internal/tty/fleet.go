package tty

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// RunFleet shows many queries full screen while work runs in its own goroutine. queries returns them in display
// order, and may be called at any time. The error is as in Screen.Run.
func RunFleet(ctx context.Context, o Options, queries func() []view.Query, work func(context.Context) error,
	more ...tea.ProgramOption,
) error {
	log := newStore()
	s := newScreen(o, fleetModel{queries: queries, store: log, draw: screen.Fleet{Style: o.Style}}, log, more)
	close(s.began)
	return s.Run(ctx, func(ctx context.Context) error {
		if err := work(ctx); err != nil {
			return err
		}
		return context.Cause(ctx)
	})
}

// A fleetModel draws the current queries at each tick.
type fleetModel struct {
	queries func() []view.Query
	store   *store // it has the log line alone
	draw    screen.Fleet
}

// Init implements tea.Model.
func (m fleetModel) Init() tea.Cmd { return tea.Batch(tick(), tea.RequestBackgroundColor) }

// View implements tea.Model.
func (m fleetModel) View() tea.View {
	return tea.View{Content: strings.Join(screen.DrawFleet(m.draw), "\n"), AltScreen: true}
}

// Update implements tea.Model.
func (m fleetModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.store.Lock()
	m.draw.Log = m.store.log
	m.store.Unlock()
	switch msg := msg.(type) {
	case tickMsg:
		m.draw.Queries = m.queries()
		return m, tick()
	case stopMsg, overMsg:
		return m, tea.Quit
	case tea.BackgroundColorMsg:
		m.draw.Style.Light = !msg.IsDark()
	case tea.WindowSizeMsg:
		m.draw.Width, m.draw.Height, m.draw.Queries = msg.Width, msg.Height, m.queries()
	case tea.KeyPressMsg:
		return m.press(msg.String())
	}
	return m, nil
}

func (m fleetModel) press(key string) (tea.Model, tea.Cmd) {
	page, all := max(m.draw.Height-6, 1), len(m.draw.Queries)
	by := map[string]int{
		"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "pgdown": page, "home": -all, "end": all,
	}[key]
	m.draw.First = min(max(m.draw.First+by, 0), max(all-page, 0))
	switch key {
	case "ctrl+c":
		return m, tea.Interrupt
	case "q", "esc":
		return m, tea.Quit
	}
	return m, nil
}
