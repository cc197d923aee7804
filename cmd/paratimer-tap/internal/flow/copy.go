//go:build unix

package flow

import (
	"golang.org/x/sys/unix"
)

// Size is the size of one read: the usual capacity of a pipe.
const Size = 64 << 10

// Copy copies from one descriptor to another until the input ends or the output cannot be written to. It detects a
// closed output even while there is no input. It passes data to see only after copying it, so that measuring does not
// delay the data. isWhole means that the input has ended; else the reader of the output has closed it, or err is why
// writing failed.
func Copy(from, to int, see func([]byte)) (isWhole bool, err error) {
	buf := make([]byte, Size)
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
