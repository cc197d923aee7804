package eventlog

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
)

// A zipReader reads the files of a zip one after another while the zip arrives. The reader of the standard library
// needs the directory at the end of the zip, and therefore all of it.
type zipReader struct {
	in      *bufio.Reader
	left    int       // remaining bytes for the files
	files   int       // files read
	file    io.Reader // the current file, nil before the first
	trailed bool      // its lengths come after its data
}

// mostFiles bounds the files of a zip.
const mostFiles = 200

// Headers of a zip: those of files, and the trailer after a file with initially unknown length.
const (
	zipHeader  = 30
	zipTrailer = "PK\x07\x08"
	zipTrailed = 1 << 3 // a flag: there is a trailer
	zipSecret  = 1 << 0 // a flag: the file is encrypted
	zipStored  = 0
	zipDeflate = 8
)

var (
	errZip    = errors.New("the zip of an event log is damaged")
	errBounds = errors.New("the event log is longer than what is read of it")
)

// next returns the next file, and io.EOF after the last one.
func (z *zipReader) next() (io.Reader, error) {
	if err := z.finish(); err != nil {
		return nil, err
	}
	if z.files++; z.files > mostFiles {
		return nil, errBounds
	}
	var head [zipHeader]byte
	if _, err := io.ReadFull(z.in, head[:]); err != nil || string(head[:4]) != ZipMagic {
		return nil, io.EOF
	}
	short := func(at int) int { return int(binary.LittleEndian.Uint16(head[at:])) }
	flags, method, size := short(6), short(8), binary.LittleEndian.Uint32(head[18:])
	if _, err := z.in.Discard(short(26) + short(28)); err != nil {
		return nil, err
	}
	z.trailed = flags&zipTrailed != 0
	switch {
	case flags&zipSecret != 0:
		return nil, errZip
	case method == zipDeflate:
		z.file = flate.NewReader(z.in) // reads no further than its end, since z.in reads single bytes
	case method == zipStored && !z.trailed:
		z.file = io.LimitReader(z.in, int64(size))
	default:
		return nil, errZip
	}
	return z, nil
}

// Read reads the current file.
func (z *zipReader) Read(p []byte) (int, error) {
	if z.left <= 0 {
		return 0, errBounds
	}
	n, err := z.file.Read(p)
	z.left -= n
	return n, err
}

// finish skips the rest of a file.
func (z *zipReader) finish() error {
	if z.file == nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, z); err != nil {
		return err
	}
	z.file = nil
	if !z.trailed {
		return nil
	}
	n := 3 * 4
	if sign, _ := z.in.Peek(len(zipTrailer)); string(sign) == zipTrailer {
		n += len(zipTrailer)
	}
	_, err := z.in.Discard(n)
	return err
}
