package input

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// ErrLong means that a line has too many bytes. The next call of Line continues in it.
var ErrLong = errors.New("it is too long")

// Line reads a line of at most most bytes, without its end. It returns io.EOF after the last one. If the text ends
// within a line, it returns that part with an error that is io.ErrUnexpectedEOF.
func Line(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > most:
			return nil, fmt.Errorf("%w: it has more than %d MB", ErrLong, most>>20)
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err //nolint:wrapcheck // it is the reader's
		}
	}
}
