package spark

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
	"github.com/paratimer/paratimer/dag"
)

// IsLog reports whether a local path is an event log, a zip, or a folder with event logs.
func IsLog(name string) bool {
	in, file := local(name)
	logs, _ := FindLogs(context.Background(), in, file) // an unreadable file is not a log
	return len(logs) > 0 || isZip(in, file)
}

// local returns a local folder as a file system, and the name in it. For a file it returns the file's folder.
func local(name string) (in fs.FS, file string) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return os.DirFS(name), "."
	}
	return os.DirFS(filepath.Dir(name)), filepath.Base(name)
}

// A LogFile is the location of an event log: a file, or the pieces of a rolling log.
type LogFile struct {
	Name string          // the path of the file, of the folder with pieces, or within a zip
	Read func(bytes int) // if set, called with the number of bytes read so far
	in   fs.FS
	zip  string // the zip in in that contains the pieces; "" if they are plain files
	// pieces are file names in order.
	pieces []string
}

// LocalLogs returns the event logs in a local file or folder, by name.
func LocalLogs(ctx context.Context, name string) ([]LogFile, error) {
	in, file := local(name)
	logs, err := FindLogs(ctx, in, file)
	for i := range logs {
		if logs[i].Name = filepath.FromSlash(logs[i].Name); file == "." {
			logs[i].Name = filepath.Join(name, logs[i].Name)
		} else {
			logs[i].Name = filepath.Join(filepath.Dir(name), logs[i].Name)
		}
	}
	return logs, err
}

// OpenLog reads a local event log. It returns an error if the file or folder has none, or more than one.
func OpenLog(name string) (*Log, error) {
	logs, err := LocalLogs(context.Background(), name)
	switch {
	case err != nil:
		return nil, err
	case len(logs) == 0:
		return nil, errors.New("spark: there is no event log in it")
	case len(logs) > 1:
		return nil, fmt.Errorf("spark: it holds %d event logs, not one", len(logs))
	}
	return logs[0].Open()
}

// Open reads the log.
func (f LogFile) Open() (*Log, error) {
	l := newLog()
	l.progress = f.Read
	if err := f.read(l); err != nil {
		return nil, err
	}
	if l.id == "" { // Spark 1.0 wrote no id
		l.name(dag.Clean(path.Base(filepath.ToSlash(f.Name))))
	}
	return l, l.check()
}

// name sets the application's id in a log without one.
func (l *Log) name(id string) {
	for _, e := range l.events {
		if e.kind == "ApplicationStart" {
			l.id, e.more.AppID = id, text(id)
		}
	}
}

func (f LogFile) read(l *Log) error {
	in := f.in
	if f.zip != "" {
		z, done, err := openZip(f.in, f.zip)
		if err != nil {
			return err
		}
		defer done()
		in = z
	}
	for _, name := range f.pieces {
		if err := l.readPiece(in, name); err != nil {
			if len(f.pieces) > 1 {
				err = fmt.Errorf("%s: %w", path.Base(name), err)
			}
			return err
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

// openZip opens a zip in a file system.
func openZip(in fs.FS, name string) (z *zip.Reader, done func(), err error) {
	f, err := in.Open(name)
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = f.Close() } // it was only read
	info, err := f.Stat()
	at, ok := f.(io.ReaderAt)
	switch {
	case err != nil:
	case !ok:
		err = errors.New("a zip is read from a local disk only: copy it there first")
	default:
		z, err = zip.NewReader(at, info.Size())
	}
	if err != nil {
		done()
		return nil, nil, fmt.Errorf("spark: %w", err)
	}
	return z, done, nil
}

// isZip reports whether a file starts like a zip.
func isZip(in fs.FS, name string) bool {
	f, err := openRegular(in, name)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it was read
	head := make([]byte, len(eventlog.ZipMagic))
	n, _ := io.ReadFull(f, head)
	return string(head[:n]) == eventlog.ZipMagic
}

// beginsAsLog reports whether a file starts like an event log, compressed or not.
func beginsAsLog(in fs.FS, name string) bool {
	f, err := openRegular(in, name)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it was read
	b, err := eventlog.Unpack(f)
	if err != nil {
		return false
	}
	head, _ := b.Peek(eventlog.ReadSize) // a short file is not an error
	return eventlog.IsLog(head)
}

// openRegular opens a regular file only: opening a pipe would block until a writer comes.
func openRegular(in fs.FS, name string) (fs.File, error) {
	if info, err := fs.Stat(in, name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fs.ErrInvalid, err)
	}
	return in.Open(name)
}
