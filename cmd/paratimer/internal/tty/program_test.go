package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A fake terminal keeps the output, and sends keys.
type terminal struct {
	*testing.T
	mu   sync.Mutex
	out  strings.Builder
	in   *io.PipeReader
	keys *io.PipeWriter
}

func newTerminal(t *testing.T) *terminal {
	in, keys := io.Pipe()
	t.Cleanup(func() { keys.Close() })
	return &terminal{T: t, in: in, keys: keys}
}

func (x *terminal) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.Write(p)
}

func (x *terminal) written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.String()
}

// waits until something was written.
func (x *terminal) waits(want string) {
	x.Helper()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(x.written(), want); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			x.Errorf("%q was not written in a minute: %q", want, x.written())
			return
		}
	}
}

func (x *terminal) screen(o Options) *Screen {
	o.In, o.Out, o.Env = x.in, x, []string{"TERM=xterm-256color"}
	return New(o, tea.WithWindowSize(80, 24))
}

const (
	enters = "\x1b[?1049h"
	leaves = "\x1b[?1049l"
	hides  = "\x1b[?25l"
	unhide = "\x1b[?25h"
)

// restored checks that the terminal is as it was: the alternate screen left, the cursor to be seen.
func (x *terminal) restored() {
	x.Helper()
	out := x.written()
	if strings.Count(out, enters) == 0 || strings.LastIndex(out, leaves) < strings.LastIndex(out, enters) ||
		strings.LastIndex(out, unhide) < strings.LastIndex(out, hides) {
		x.Errorf("the terminal is not restored: %q", out)
	}
}

// TestNothingToShow: a watch that ends before its first frame leaves the terminal alone.
func TestNothingToShow(t *testing.T) {
	x, trouble := newTerminal(t), errors.New("trouble")
	if err := x.screen(Options{}).Run(t.Context(), func(context.Context) error { return trouble }); !errors.Is(err,
		trouble) {
		t.Errorf("error %v", err)
	}
	if out := x.written(); out != "" {
		t.Errorf("%q was written", out)
	}
}

// TestEndsWithItsWatch: the error is the watch's.
func TestEndsWithItsWatch(t *testing.T) {
	for _, trouble := range []error{nil, errors.New("trouble")} {
		x := newTerminal(t)
		s := x.screen(Options{})
		err := s.Run(t.Context(), func(context.Context) error {
			if err := s.Show(frame.Tick{Frame: frameAt(1, 1)}); err != nil {
				return err
			}
			x.waits(enters)
			return trouble
		})
		if !errors.Is(err, trouble) {
			t.Errorf("error %v, want %v", err, trouble)
		}
		x.restored()
	}
}

// TestLeft checks that q ends the watch, that control-C interrupts it, and that messages meanwhile are printed again.
func TestLeft(t *testing.T) {
	for key, want := range map[string]error{"q": ErrLeft, "\x03": ErrInterrupted} {
		x := newTerminal(t)
		var stderr strings.Builder
		aside := NewAside(&stderr)
		s := x.screen(Options{Aside: aside})
		err := s.Run(t.Context(), func(ctx context.Context) error {
			if err := s.Show(frame.Tick{Frame: frameAt(1, 1)}); err != nil {
				return err
			}
			x.waits(enters)
			if _, err := io.WriteString(aside, "beside the screen\n"); err != nil {
				return err
			}
			x.waits("beside the screen")
			if stderr.Len() > 0 {
				t.Errorf("while the screen was up: got %q on stderr", &stderr)
			}
			if _, err := io.WriteString(x.keys, key); err != nil {
				return err
			}
			<-ctx.Done()
			return context.Cause(ctx)
		})
		if !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
		if stderr.String() != "beside the screen\n" {
			t.Errorf("afterwards: got %q on stderr", &stderr)
		}
		x.restored()
	}
}

// TestStopped: a signal or a time limit is the context's end, whose cause is the error; a recording that has been read
// ends too.
func TestStopped(t *testing.T) {
	for _, play := range []bool{false, true} {
		x, stopped := newTerminal(t), errors.New("stopped")
		ctx, stop := context.WithCancelCause(t.Context())
		s := x.screen(Options{Play: play})
		err := s.Run(ctx, func(ctx context.Context) error {
			if err := s.Show(frame.Tick{Frame: frameAt(1, 1)}); err != nil {
				return err
			}
			x.waits(enters)
			stop(stopped)
			<-ctx.Done()
			return context.Cause(ctx)
		})
		if !errors.Is(err, stopped) {
			t.Errorf("error %v", err)
		}
		x.restored()
	}
}

