//go:build unix

package flow

import (
	"golang.org/x/sys/unix"
)

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
