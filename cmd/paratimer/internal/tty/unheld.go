package tty

import (
	"fmt"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// An Unheld shows live frames in its own goroutine, so that a blocked terminal, as after control-S, does not delay
// the watch. If the terminal is far behind, frames are dropped, but never the newest.
type Unheld struct {
	box    *mailbox
	failed chan error
	shown  chan struct{} // closed when no more frames are shown
}

// NewUnheld returns an Unheld that calls show, which may block.
func NewUnheld(show func(frame.Tick) error) *Unheld {
	u := &Unheld{newMailbox(false), make(chan error, 1), make(chan struct{})}
	go func() {
		defer close(u.shown)
		for f := range u.box.frames {
			if err := show(frame.Tick{Frame: f}); err != nil {
				u.failed <- err
				return
			}
		}
	}()
	return u
}

// Show queues a frame. It returns the error of an earlier one. One goroutine at a time calls it.
func (u *Unheld) Show(tick frame.Tick) error {
	f := tick.Frame
	select {
	case err := <-u.failed:
		return err
	default:
	}
	u.box.frame(f)
	return nil
}

// Close waits until all queued frames are shown, and returns the error of show.
func (u *Unheld) Close() error {
	close(u.box.frames)
	<-u.shown
	select {
	case err := <-u.failed:
		return fmt.Errorf("cannot show a frame: %w", err)
	default:
		return nil
	}
}
