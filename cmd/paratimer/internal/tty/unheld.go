package tty

import (
	"fmt"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

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
