//go:build unix

package flow

import (
	"golang.org/x/sys/unix"
)

// Descriptors are used as they are: what the tap was given may not be made non-blocking, for it is shared.

func read(fd int, b []byte) (int, error) {
	for {
		n, err := unix.Read(fd, b)
		if err != unix.EINTR { //nolint:errorlint // a system call's error is a number
			return max(0, n), err
		}
	}
}

func write(fd int, b []byte) (int, error) {
	for {
		n, err := unix.Write(fd, b)
		if err != unix.EINTR { //nolint:errorlint // a system call's error is a number
			return max(0, n), err
		}
	}
}

// poll waits for any of these, at most for so many milliseconds, without end if negative.
func poll(fds []unix.PollFd, milliseconds int) error {
	for {
		_, err := unix.Poll(fds, milliseconds)
		if err != unix.EINTR { //nolint:errorlint // a system call's error is a number
			return err
		}
	}
}

// gone are the signs that nobody will read from a pipe any more.
const gone = unix.POLLERR | unix.POLLNVAL
