package tty

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// mostWaiting is how many frames wait for a slow screen.
const mostWaiting = 16

// A mailbox decouples senders from the program, which takes no messages while its terminal is blocked, as on a
// hanging link. In a live watch senders never block: the newest message replaces the oldest one.
type mailbox struct {
	hold   bool // senders of a replay block until there is room: no frame may be lost
	frames chan frame.Frame
	lines  chan string
	closed chan struct{} // the program has ended
}

func newMailbox(hold bool) *mailbox {
	return &mailbox{hold, make(chan frame.Frame, mostWaiting), make(chan string, 1), make(chan struct{})}
}

// frame adds a frame.
func (b *mailbox) frame(f frame.Frame) {
	if b.hold {
		select {
		case b.frames <- f:
		case <-b.closed:
		}
		return
	}
	newest(b.frames, f)
}

// line adds a line for the log line.
func (b *mailbox) line(s string) { newest(b.lines, s) }

// newest puts v into a queue. If the queue is full, it drops the oldest.
func newest[T any](queue chan T, v T) {
	for {
		select {
		case queue <- v:
			return
		default:
		}
		select {
		case <-queue:
		default:
		}
	}
}

// forward passes on messages until the box is closed. It sends all waiting frames before the message that work has
// ended; the result goes to ended too. send returns when the program has taken a message, or has ended.
func (b *mailbox) forward(send func(tea.Msg), done <-chan result, ended chan<- result) {
	for {
		select {
		case f := <-b.frames:
			send(frameMsg{f})
		case s := <-b.lines:
			send(logMsg(s))
		case r := <-done:
			for len(b.frames) > 0 {
				send(frameMsg{<-b.frames})
			}
			send(overMsg{r.err})
			if r.panicked != "" {
				send(stopMsg{})
			}
			done = nil
			ended <- r
		case <-b.closed:
			if done != nil {
				ended <- <-done
			}
			return
		}
	}
}

// An Unheld shows live frames in its own goroutine, so that a blocked terminal, as after control-S, does not delay
// the watch. If the terminal is far behind, frames are dropped, but never the newest.
type Unheld struct {
	box  *mailbox
	done chan error // the error of show; closed when no more frames are shown
}

// NewUnheld returns an Unheld that calls show, which may block.
func NewUnheld(show func(frame.Tick) error) *Unheld {
	u := &Unheld{newMailbox(false), make(chan error, 1)}
	go func() {
		defer close(u.done)
		for f := range u.box.frames {
			if err := show(frame.Tick{Frame: f}); err != nil {
				u.done <- err
				return
			}
		}
	}()
	return u
}

// Show queues a frame. It returns the error of an earlier one. One goroutine at a time calls it.
func (u *Unheld) Show(tick frame.Tick) error {
	select {
	case err := <-u.done:
		return err
	default:
		u.box.frame(tick.Frame)
		return nil
	}
}

// Close waits until all queued frames are shown, and returns the error of show.
func (u *Unheld) Close() error {
	close(u.box.frames)
	if err := <-u.done; err != nil {
		return fmt.Errorf("cannot show a frame: %w", err)
	}
	return nil
}
