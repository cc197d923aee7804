package collect

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/tap"
)

// A Spooled counts the lines of a spool.
type Spooled struct {
	Taken, Refused int
	// First is why the first refused line was refused; nil if none was.
	First error
}

// ReadSpool adds a file that a tap wrote because no collector was there: a batch per line, each as hostile as a
// posted one. received is the time at which all of them count as received. An unusable line, such as the torn last
// line of a killed task, does not stop the others. An error is the reader's, or means that too many lines in a row
// are unusable.
func ReadSpool(r io.Reader, store *Store, received time.Time) (s Spooled, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 2*tap.MaxBatchBytes)
	in.Split(splitLines)
	var bad input.Streak
	for n := 1; in.Scan(); n++ {
		line := bytes.TrimSpace(in.Bytes())
		b, err := tap.Decode(bytes.NewReader(line))
		if err != nil {
			if tooMany := bad.Bad(); tooMany != nil {
				return s, fmt.Errorf("line %d: %w", n, tooMany)
			}
		} else {
			bad.Good()
			err = store.Take(&b, received)
		}
		switch {
		case err == nil:
			s.Taken++
		case len(line) > 0:
			if s.Refused++; s.First == nil {
				s.First = fmt.Errorf("line %d: %w", n, err)
			}
		}
	}
	return s, in.Err()
}

// splitLines splits lines for a bufio.Scanner. A line that is longer than a batch comes in pieces, which are unusable.
func splitLines(data []byte, atEnd bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if len(data) > tap.MaxBatchBytes || atEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
