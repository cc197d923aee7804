package tty

import (
	"context"
	"fmt"
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
	options := append([]tea.ProgramOption{
		tea.WithOutput(o.Out), tea.WithEnvironment(o.Env),
		tea.WithoutSignalHandler(),
	}, more...)
	if o.In != nil {
		options = append(options, tea.WithInput(o.In))
	}
	program := tea.NewProgram(fleetModel{queries: queries, draw: screen.Fleet{Style: o.Style}}, options...)
	done := make(chan result, 1)
	go func() {
		done <- guarded(ctx, work)
		program.Send(stopMsg{})
	}()
	defer context.AfterFunc(ctx, func() { program.Send(stopMsg{}) })()
	if o.Aside != nil {
		o.Aside.divert(func(line string) { program.Send(fleetLine(line)) })
	}
	last, err := program.Run()
	stopped := context.Cause(ctx)
	if o.Aside != nil {
		if e := o.Aside.restore(); err == nil {
			err = e
		}
	}
	m, _ := last.(fleetModel)
	why := ErrLeft
	if m.interrupted {
		why = ErrInterrupted
	}
	cancel(why)
	r := <-done
	switch {
	case r.panicked != "":
		panic(r.panicked)
	case err != nil:
		return fmt.Errorf("the screen has failed; --plain shows lines: %w", err)
	case stopped != nil:
		return stopped
	case m.left:
		return why
	}
	return r.err
}

// A fleetLine is a line for the log line.
type fleetLine string

// A fleetModel draws the current queries at each tick.
type fleetModel struct {
	queries           func() []view.Query
	draw              screen.Fleet
	left, interrupted bool
}

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
	case stopMsg:
		return m, tea.Quit
	case fleetLine:
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
		m.left, m.interrupted = true, true
		return m, tea.Quit
	case "q", "esc":
		m.left = true
		return m, tea.Quit
	}
	return m, nil
}
