package tty

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A stuck terminal takes the first picture, and then nothing before it is let go.
type stuck struct {
	*terminal
	asked chan struct{} // closed when it is written to in vain
	letGo chan struct{}
	once  sync.Once
}

func (x *stuck) Write(p []byte) (int, error) {
	if strings.Contains(x.written(), enters) {
		x.once.Do(func() { close(x.asked) })
		<-x.letGo
	}
	return x.terminal.Write(p)
}

// TestStuckTerminal: who watches a query goes on while the terminal takes nothing, and what it shows afterwards is the
// newest.
func TestStuckTerminal(t *testing.T) {
	x := &stuck{terminal: newTerminal(t), asked: make(chan struct{}), letGo: make(chan struct{})}
	var talk strings.Builder
	aside := NewAside(&talk)
	s := New(Options{Live: true, In: x.in, Out: x, Env: []string{"TERM=xterm-256color"}, Aside: aside},
		tea.WithWindowSize(80, 24))
	err := s.Run(t.Context(), func(context.Context) error {
		if err := s.Show(frame.Tick{Frame: frameAt(1, 1)}); err != nil {
			return err
		}
		x.waits(enters)
		if err := s.Show(frame.Tick{Frame: frameAt(2, 1)}); err != nil {
			return err
		}
		<-x.asked
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
	if n := strings.Count(talk.String(), "\n"); n != 1000 {
		t.Errorf("%d lines were said, want 1000", n)
	}
}

// TestPastIsWhole: of a recording no frame is missing, however slowly they are taken, and its end comes after all of
// them.
func TestPastIsWhole(t *testing.T) {
	for _, n := range []int{mostWaiting, 1000} {
		b := newMailbox(true)
		done, ended, put := make(chan result, 1), make(chan result, 1), make(chan struct{})
		go func() {
			for i := range n {
				b.frame(frameAt(float64(i), 1))
			}
			done <- result{}
			close(put)
		}()
		if n <= mostWaiting {
			<-put
		}
		taken, over := 0, make(chan struct{})
		go b.forward(func(m tea.Msg) {
			switch m := m.(type) {
			case frameMsg:
				if got := float64(m.Elapsed()); got != float64(taken) {
					t.Errorf("the frame of %g s comes, want %d s", got, taken)
				}
				taken++
			case overMsg:
				if taken != n {
					t.Errorf("%d frames came before the end, want %d", taken, n)
				}
				close(over)
			}
		}, done, ended)
		<-over
		<-ended
		close(b.closed)
		for range 2 * mostWaiting {
			b.frame(frameAt(2000, 1)) // nobody takes it, and nobody waits
		}
	}
}
