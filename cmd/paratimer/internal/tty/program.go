package tty

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
)

// ErrLeft means that the user quit before the query ended; ErrInterrupted means that it was by control-C.
var (
	ErrLeft        = errors.New("left before the end")
	ErrInterrupted = errors.New("interrupted")
)

// Options configure a screen.
type Options struct {
	// Play: frames come from a recording, ahead of the screen. Otherwise a query is watched, and the newest frame is
	// shown.
	Play bool
	// Speed is the replay's speed as a multiple of real time: infinite does not wait, 0 takes half a minute for the
	// recording.
	Speed float64
	Style screen.Style
	// In and Out are the terminal; nil In: the process's own. Env is its environment, as in os.Environ.
	In  io.Reader
	Out io.Writer
	Env []string
	// Aside is the stream for log output while the screen is up; nil: none.
	Aside *Aside
}

// A Screen is a watch.Sink that shows frames full screen.
type Screen struct {
	aside   *Aside
	program *tea.Program
	store   *store
	began   chan struct{} // closed at the first frame
	first   sync.Once
}

// New prepares a screen. It does not touch the terminal: Run does, at the first frame.
func New(o Options, more ...tea.ProgramOption) *Screen {
	m := newModel(o)
	return newScreen(o, m, m.store, more)
}

// newScreen returns a screen with the program of a model, which reads a store.
func newScreen(o Options, m tea.Model, s *store, more []tea.ProgramOption) *Screen {
	options := append([]tea.ProgramOption{
		tea.WithOutput(o.Out), tea.WithEnvironment(o.Env),
		// Signals are the command's: they cancel Run's context.
		tea.WithoutSignalHandler(),
	}, more...)
	if o.In != nil {
		options = append(options, tea.WithInput(o.In))
	}
	if o.Aside == nil {
		o.Aside = NewAside(io.Discard)
	}
	return &Screen{aside: o.Aside, program: tea.NewProgram(m, options...), store: s, began: make(chan struct{})}
}

// Show passes a frame to the screen. It never waits for the terminal. One goroutine at a time calls it.
func (s *Screen) Show(tick frame.Tick) error {
	s.store.add(tick.Frame)
	s.first.Do(func() { close(s.began) })
	return nil
}

// Run calls work in its own goroutine, which shows frames, and shows the screen from the first frame on. work must
// return soon after its context is done. The screen ends when the user quits, when ctx is done, or when work has
// ended and the user could see the result; the terminal is then restored. The error is ErrLeft if the user quit
// before work ended, ErrInterrupted if it was by control-C, the cause of ctx if that ended the screen, else work's.
// A panic of work goes on after the terminal is restored.
func (s *Screen) Run(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var result error
	var fault any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				result, fault = errPanicked, fmt.Sprintf("%v\n\n%s", p, debug.Stack())
			}
		}()
		result = work(ctx)
	}()
	select {
	case <-s.began:
	case <-done:
	}
	var err, stopped error
	select {
	case <-s.began:
		err = s.up(ctx, done, &result)
		stopped = context.Cause(ctx)
	default: // there is nothing to show
	}
	interrupted := errors.Is(err, tea.ErrInterrupted)
	if interrupted {
		cancel(ErrInterrupted)
	}
	cancel(ErrLeft)
	<-done
	switch {
	case fault != nil:
		panic(fault)
	case interrupted:
		return ErrInterrupted
	case err != nil:
		return fmt.Errorf("the screen has failed; --plain shows lines: %w", err)
	case result == nil:
		return stopped
	}
	return result
}

// up shows the screen until it ends. result is that of work, once done is closed.
func (s *Screen) up(ctx context.Context, done <-chan struct{}, result *error) error {
	defer context.AfterFunc(ctx, func() { s.program.Send(stopMsg{}) })()
	go func() {
		<-done
		s.program.Send(overMsg{*result})
	}()
	s.aside.divert(s.store.say)
	_, err := s.program.Run()
	return cmp.Or(err, s.aside.restore())
}

// errPanicked means that work has panicked.
var errPanicked = errors.New("panicked")

// Capable reports whether a terminal of this environment and size, in cells, can show a screen.
func Capable(env func(string) string, width, height int) bool {
	t := env("TERM")
	return t != "" && t != "dumb" && width > 0 && height > 0
}

// UTF8 reports whether the locale uses UTF-8, by the first of LC_ALL, LC_CTYPE and LANG that is set (POSIX, XBD 8.2).
func UTF8(env func(string) string) bool {
	v := strings.ToLower(cmp.Or(env("LC_ALL"), env("LC_CTYPE"), env("LANG")))
	return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
}
