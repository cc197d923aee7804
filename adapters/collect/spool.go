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

// readLine reads a line without its end. If the line has more than most bytes, it returns only that it is long.
// io.EOF comes after the last line.
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
