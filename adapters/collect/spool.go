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

// A Spooled says what became of the lines of a spool.
type Spooled struct {
	Taken, Refused int
	// First is why the first line was refused that was; nil: none.
	First error
}

// ReadSpool takes in a file that a tap wrote because no collector was there: a batch a line, each as hostile as one
// that was posted. received is when they count as received. A line that cannot be used, the torn last one of a task
// that was killed among them, keeps none of the others out. An error is the reader's, or means that too many lines in a
// row cannot be used.
func ReadSpool(r io.Reader, store *Store, received time.Time) (s Spooled, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var bad input.Streak
	for n := 1; ; n++ {
		line, long, err := readLine(in, tap.MaxBatchBytes)
		var b tap.Batch
		switch {
		case errors.Is(err, io.EOF):
			return s, nil
		case err != nil:
			return s, err
		case long:
			err = fmt.Errorf("more than %d bytes", tap.MaxBatchBytes)
		case len(line) > 0:
			b, err = tap.Decode(bytes.NewReader(line))
		}
		if err != nil || len(line) == 0 {
			if err != nil {
				s.refuse(n, err)
			}
			if err := bad.Bad(); err != nil {
				return s, fmt.Errorf("line %d: %w", n, err)
			}
			continue
		}
		bad.Good()
		if err := store.Take(&b, received); err != nil {
			s.refuse(n, err)
			continue
		}
		s.Taken++
	}
}

func (s *Spooled) refuse(line int, err error) {
	if s.Refused++; s.First == nil {
		s.First = fmt.Errorf("line %d: %w", line, err)
	}
}

// readLine reads a line without its end. Of one of more than most bytes nothing is kept but that it is long. io.EOF
// comes after the last line.
func readLine(in *bufio.Reader, most int) (line []byte, long bool, err error) {
	any := false
	for {
		part, err := in.ReadSlice('\n')
		any = any || len(part) > 0
		if len(line)+len(part) > most+1 {
			line, long = nil, true
		}
		if !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && any:
			err = nil
		}
		return bytes.TrimSpace(line), long, err
	}
}
