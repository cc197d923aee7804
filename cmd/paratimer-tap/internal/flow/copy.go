//go:build unix

package flow

import (
	"golang.org/x/sys/unix"
)

// Size is the size of one read: the usual capacity of a pipe.
const Size = 64 << 10

// An End is the reason why copying ended.
type End int

// The ends.
const (
	EOF    End = iota // the input has ended
	Closed            // the reader of the output has closed it
	Failed            // writing the output failed: see the error
)

// Copy copies from one descriptor to another until the input ends or the output cannot be written to. It detects a
// closed output even while there is no input. It passes data to see only after copying it, so that measuring does not
// delay the data.
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
			// To the reader of the output, an input that cannot be read has ended.
			return EOF, nil //nolint:nilerr // see above
		}
		if end, err := writeAll(to, buf[:n]); err != nil {
			return end, err
		}
		see(buf[:n])
	}
}

// writeAll writes everything, even if another process made the descriptor non-blocking.
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
