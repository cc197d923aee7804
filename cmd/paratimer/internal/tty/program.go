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

// ErrLeft is that the reader has left before the end was known; ErrInterrupted that it was by control-C.
var (
	ErrLeft        = errors.New("left before the end")
	ErrInterrupted = errors.New("interrupted")
)

// Options are what a screen is.
type Options struct {
	// Play: frames come from a recording, ahead of what is shown. Else a query is watched, and the newest frame is
	// shown.
	Play bool
	// Live: frames come whether or not somebody looks. Where the terminal takes nothing, frames are left out, and
	// nobody waits for it.
	Live bool
	// Speed is how many times as fast as it was a recording is played: infinite does not wait, 0 lets it last half a
	// minute.
	Speed float64
	Style screen.Style
	// In and Out are the terminal; nil In: the one that the process was started on. Env is its environment, as in
	// os.Environ.
	In  io.Reader
	Out io.Writer
	Env []string
	// Aside is the stream that others talk on while the screen is up; nil: nobody does.
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

// New prepares a screen. The terminal is left alone until Run has something to show.
func New(o Options, more ...tea.ProgramOption) *Screen {
	options := append([]tea.ProgramOption{
		tea.WithOutput(o.Out), tea.WithEnvironment(o.Env),
		// Signals are the command's: they cancel Run's context.
		tea.WithoutSignalHandler(),
	}, more...)
	if o.In != nil {
		options = append(options, tea.WithInput(o.In))
	}
	return &Screen{
		aside: o.Aside, program: tea.NewProgram(newModel(o), options...), box: newMailbox(!o.Live),
		began: make(chan struct{}),
	}
}

// Show hands a frame on to the screen. It is called by one goroutine at a time, and of what is live waits for nothing.
func (s *Screen) Show(tick frame.Tick) error {
	f := tick.Frame
	if !s.first {
		s.first = true
		close(s.began)
	}
	s.box.frame(f)
	return nil
}

// Run has work, in a goroutine of its own, show frames, and shows the screen from the first frame on. Work must return
// soon after its context is done. The screen ends when the reader leaves, when ctx is done, or when work has come to an
// end and the reader can have seen it; the terminal is then as it was before. The error is ErrLeft where the reader has
// left before work was over, ErrInterrupted where it was by control-C, the cause of ctx where that has ended the
// screen, else work's.
func (s *Screen) Run(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan result, 1)
	go func() { done <- guarded(ctx, work) }()
	select {
	case r := <-done:
		select {
		case <-s.began: // it was shown something that nobody has seen yet
			done <- r
		default:
			return r.get()
		}
	case <-s.began:
	}
	return s.up(ctx, cancel, done)
}

// up is the screen from its first frame to its end.
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
	m, _ := last.(model)
	why := ErrLeft
	if m.interrupted {
		why = ErrInterrupted
	}
	cancel(why)
	r := <-ended
	switch {
	case r.panicked != "":
		panic(r.panicked)
	case err != nil:
		return fmt.Errorf("the screen has failed; --plain shows lines: %w", err)
	case m.interrupted:
		return ErrInterrupted
	case r.err == nil:
		return stopped
	}
	return r.err
}

// A result is how work has ended.
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

// guarded calls work. A panic waits until the terminal is as it was.
func guarded(ctx context.Context, work func(context.Context) error) (r result) {
	defer func() {
		if p := recover(); p != nil {
			r.panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
		}
	}()
	return result{err: work(ctx)}
}

// Capable says whether a terminal of this environment and size, in cells, can show a screen.
func Capable(env func(string) string, width, height int) bool {
	t := env("TERM")
	return t != "" && t != "dumb" && width > 0 && height > 0
}

// UTF8 says whether the locale's characters are UTF-8, by the first of LC_ALL, LC_CTYPE and LANG that is set (POSIX,
// XBD 8.2).
func UTF8(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(env(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
