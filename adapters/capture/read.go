package capture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// Bounds for reading, so that a hostile file cannot fill the memory.
const (
	maxLine  = 160 << 20 // bytes of a line
	maxTotal = 16 << 30  // bytes of all lines, uncompressed
	maxMem   = 1 << 30   // bytes of stored bodies
)

// A VersionError means that a recording has a version that this program cannot read.
type VersionError struct {
	Line, Version int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("capture: line %d is of version %d, this program reads version %d: use a newer paratimer",
		e.Line, e.Version, Version)
}

// ErrNoCapture means that a file has no recorded responses.
var ErrNoCapture = errors.New(
	"capture: no recorded answer in it: not a capture (lines of JSON with t, url, status and body, plain, or packed by gzip or zstd)")

// Open reads the recording in file.
func Open(file string) (*Recording, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	defer f.Close()
	r, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// Read reads a recording, plain or compressed by gzip or zstd. A cut-off end is not an error: see Recording.Torn.
func Read(in io.Reader) (*Recording, error) {
	b, err := input.Unpack(in, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	r := &Recording{paths: map[string][]answer{}}
	total := 0
	var bad input.Streak
	for n := 1; ; n++ {
		line, err := readLine(b)
		if total += len(line); total > maxTotal || r.kept > maxMem {
			return nil, fmt.Errorf("capture: more than %d GB, or more than %d GB packed: too large to replay",
				maxTotal>>30, maxMem>>30)
		}
		whole := err == nil
		if err != nil && !errors.Is(err, io.EOF) {
			if errors.Is(err, errLine) {
				return nil, fmt.Errorf("capture: line %d: %w", n, err)
			}
			r.Torn = true // the compressed data is cut off
		}
		usable := r.Lines
		if len(bytes.TrimSpace(line)) > 0 {
			if err := r.line(line, n, whole); err != nil {
				return nil, err
			}
		}
		if r.Lines > usable {
			bad.Good()
		} else if err := bad.Bad(); err != nil {
			return nil, fmt.Errorf("capture: line %d: %w", n, err)
		}
		if !whole {
			break
		}
	}
	if r.Lines == 0 {
		return nil, ErrNoCapture
	}
	r.finish()
	return r, nil
}

// line adds one line. The last line may be incomplete.
func (r *Recording) line(line []byte, n int, whole bool) error {
	var rec Record
	err := json.Unmarshal(line, &rec)
	if rec.Version != 0 && rec.Version != Version {
		return &VersionError{Line: n, Version: rec.Version}
	}
	switch {
	case err == nil && rec.URL != "":
		r.add(&rec)
	case !whole:
		r.Torn = true
	default:
		r.Bad++
	}
	return nil
}

var errLine = fmt.Errorf("longer than %d MB", maxLine>>20)

func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errLine
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
