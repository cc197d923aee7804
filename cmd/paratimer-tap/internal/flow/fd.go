//go:build unix

package flow

import (
	"golang.org/x/sys/unix"
)

// The functions below do not change the tap's inherited descriptors to non-blocking, because other processes share
// them.

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

// poll waits for any of fds, at most for the given milliseconds; without limit if negative.
func poll(fds []unix.PollFd, milliseconds int) error {
	for {
		_, err := unix.Poll(fds, milliseconds)
		if err != unix.EINTR { //nolint:errorlint // a system call's error is a number
			return err
		}
	}
}

// gone are the poll events of a pipe without a reader.
const gone = unix.POLLERR | unix.POLLNVAL
