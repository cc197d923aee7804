package recording

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A rawLine is a line of a recording, or the reason why there is none.
type rawLine struct {
	number int
	text   []byte
	bad    error // error if text is not a line
	torn   bool  // the recording is cut off in this line
	end    bool  // end of the recording
	err    error // error of the file
}

// lines reads one line ahead, because the last whole line needs a warning if a cut-off line follows.
type lines struct {
	in    *bufio.Reader
	limit int // bytes of a line
	next  rawLine
}

// readSize is the number of bytes per read.
const readSize = 1 << 16

var errTorn = errors.New("the recording breaks off in the middle of this line")

// read moves to the next line. At the end and after an error it does nothing.
func (l *lines) read() {
	if l.next.end || l.next.err != nil {
		return
	}
	if l.next.torn {
		l.next = rawLine{number: l.next.number, end: true}
		return
	}
	l.next = rawLine{number: l.next.number + 1}
	for {
		part, err := l.in.ReadSlice('\n')
		if l.next.bad == nil && len(l.next.text)+len(part) > l.limit {
			l.next.text, l.next.bad = nil, fmt.Errorf("longer than %d bytes", l.limit)
		}
		if l.next.bad == nil {
			l.next.text = append(l.next.text, part...)
		}
		switch {
		case err == nil:
			return
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			l.next.err = fmt.Errorf("recording: line %d: %w", l.next.number, err)
		case errors.Is(err, io.EOF) && len(l.next.text) == 0 && l.next.bad == nil:
			l.next.end = true
		case !errors.Is(err, io.EOF) || !json.Valid(l.next.text):
			l.next.torn, l.next.bad = true, errTorn
		}
		return
	}
}
