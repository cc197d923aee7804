package tty

import (
	"context"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// A Fleet is a sink of many watches that shows a list of their queries full screen, and each of them as New does.
type Fleet struct {
	o       Options
	queries func() []view.Query

	mu     sync.Mutex
	stores map[string]*store // of the listed queries, by id
}

// NewFleet returns a Fleet. queries returns the queries in display order, and may be called at any time.
func NewFleet(o Options, queries func() []view.Query) *Fleet {
	return &Fleet{o: o, queries: queries, stores: map[string]*store{}}
}

// Show keeps the frame of a query. All queries together have the budget of one screen.
func (f *Fleet) Show(tick frame.Tick) error {
	id := tick.Frame.IDs()[0]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stores[id] == nil {
		listed := map[string]*store{id: newStore()}
		for _, q := range f.queries() {
			if s := f.stores[q.ID]; s != nil {
				listed[q.ID] = s
			}
		}
		f.stores = listed
	}
	s := f.stores[id]
	s.most, s.mostHeld = budget/len(f.stores), taskBudget/len(f.stores)
	s.add(tick.Frame)
	return nil
}

// Run shows the queries while work runs in its own goroutine. The error is as in Screen.Run.
func (f *Fleet) Run(ctx context.Context, work func(context.Context) error, more ...tea.ProgramOption) error {
	log := newStore()
	s := newScreen(f.o, fleetModel{fleet: f, store: log, draw: screen.Fleet{Style: f.o.Style}}, log, more)
	close(s.began)
	return s.Run(ctx, work)
}

// A fleetModel draws the current queries at each tick, or the one that the user has opened.
type fleetModel struct {
	fleet *Fleet
	store *store // it has the log line alone
	draw  screen.Fleet
	// picked is the id of the selected query; "": the first one, whatever it is.
	picked string
	// opened is the screen of a query; nil: the list is shown.
	opened *model
}

// Init implements tea.Model.
func (m fleetModel) Init() tea.Cmd { return tea.Batch(tick(), tea.RequestBackgroundColor) }

// View implements tea.Model.
func (m fleetModel) View() tea.View {
	if m.opened != nil {
		return m.opened.View()
	}
	return tea.View{Content: strings.Join(screen.DrawFleet(m.draw), "\n"), AltScreen: true}
}

// Update implements tea.Model.
func (m fleetModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.store.Lock() // the newest log line is below the list, and below the opened query
	log := m.store.log
	m.store.Unlock()
	if log != m.draw.Log && m.opened != nil {
		m.opened.store.say(log)
	}
	m.draw.Log = log
	switch msg := msg.(type) {
	case tickMsg:
		m = m.list()
		if m.opened == nil {
			return m, tick()
		}
	case stopMsg, overMsg:
		return m, tea.Quit
	case tea.BackgroundColorMsg:
		m.draw.Style.Light = !msg.IsDark()
	case tea.WindowSizeMsg:
		m.draw.Width, m.draw.Height = msg.Width, msg.Height
		m = m.list()
	case tea.PasteMsg:
		return m.typed(msg.Content), nil
	case tea.KeyPressMsg:
		a := screen.ActionOf(msg.String())
		switch {
		case m.opened == nil:
			return m.press(msg.Key(), a)
		case msg.String() != "ctrl+c" && (a == screen.Quit || a == screen.Close && m.opened.choice.IsMain()):
			m.opened = nil
			return m.list(), nil
		}
	}
	if m.opened == nil {
		return m, nil
	}
	return m.show(*m.opened, msg)
}

// show passes a message to the screen of a query, which is open afterwards.
func (m fleetModel) show(one model, msg tea.Msg) (tea.Model, tea.Cmd) {
	next, cmd := one.Update(msg)
	m.opened = new(next.(model))
	return m, cmd
}

// list updates the list. The selected query stays selected where it moves to.
func (m fleetModel) list() fleetModel {
	m.draw.Queries = m.fleet.queries()
	if m.picked == "" {
		return m.pick(0)
	}
	at := slices.IndexFunc(m.draw.Shown(), func(q view.Query) bool { return q.ID == m.picked })
	if at < 0 {
		at = m.draw.Selected
	}
	return m.pick(at)
}

// pick selects a query by its index.
func (m fleetModel) pick(at int) fleetModel {
	shown := m.draw.Shown()
	m.draw.Selected, m.picked = max(min(at, len(shown)-1), 0), ""
	if m.draw.Selected > 0 {
		m.picked = shown[m.draw.Selected].ID
	}
	return m
}

// press handles a key of the list.
func (m fleetModel) press(key tea.Key, a screen.Action) (tea.Model, tea.Cmd) {
	switch name := key.String(); {
	case name == "ctrl+c":
		return m, tea.Interrupt
	case name == "ctrl+z":
		return m, suspend
	case a == screen.Close && key.Code == tea.KeyEscape:
		m.draw.Filter, m.draw.Typing = "", false
	case a == screen.Close && m.draw.Typing:
		letters := []rune(m.draw.Filter)
		m.draw.Filter = string(letters[:max(len(letters)-1, 0)])
	case m.draw.Typing && key.Code == tea.KeyEnter:
		m.draw.Typing = false
	case m.draw.Typing && key.Text != "":
		return m.typed(key.Text), nil
	case key.Text == "/":
		m.draw.Typing = true
	case a == screen.Tasks:
		return m.open()
	case a == screen.Quit:
		return m, tea.Quit
	}
	m = m.list()
	page, all := max(m.draw.Rows()-1, 1), len(m.draw.Queries)
	return m.pick(m.draw.Selected + map[screen.Action]int{
		screen.Up: -1, screen.Down: 1, screen.PageUp: -page, screen.PageDown: page, screen.Start: -all, screen.End: all,
	}[a]), nil
}

// typed adds a text to the filter.
func (m fleetModel) typed(text string) fleetModel {
	if m.draw.Typing {
		m.draw.Filter += text
	}
	return m.list()
}

// open shows the selected query.
func (m fleetModel) open() (tea.Model, tea.Cmd) {
	var s *store
	if shown := m.draw.Shown(); len(shown) > 0 {
		m.fleet.mu.Lock()
		s = m.fleet.stores[shown[m.draw.Selected].ID]
		m.fleet.mu.Unlock()
	}
	if s == nil {
		return m, nil
	}
	s.say(m.draw.Log)
	one := model{listed: true, style: m.draw.Style, store: s, head: playhead{live: true}}
	return m.show(one, tea.WindowSizeMsg{Width: m.draw.Width, Height: m.draw.Height})
}
