package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

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
	// Live: frames come at their own pace. If the terminal is blocked, frames are dropped, and Show does not block.
	Live bool
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
	box     *mailbox
	began   chan struct{} // closed at the first frame
	first   bool
}

// New prepares a screen. It does not touch the terminal: Run does, at the first frame.
func New(o Options, more ...tea.ProgramOption) *Screen {
	return &Screen{
		aside: o.Aside, program: o.program(newModel(o), more), box: newMailbox(!o.Live), began: make(chan struct{}),
	}
}

// program returns the program of a model on the terminal.
func (o Options) program(m tea.Model, more []tea.ProgramOption) *tea.Program {
	options := append([]tea.ProgramOption{
		tea.WithOutput(o.Out), tea.WithEnvironment(o.Env),
		// Signals are the command's: they cancel Run's context.
		tea.WithoutSignalHandler(),
	}, more...)
	if o.In != nil {
		options = append(options, tea.WithInput(o.In))
	}
	return tea.NewProgram(m, options...)
}

// Show passes a frame to the screen. One goroutine at a time calls it. In a live watch it never blocks.
func (s *Screen) Show(tick frame.Tick) error {
	if !s.first {
		s.first = true
		close(s.began)
	}
	s.box.frame(tick.Frame)
	return nil
}

// Run calls work in its own goroutine, which shows frames, and shows the screen from the first frame on. work must
// return soon after its context is done. The screen ends when the user quits, when ctx is done, or when work has
// ended and the user could see the result; the terminal is then restored. The error is ErrLeft if the user quit
// before work ended, ErrInterrupted if it was by control-C, the cause of ctx if that ended the screen, else work's.
func (s *Screen) Run(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan result, 1)
	go func() { done <- guarded(ctx, work) }()
	select {
	case r := <-done:
		select {
		case <-s.began: // the last frame was not on the screen yet
			done <- r
		default:
			return r.get()
		}
	case <-s.began:
	}
	return s.up(ctx, cancel, done)
}

// up runs the screen from its first frame to its end.
func (s *Screen) up(ctx context.Context, cancel context.CancelCauseFunc, done <-chan result) error {
	ended := make(chan result, 1)
	go s.box.forward(s.program.Send, done, ended)
	stop := context.AfterFunc(ctx, func() { s.program.Send(stopMsg{}) })
	if s.aside != nil {
		s.aside.divert(s.box.line)
	}
	last, err := s.program.Run()
	close(s.box.closed)
	stop()
	stopped := context.Cause(ctx)
	if s.aside != nil {
		if e := s.aside.restore(); err == nil {
			err = e
		}
	}
	m, _ := last.(interface{ wasInterrupted() bool })
	interrupted := m != nil && m.wasInterrupted()
	if interrupted {
		cancel(ErrInterrupted)
	}
	cancel(ErrLeft)
	r := <-ended
	switch {
	case r.panicked != "":
		panic(r.panicked)
	case err != nil:
		return fmt.Errorf("the screen has failed; --plain shows lines: %w", err)
	case interrupted:
		return ErrInterrupted
	case r.err == nil:
		return stopped
	}
	return r.err
}

// A result is the result of work.
type result struct {
	err      error
	panicked string
}

func (r result) get() error {
	if r.panicked != "" {
		panic(r.panicked)
	}
	return r.err
}

// guarded calls work and catches a panic, which is raised again once the terminal is restored.
func guarded(ctx context.Context, work func(context.Context) error) (r result) {
	defer func() {
		if p := recover(); p != nil {
			r.panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
		}
	}()
	return result{err: work(ctx)}
}

// Capable reports whether a terminal of this environment and size, in cells, can show a screen.
func Capable(env func(string) string, width, height int) bool {
	t := env("TERM")
	return t != "" && t != "dumb" && width > 0 && height > 0
}

// UTF8 reports whether the locale uses UTF-8, by the first of LC_ALL, LC_CTYPE and LANG that is set (POSIX, XBD 8.2).
func UTF8(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(env(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
