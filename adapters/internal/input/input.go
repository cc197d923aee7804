// Package input reads data of other programs: files of lines, which may be compressed or damaged, responses to quote,
// and JSON values that may have the wrong type. Map, Only and Unique make lists of others.
package input

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The magic bytes of compressions.
const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
	lz4Magic  = "\x04\x22\x4d\x18"
	// snappyMagic begins the framing format of snappy's own tools.
	snappyMagic = "\xff\x06\x00\x00sNaPpY"
)

// maxWindow bounds the memory for reading a zstd file, in bytes: the limit of zstd itself without a flag, up to
// --long=27.
const maxWindow = 128 << 20

// Unpack returns the text of in: plain, or compressed by gzip, zstd, lz4 or snappy, judged by its first bytes. It
// reads size bytes at a time. Compressed data that is cut off or damaged ends in an error that is
// io.ErrUnexpectedEOF. Errors of in are returned unchanged.
func Unpack(in io.Reader, size int) (*bufio.Reader, error) {
	from := &source{in: in}
	b := bufio.NewReaderSize(from, size)
	magic, _ := b.Peek(len(snappyMagic)) // a file that is too short for its magic is plain
	is := func(want string) bool { return bytes.HasPrefix(magic, []byte(want)) }
	var packed io.Reader
	var err error
	switch {
	case is(gzipMagic):
		packed, err = newMembers(b)
	case is(zstdMagic):
		packed, err = zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
	case is(lz4Magic):
		packed = lz4.NewReader(b)
	case is(snappyMagic):
		packed = s2.NewReader(b)
	default:
		return b, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot unpack: %w", err)
	}
	return bufio.NewReaderSize(&text{packed: packed, from: from}, size), nil
}

// members reads the members of a gzip file. Unlike gzip.Reader it returns the content of a member before it looks for
// the next one, which matters for a file that is still written.
type members struct {
	in *bufio.Reader
	z  *gzip.Reader
}

func newMembers(in *bufio.Reader) (*members, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{in, z}, nil
}

func (m *members) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if n > 0 {
		return n, nil
	}
	if err := m.z.Reset(m.in); err != nil {
		return 0, err // io.EOF if there is no other member
	}
	m.z.Multistream(false)
	return 0, nil
}

// A source stores the error of its reader.
type source struct {
	in  io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// A text distinguishes damaged compressed data from errors of the source.
type text struct {
	packed io.Reader
	from   *source
}

func (t *text) Read(p []byte) (int, error) {
	n, err := t.packed.Read(p)
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case t.from.err != nil:
		return n, t.from.err
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return n, fmt.Errorf("%w: zstd needs more than %d MB to unpack it: unpack it with zstd -d --long=31 first", err,
			maxWindow>>20)
	}
	return n, fmt.Errorf("%w: the compressed data is damaged: %w", io.ErrUnexpectedEOF, err)
}

// mostBad bounds the unusable lines in a row. Damage usually affects a few lines of a file. But a zipped file of a
// few kilobytes can have millions of short lines, and each unusable one is counted or causes a warning.
const mostBad = 1000

// A Streak counts the unusable lines since the last good one. The zero value is ready for use.
type Streak int

// Good resets the count.
func (s *Streak) Good() { *s = 0 }

// Bad counts a line, and returns an error if there were too many in a row.
func (s *Streak) Bad() error {
	if *s++; *s <= mostBad {
		return nil
	}
	return fmt.Errorf("more than %d lines in a row cannot be used: the file is damaged, or not of this kind", mostBad)
}

// Only returns the items of a list that have a property.
func Only[T any](list []T, has func(T) bool) (out []T) {
	for _, v := range list {
		if has(v) {
			out = append(out, v)
		}
	}
	return out
}

// Unique sorts a list, and returns it without repeated items.
func Unique[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

// OneLine returns the first line of s in printable runes, at most most of them, so that it fits into an error message.
func OneLine(s string, most int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// ErrLong means that a line has too many bytes. The next call of Line reads the one after it.
var ErrLong = errors.New("it is too long")

// Line reads a line of at most most bytes, without its end. It returns io.EOF after the last one. If the text ends
// within a line, it returns that part with an error that is io.ErrUnexpectedEOF.
func Line(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	isLong := false
	for {
		part, err := in.ReadSlice('\n')
		if isLong = isLong || len(line)+len(part) > most; !isLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case isLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, fmt.Errorf("%w: it has more than %d MB", ErrLong, most>>20)
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, io.ErrUnexpectedEOF
		default:
			return line, err //nolint:wrapcheck // it is the reader's
		}
	}
}

// EachFile calls visit for each file in a folder and its subfolders, most at most, until it returns an error. It calls
// skip for each folder that cannot be read.
func EachFile(ctx context.Context, in fs.FS, folder string, most int, skip func(name string, err error),
	visit func(name string, d fs.DirEntry) error,
) error {
	files := 0
	return fs.WalkDir(in, folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && d != nil && d.IsDir():
			skip(name, err)
			return fs.SkipDir
		case err != nil || d.IsDir():
			return err
		}
		if files++; files > most {
			return fmt.Errorf("%s: more than %d files: give a smaller folder", folder, most)
		}
		return visit(name, d)
	})
}

var sparkEvent = regexp.MustCompile(`(?m)^\s*\{.*?"Event"\s*:\s*"(SparkListener|org\.apache\.spark\.|DBCEventLogging|com\.databricks\.)`)

// IsEventLog reports whether a text, the beginning of a file, has a line that is an event of Spark or Databricks. Its
// first lines may be damaged or incomplete.
func IsEventLog(text []byte) bool { return sparkEvent.Match(text) }
