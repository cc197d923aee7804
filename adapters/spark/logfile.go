package spark

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
	"github.com/paratimer/paratimer/adapters/internal/input"
)

// rolled is the name of a piece of a log: events_1_app-20261122165821-0002.zstd; a compacted one ends in .compact.
var rolled = regexp.MustCompile(`^events_(\d{1,9})_.+$`)

// mostFiles bounds the pieces of a log.
const mostFiles = 10_000

// IsLog reports whether a file is an event log, a zip as the history server gives it, or a folder with the pieces of a
// rolling log.
func IsLog(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	if info.IsDir() {
		return len(pieces(os.DirFS(name), ".")) > 0
	}
	if !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(eventlog.SnappyMagic))
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	if bytes.HasPrefix(head, []byte(eventlog.ZipMagic)) || bytes.HasPrefix(head, []byte(eventlog.LZ4Magic)) ||
		bytes.HasPrefix(head, []byte(eventlog.SnappyMagic)) {
		return true
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false
	}
	b, err := input.Unpack(f, eventlog.ReadSize)
	if err != nil {
		return false
	}
	text, _ := b.Peek(200)
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n\ufeff"), []byte(`{"Event":"SparkListener`)) ||
		bytes.HasPrefix(text, []byte(`{"Event":"org.apache.spark`))
}

// OpenLog reads what IsLog recognizes. The error names the file.
func OpenLog(name string) (*Log, error) {
	l, err := openLog(name)
	if err == nil {
		err = l.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

func openLog(name string) (*Log, error) {
	l := newLog()
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return l, l.readAll(os.DirFS(name), ".")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, len(eventlog.ZipMagic))
	n, _ := io.ReadFull(f, head)
	if string(head[:n]) == eventlog.ZipMagic {
		z, err := zip.NewReader(f, info.Size())
		if err != nil {
			return nil, fmt.Errorf("spark: %w", err)
		}
		return l, l.readAll(z, ".")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return l, l.read(f)
}

// readAll reads the pieces of a rolling log in a folder or zip in their order; without such the only file that there
// is.
func (l *Log) readAll(in fs.FS, folder string) error {
	list := pieces(in, folder)
	if len(list) == 0 {
		return errors.New("spark: there is no event log in it")
	}
	for _, name := range list {
		if err := l.readPiece(in, name); err != nil {
			return fmt.Errorf("%s: %w", filepath.ToSlash(name), err)
		}
	}
	return nil
}

func (l *Log) readPiece(in fs.FS, name string) error {
	f, err := in.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was read
	return l.read(f)
}

// pieces lists the pieces of a rolling log below a folder, in their order. Where one is compacted those before it are
// left out. A zip of a log that is one file has that alone.
func pieces(in fs.FS, folder string) []string {
	type piece struct {
		name    string
		n       int
		compact bool
	}
	var all []piece
	var others []string
	seen := 0
	_ = fs.WalkDir(in, folder, func(name string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > mostFiles {
			return fs.SkipAll
		}
		if d.IsDir() || !d.Type().IsRegular() {
			return nil
		}
		if m := rolled.FindStringSubmatch(path.Base(name)); m != nil {
			n, _ := strconv.Atoi(m[1])
			all = append(all, piece{name, n, path.Ext(name) == ".compact"})
		} else {
			others = append(others, name)
		}
		return nil
	})
	slices.SortFunc(all, func(a, b piece) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.name, b.name)) })
	var out []string
	for _, p := range all {
		if p.compact {
			out = nil
		}
		out = append(out, p.name)
	}
	if _, isZip := in.(*zip.Reader); isZip && len(out) == 0 && len(others) == 1 {
		return others
	}
	return out
}
