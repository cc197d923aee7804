package tty

import (
	"fmt"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// An Unheld shows live frames in a goroutine of its own, so that a terminal that takes nothing, as after control-S,
// holds up no watch. Where it is far behind, frames are left out, but the newest never.
type Unheld struct {
	box    *mailbox
	failed chan error
	shown  chan struct{} // closed when no more is shown
}

// NewUnheld shows by show, which may wait.
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

// Show takes a frame in. Its error is that of an earlier one. It is called by one goroutine at a time.
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

// Close waits until what was taken in is shown.
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
