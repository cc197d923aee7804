//go:build unix

package flow

import (
	"golang.org/x/sys/unix"
)

// Size is how much is read at once: what a pipe usually holds.
const Size = 64 << 10

// An End is how copying has ended.
type End int

// The ends.
const (
	EOF    End = iota // the input has ended
	Closed            // nobody reads the output any more
	Failed            // the output cannot be written to: an error says why
)

// Copy copies from one descriptor to another until the input ends, or until the output cannot be written to: that is
// seen also while there is no input. What has been copied is shown to see afterwards, never before, so that measuring
// holds up nobody.
func Copy(from, to int, see func([]byte)) (End, error) {
	buf := make([]byte, Size)
	fds := make([]unix.PollFd, 2)
	for {
		fds[0] = unix.PollFd{Fd: int32(from), Events: unix.POLLIN}
		fds[1] = unix.PollFd{Fd: int32(to)}
		if err := poll(fds, -1); err != nil {
			return Failed, err
		}
		if fds[1].Revents&gone != 0 {
			return Closed, nil
		}
		n, err := read(from, buf)
		switch {
		case again(err):
			continue
		case err != nil || n == 0:
			// An input that cannot be read has ended, as far as a reader of the output can see.
			return EOF, nil //nolint:nilerr // see above
		}
		if end, err := writeAll(to, buf[:n]); err != nil {
			return end, err
		}
		see(buf[:n])
	}
}

// writeAll writes everything, also to a descriptor that somebody has made non-blocking.
func writeAll(to int, b []byte) (End, error) {
	for len(b) > 0 {
		n, err := write(to, b)
		b = b[n:]
		switch {
		case again(err):
			if err := poll([]unix.PollFd{{Fd: int32(to), Events: unix.POLLOUT}}, -1); err != nil {
				return Failed, err
			}
		case err == unix.EPIPE: //nolint:errorlint // a system call's error is a number
			return Closed, err
		case err != nil:
			return Failed, err
		}
	}
	return EOF, nil
}

func again(err error) bool {
	return err == unix.EAGAIN || err == unix.EWOULDBLOCK //nolint:errorlint // a system call's error is a number
}
