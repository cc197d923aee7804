package tty

import (
	"cmp"
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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &Screen{
		aside: o.Aside, box: newMailbox(false),
		program: o.program(fleetModel{queries: queries, draw: screen.Fleet{Style: o.Style}}, more),
	}
	done := make(chan result, 1)
	go func() {
		r := guarded(ctx, work)
		r.err = cmp.Or(r.err, context.Cause(ctx))
		done <- r
	}()
	return s.up(ctx, cancel, done)
}

// A fleetModel draws the current queries at each tick.
type fleetModel struct {
	queries     func() []view.Query
	draw        screen.Fleet
	interrupted bool
}

func (m fleetModel) wasInterrupted() bool { return m.interrupted }

// Init implements tea.Model.
func (m fleetModel) Init() tea.Cmd { return tea.Batch(tick(), tea.RequestBackgroundColor) }

// View implements tea.Model.
func (m fleetModel) View() tea.View {
	return tea.View{Content: strings.Join(screen.DrawFleet(m.draw), "\n"), AltScreen: true}
}

// Update implements tea.Model.
func (m fleetModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tickMsg:
		m.draw.Queries = m.queries()
		return m, tick()
	case stopMsg, overMsg:
		return m, tea.Quit
	case logMsg:
		m.draw.Log = strings.TrimRight(string(msg), "\n")
	case tea.BackgroundColorMsg:
		m.draw.Style.Light = !msg.IsDark()
	case tea.WindowSizeMsg:
		m.draw.Width, m.draw.Height, m.draw.Queries = msg.Width, msg.Height, m.queries()
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return m, nil
}

func (m fleetModel) press(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	page := max(m.draw.Height-6, 1)
	by := map[string]int{
		"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "pgdown": page,
		"home": -len(m.draw.Queries), "end": len(m.draw.Queries),
	}[k.String()]
	m.draw.First = min(max(m.draw.First+by, 0), max(len(m.draw.Queries)-page, 0))
	switch k.String() {
	case "ctrl+c":
		m.interrupted = true
		return m, tea.Quit
	case "q", "esc":
		return m, tea.Quit
	}
	return m, nil
}
