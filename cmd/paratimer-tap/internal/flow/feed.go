//go:build unix

// Package flow copies data between descriptors: to a command's input, and from its output. It behaves like a pipe:
// bytes stay in order, nothing is held back, and a closed reader is detected at once.
package flow

import (
	"time"

	"golang.org/x/sys/unix"
)

// A Watcher observes how a command takes its input (see package groups). One goroutine calls it.
type Watcher interface {
	Feed(piece []byte)                   // the next bytes, before the command gets them
	Cut(from int64) int64                // position at which the command should take everything before it gets more
	Mark(now time.Duration, taken int64) // the command has taken that many bytes
	Ended()                              // the input has ended
	Stop()                               // the command takes no more
}

const (
	page = 4096
	// A pause for each page costs about ten microseconds. A command that takes more than quick bytes a second gets
	// its input in large pieces instead, and its groups are measured less precisely.
	quick = 12 << 20
	// window is the number of bytes over which the speed is measured.
	window = 256 << 10
	// pause is the longest wait of a quick command. After a longer one it no longer counts as quick.
	pause = 10 * time.Millisecond
	// patience is the number of bytes that must be taken quickly before the switch. It doubles after each wrong
	// switch.
	leastPatience, mostPatience = 1 << 20, 8 << 20
)

// A Feeder passes input to a command through a pipe.
type Feeder struct {
	from, to int
	watch    Watcher
	guard    func(func()) // calls a function of watch, and contains its panics
	start    time.Time

	coarse  bool  // the pipe cannot be made narrow
	fine    bool  // the pipe is narrow: it accepts data only when it is empty
	full    bool  // fine, and the pipe is not empty
	written int64 // bytes written into the pipe

	quick    float64 // bytes a second
	pause    time.Duration
	begun    time.Duration // start of the window
	since    int64         // value of written at that time
	streak   int64         // bytes in a row that were taken quickly
	patience int64
}

// NewFeeder takes the descriptor of the input and the writing end of the pipe that the command reads. It makes the
// pipe non-blocking; Run closes it at the end. All calls of watch go through guard.
func NewFeeder(from, to int, watch Watcher, guard func(func())) (*Feeder, error) {
	if err := unix.SetNonblock(to, true); err != nil {
		return nil, err
	}
	f := &Feeder{
		from: from, to: to, watch: watch, guard: guard, start: time.Now(), quick: quick, pause: pause,
		patience: leastPatience,
	}
	f.fine = narrow(to)
	f.coarse = !f.fine
	return f, nil
}

// Coarse reports whether groups are measured only in steps of 64 KiB.
func (f *Feeder) Coarse() bool { return f.coarse }

// Now returns the time since the feeder was created.
func (f *Feeder) Now() time.Duration { return time.Since(f.start) }

// Run copies until the input ends or the command stops reading, and closes the pipe. isWhole means that the input has
// ended.
func (f *Feeder) Run() (isWhole bool) {
	isWhole = f.run()
	if isWhole {
		f.guard(f.watch.Ended)
	} else {
		f.guard(f.watch.Stop)
	}
	_ = unix.Close(f.to)
	return isWhole
}

func (f *Feeder) run() (isWhole bool) {
	buf := make([]byte, Size)
	for {
		n, isOpen := f.read(buf)
		if n == 0 {
			return isOpen
		}
		f.guard(func() { f.watch.Feed(buf[:n]) })
		for piece := buf[:n]; len(piece) > 0; {
			from := f.written
			give := f.bulk
			if f.fine {
				give = f.single
			}
			if !give(piece) {
				return false
			}
			piece = piece[f.written-from:]
		}
	}
}

// read waits for input; there is none at its end. Meanwhile it detects when the command empties the pipe or closes it.
func (f *Feeder) read(buf []byte) (n int, isOpen bool) {
	fds := make([]unix.PollFd, 2)
	for {
		fds[0] = unix.PollFd{Fd: int32(f.from), Events: unix.POLLIN}
		fds[1] = unix.PollFd{Fd: int32(f.to)}
		if f.full {
			fds[1].Events = unix.POLLOUT
		}
		if err := poll(fds, -1); err != nil {
			return 0, true
		}
		switch {
		case fds[1].Revents&gone != 0:
			return 0, false
		case fds[1].Revents&unix.POLLOUT != 0:
			f.emptied()
		}
		if fds[0].Revents == 0 {
			continue
		}
		n, err := read(f.from, buf)
		if !again(err) {
			return n, true
		}
	}
}

// single writes one piece into the narrow pipe once it is empty. It returns false if the command has closed the pipe.
func (f *Feeder) single(piece []byte) bool {
	if f.full {
		if !f.wait(-1, unix.POLLOUT) {
			return false
		}
		f.emptied()
		if f.taken(); !f.fine {
			return true
		}
	}
	n := int64(min(len(piece), page))
	f.guard(func() { n = max(1, min(n, f.watch.Cut(f.written)-f.written)) })
	return f.write(piece[:n])
}

// bulk writes as much as the pipe takes. It returns false if the command has closed the pipe.
func (f *Feeder) bulk(piece []byte) bool {
	from := f.written
	if !f.write(piece) {
		return false
	}
	stopped := time.Duration(0)
	if f.written == from {
		before := f.Now()
		if !f.wait(-1, unix.POLLOUT) {
			return false
		}
		stopped = f.Now() - before
	}
	f.look()
	if slow := f.taken(); slow || stopped > f.pause && !f.coarse {
		return f.slowed()
	}
	return true
}

func (f *Feeder) write(piece []byte) bool {
	n, err := write(f.to, piece)
	if err != nil && !again(err) {
		return false
	}
	f.written += int64(n)
	f.full = f.fine
	return true
}

// emptied records that the narrow pipe is empty.
func (f *Feeder) emptied() {
	f.full = false
	f.mark(f.written)
}

// mark records how many bytes the command has taken.
func (f *Feeder) mark(taken int64) {
	f.guard(func() { f.watch.Mark(f.Now(), taken) })
}

// look reads the fill level of the pipe and records how much the command has taken.
func (f *Feeder) look() {
	if n, ok := unread(f.to); ok {
		f.mark(f.written - int64(n))
	}
}

// taken measures how fast the command takes its input. It switches to bulk after enough quick input, and returns true
// if the command is no longer quick.
func (f *Feeder) taken() (slow bool) {
	bytes := f.written - f.since
	if f.coarse || bytes < window {
		return false
	}
	now := f.Now()
	speed := float64(bytes) / (now - f.begun).Seconds()
	f.begun, f.since = now, f.written
	if !f.fine {
		return speed < f.quick/2
	}
	f.streak += bytes
	if speed < f.quick {
		f.streak = 0
	}
	if f.streak >= f.patience {
		f.fine, f.streak = false, 0
		widen(f.to)
	}
	return false
}

// slowed switches back to the narrow pipe, which is possible once at most one page is in it.
func (f *Feeder) slowed() bool {
	f.patience = min(2*f.patience, mostPatience)
	for wait := 1; !narrow(f.to); wait = min(2*wait, 16) {
		if !f.wait(wait, 0) {
			return false
		}
		f.look()
	}
	f.fine, f.full = true, true
	return true
}

// wait waits for the pipe, at most for the given milliseconds. It returns false if the command has closed the pipe.
func (f *Feeder) wait(milliseconds int, events int16) bool {
	fds := []unix.PollFd{{Fd: int32(f.to), Events: events}}
	return poll(fds, milliseconds) == nil && fds[0].Revents&gone == 0
}