// TestStoppedAtItsEnd: a recording that stays on the screen at its end gives way to a time limit, and that is the
// error.
func TestStoppedAtItsEnd(t *testing.T) {
	x, stopped := newTerminal(t), errors.New("stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	s := x.screen(Options{Play: true})
	go func() {
		x.waits(enters)
		stop(stopped)
	}()
	err := s.Run(ctx, func(context.Context) error { return s.Show(frame.Tick{Frame: frameAt(1, 1)}) })
	if !errors.Is(err, stopped) {
		t.Errorf("error %v", err)
	}
	x.restored()
}

// TestPanics: the terminal is restored before a panic of the watch goes on.
func TestPanics(t *testing.T) {
	x := newTerminal(t)
	s := x.screen(Options{Play: true})
	defer func() {
		if p, ok := recover().(string); !ok || !strings.HasPrefix(p, "a fault\n\n") ||
			!strings.Contains(p, "program_test.go") {
			t.Errorf("recovered %v", p)
		}
		x.restored()
	}()
	err := s.Run(t.Context(), func(context.Context) error {
		if err := s.Show(frame.Tick{Frame: frameAt(1, 1)}); err != nil {
			return err
		}
		x.waits(enters)
		panic("a fault")
	})
	t.Errorf("no panic but %v", err)
}

// TestShowAfterTheEnd: who goes on after the reader has left is not kept.
func TestShowAfterTheEnd(t *testing.T) {
	x := newTerminal(t)
	s := x.screen(Options{})
	err := s.Run(t.Context(), func(ctx context.Context) error {
		if err := s.Show(frame.Tick{Frame: frameAt(1, 1)}); err != nil {
			return err
		}
		x.waits(enters)
		if _, err := io.WriteString(x.keys, "q"); err != nil {
			return err
		}
		<-ctx.Done()
		return s.Show(frame.Tick{Frame: frameAt(2, 1)})
	})
	if err != nil {
		t.Errorf("error %v", err)
	}
}

// A stuck terminal takes the first picture, and then nothing before it is let go.
type stuck struct {
	*terminal
	blocked chan struct{} // closed when a write blocks
	letGo   chan struct{}
	once    sync.Once
}

func (x *stuck) Write(p []byte) (int, error) {
	if strings.Contains(x.written(), enters) {
		x.once.Do(func() { close(x.blocked) })
		<-x.letGo
	}
	return x.terminal.Write(p)
}

// TestStuckTerminal: a watch goes on while the terminal takes no output, and the screen afterwards is the
// newest.
func TestStuckTerminal(t *testing.T) {
	x := &stuck{terminal: newTerminal(t), blocked: make(chan struct{}), letGo: make(chan struct{})}
	var stderr strings.Builder
	aside := NewAside(&stderr)
	s := New(Options{In: x.in, Out: x, Env: []string{"TERM=xterm-256color"}, Aside: aside},
		tea.WithWindowSize(80, 24))
	err := s.Run(t.Context(), func(context.Context) error {
		if err := s.Show(frame.Tick{Frame: frameAt(1, 1)}); err != nil {
			return err
		}
		x.waits(enters)
		if err := s.Show(frame.Tick{Frame: frameAt(2, 1)}); err != nil {
			return err
		}
		<-x.blocked
		for i := range 1000 {
			if err := s.Show(frame.Tick{Frame: frameAt(float64(3+i), 1)}); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(aside, "line %d\n", i); err != nil {
				return err
			}
		}
		close(x.letGo)
		x.waits("16:42 ") // 1002 s
		x.waits("line 999")
		_, err := io.WriteString(x.keys, "q")
		return err
	})
	if err != nil {
		t.Error(err)
	}
	x.restored()
	if n := strings.Count(stderr.String(), "\n"); n != mostAside+2 {
		t.Errorf("got %d lines, want %d", n, mostAside+2)
	}
}

// TestPastIsWhole: of a recording no frame is missing at its end, however fast it is read.
func TestPastIsWhole(t *testing.T) {
	x := newTerminal(t)
	s := x.screen(Options{Play: true})
	err := s.Run(t.Context(), func(context.Context) error {
		for i := range 1000 {
			if err := s.Show(frame.Tick{Frame: frameAt(float64(i), 1)}); err != nil {
				return err
			}
		}
		x.waits(enters)
		_, err := io.WriteString(x.keys, "q")
		return err
	})
	if n := len(s.store.moments); err != nil && !errors.Is(err, ErrLeft) || n != 1000 {
		t.Errorf("%d frames, error %v", n, err)
	}
}
