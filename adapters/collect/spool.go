package collect

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/tap"
)

// ReadSpool adds a file that a tap wrote because no collector was there: a batch per line, each as hostile as a
// posted one. received is the time at which all of them count as received. An unusable line, such as the torn last
// line of a killed task, does not stop the others. An error is the reader's, or that too many lines in a row are
// unusable, or else that of the first unusable line.
func ReadSpool(r io.Reader, store *Store, received time.Time) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 2*tap.MaxBatchBytes)
	in.Split(splitLines)
	var bad input.Streak
	var first error
	for n := 1; in.Scan(); n++ {
		line := bytes.TrimSpace(in.Bytes())
		b, err := tap.Decode(bytes.NewReader(line))
		if err == nil {
			bad.Good()
			err = store.Take(&b, received)
		} else if tooMany := bad.Bad(); tooMany != nil {
			return fmt.Errorf("line %d: %w", n, tooMany)
		}
		if err != nil && len(line) > 0 && first == nil {
			first = fmt.Errorf("line %d: %w", n, err)
		}
	}
	return cmp.Or(in.Err(), first)
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
