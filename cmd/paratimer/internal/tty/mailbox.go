package tty

import (
	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// mostWaiting is how many frames wait for a screen that is behind.
const mostWaiting = 16

// A mailbox stands between those who have news and the program, which takes none while its terminal takes nothing, as
// when the link to it hangs. What is live is never held up by that: the oldest news gives way to the newest.
type mailbox struct {
	hold   bool // frames of the past wait until there is room: none may be missing
	frames chan frame.Frame
	lines  chan string
	closed chan struct{} // nobody takes any more
}

func newMailbox(hold bool) *mailbox {
	return &mailbox{hold, make(chan frame.Frame, mostWaiting), make(chan string, 1), make(chan struct{})}
}

// frame takes in a frame.
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

// line takes in a line for the log line.
func (b *mailbox) line(s string) { newest(b.lines, s) }

// newest puts v into a queue; where that is full, the oldest goes.
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

// forward sends on what comes, until the box is closed: frames before the news that work is over, which goes to ended
// too. Send returns when the program has taken a message, or has ended.
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
