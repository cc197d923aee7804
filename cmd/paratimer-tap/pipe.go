//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// An observer observes how a command takes its input (see package measure). One goroutine calls it.
type observer interface {
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

// A feeder passes input to a command through a pipe.
type feeder struct {
	from, to int
	watch    observer
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

// newFeeder takes the descriptor of the input and the writing end of the pipe that the command reads. It makes the
// pipe non-blocking; Run closes it at the end. All calls of watch go through guard.
func newFeeder(from, to int, watch observer, guard func(func())) (*feeder, error) {
	if err := unix.SetNonblock(to, true); err != nil {
		return nil, err
	}
	f := &feeder{
		from: from, to: to, watch: watch, guard: guard, start: time.Now(), quick: quick, pause: pause,
		patience: leastPatience,
	}
	f.fine = narrow(to)
	f.coarse = !f.fine
	return f, nil
}

// Now returns the time since the feeder was created.
func (f *feeder) Now() time.Duration { return time.Since(f.start) }

// Run copies until the input ends or the command stops reading, and closes the pipe. isWhole means that the input has
// ended.
func (f *feeder) Run() (isWhole bool) {
	isWhole = f.run()
	if isWhole {
		f.guard(f.watch.Ended)
	} else {
		f.guard(f.watch.Stop)
	}
	_ = unix.Close(f.to)
	return isWhole
}

func (f *feeder) run() (isWhole bool) {
	buf := make([]byte, readSize)
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
func (f *feeder) read(buf []byte) (n int, isOpen bool) {
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
func (f *feeder) single(piece []byte) bool {
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
func (f *feeder) bulk(piece []byte) bool {
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

func (f *feeder) write(piece []byte) bool {
	n, err := write(f.to, piece)
	if err != nil && !again(err) {
		return false
	}
	f.written += int64(n)
	f.full = f.fine
	return true
}

// emptied records that the narrow pipe is empty.
func (f *feeder) emptied() {
	f.full = false
	f.mark(f.written)
}

// mark records how many bytes the command has taken.
func (f *feeder) mark(taken int64) {
	f.guard(func() { f.watch.Mark(f.Now(), taken) })
}

// look reads the fill level of the pipe and records how much the command has taken.
func (f *feeder) look() {
	if n, ok := unread(f.to); ok {
		f.mark(f.written - int64(n))
	}
}

// taken measures how fast the command takes its input. It switches to bulk after enough quick input, and returns true
// if the command is no longer quick.
func (f *feeder) taken() (slow bool) {
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
func (f *feeder) slowed() bool {
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
func (f *feeder) wait(milliseconds int, events int16) bool {
	fds := []unix.PollFd{{Fd: int32(f.to), Events: events}}
	return poll(fds, milliseconds) == nil && fds[0].Revents&gone == 0
}

// readSize is the size of one read: the usual capacity of a pipe.
const readSize = 64 << 10

// copyOutput copies from one descriptor to another until the input ends or the output cannot be written to. It detects
// a closed output even while there is no input. It passes data to see only after copying it, so that measuring does
// not delay the data. isWhole means that the input has ended; else the reader of the output has closed it, or err is
// why writing failed.
func copyOutput(from, to int, see func([]byte)) (isWhole bool, err error) {
	buf := make([]byte, readSize)
	fds := make([]unix.PollFd, 2)
	for {
		fds[0] = unix.PollFd{Fd: int32(from), Events: unix.POLLIN}
		fds[1] = unix.PollFd{Fd: int32(to)}
		if err := poll(fds, -1); err != nil {
			return false, err
		}
		if fds[1].Revents&gone != 0 {
			return false, nil
		}
		n, err := read(from, buf)
		switch {
		case again(err):
			continue
		case err != nil || n == 0:
			// To the reader of the output, an input that cannot be read has ended.
			return true, nil //nolint:nilerr // see above
		}
		if err := writeAll(to, buf[:n]); err != nil {
			return false, err
		}
		see(buf[:n])
	}
}

// writeAll writes everything, even if another process made the descriptor non-blocking.
func writeAll(to int, b []byte) error {
	for len(b) > 0 {
		n, err := write(to, b)
		if b = b[n:]; again(err) {
			err = poll([]unix.PollFd{{Fd: int32(to), Events: unix.POLLOUT}}, -1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func again(err error) bool {
	return err == unix.EAGAIN || err == unix.EWOULDBLOCK //nolint:errorlint // a system call's error is a number
}

// The functions below do not change the tap's inherited descriptors to non-blocking, because other processes share
// them.

func read(fd int, b []byte) (int, error) {
	return retry(func() (int, error) { return unix.Read(fd, b) })
}

func write(fd int, b []byte) (int, error) {
	return retry(func() (int, error) { return unix.Write(fd, b) })
}

// poll waits for any of fds, at most for the given milliseconds; without limit if negative.
func poll(fds []unix.PollFd, milliseconds int) error {
	_, err := retry(func() (int, error) { return unix.Poll(fds, milliseconds) })
	return err
}

// retry repeats a system call that a signal interrupts.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR { //nolint:errorlint // a system call's error is a number
			return max(0, n), err
		}
	}
}

// gone are the poll events of a pipe without a reader.
const gone = unix.POLLERR | unix.POLLNVAL

// pipe returns both ends of a pipe that child processes do not inherit.
func pipe() (r, w int, err error) {
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil {
		return 0, 0, err
	}
	unix.CloseOnExec(p[0])
	unix.CloseOnExec(p[1])
	return p[0], p[1], nil
}
