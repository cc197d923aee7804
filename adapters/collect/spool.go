package collect

import (
	"bufio"
	"bytes"
	"errors"
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
	in := bufio.NewReaderSize(r, tap.MaxBatchBytes+1)
	var bad input.Streak
	var first error
	for n := 1; ; n++ {
		line, end := in.ReadSlice('\n') // a line that is longer than a batch comes in pieces, which are unusable
		if len(line) == 0 {
			if errors.Is(end, io.EOF) {
				return first
			}
			return end
		}
		line = bytes.TrimSpace(line)
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
}
