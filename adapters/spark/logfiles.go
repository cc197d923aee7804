package spark

import (
	"archive/zip"
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
)

// A LogFile is the location of an event log: a file, or the pieces of a rolling log.
type LogFile struct {
	Name string          // the path of the file, of the folder with pieces, or within a zip
	Read func(bytes int) // if set, called with the number of bytes read so far
	in   fs.FS
	zip  string // the zip in in that contains the pieces; "" if they are plain files
	// pieces are file names in order.
	pieces []string
}

// IsLog reports whether a local path is an event log, a zip, or a folder with event logs.
func IsLog(name string) bool {
	in, file := local(name)
	logs, _ := FindLogs(context.Background(), in, file) // an unreadable file is not a log
	_, isZip := formOf(in, file)
	return len(logs) > 0 || isZip
}

// local returns a local folder as a file system, and the name in it. For a file it returns the file's folder.
func local(name string) (in fs.FS, file string) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return os.DirFS(name), "."
	}
	return os.DirFS(filepath.Dir(name)), filepath.Base(name)
}

// LocalLogs returns the event logs in a local file or folder, by name.
func LocalLogs(ctx context.Context, name string) ([]LogFile, error) {
	in, file := local(name)
	logs, err := FindLogs(ctx, in, file)
	if file != "." {
		name = filepath.Dir(name)
	}
	for i := range logs {
		logs[i].Name = filepath.Join(name, filepath.FromSlash(logs[i].Name))
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
	return l, l.check()
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
		piece, err := in.Open(name)
		if err == nil {
			err = l.read(piece)
			_ = piece.Close() // it was only read
		}
		if err != nil && len(f.pieces) > 1 {
			err = fmt.Errorf("%s: %w", path.Base(name), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
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

// formOf reports whether a file starts like an event log, compressed or not, or like a zip. It opens regular files
// only: opening a pipe would block until a writer comes.
func formOf(in fs.FS, name string) (isLog, isZip bool) {
	if info, err := fs.Stat(in, name); err != nil || !info.Mode().IsRegular() {
		return false, false
	}
	f, err := in.Open(name)
	if err != nil {
		return false, false
	}
	defer f.Close() //nolint:errcheck // it was only read
	b := bufio.NewReader(f)
	magic, _ := b.Peek(len(eventlog.ZipMagic)) // a short file is not an error
	if isZip = string(magic) == eventlog.ZipMagic; isZip {
		return false, true
	}
	text, err := eventlog.Unpack(b)
	if err != nil {
		return false, false
	}
	head, _ := text.Peek(eventlog.ReadSize)
	return eventlog.IsLog(head), false
}

// mostFiles bounds the files in a folder.
const mostFiles = 100_000

// pieceNames are the names of the pieces of a log. In order and log, $1 stands for a part of the name.
var pieceNames = []struct {
	name       *regexp.Regexp
	order, log string
}{
	// Spark 3: events_1_app-20261122165821-0002.zstd. A compacted piece ends in .compact and replaces earlier pieces.
	{regexp.MustCompile(`^events_(\d{1,9})_(.+?)(?: \(\d+\)| copy| - Copy)?(?:\.[a-z0-9]{2,6})?(?:\.compact)?$`), "$1", "events $2"},
	// Databricks: eventlog-2023-06-14--15-30.gz, and eventlog for the newest piece.
	{regexp.MustCompile(`^eventlog-(\d{4}-\d{2}-\d{2}--\d{2}-\d{2}[-\d]*)[^/]*$`), "$1", "eventlog"},
	{newestPiece, "~~~~~~~~~", "eventlog"}, // sorts after all dates
}

var newestPiece = regexp.MustCompile(`^eventlog(\.[a-z0-9]{2,6})?$`)

// other matches files in history folders that are not event logs. There may be many, so they are not opened.
var other = regexp.MustCompile(`^[._]|\.(crc|xml|xml\.gz|jhist|jhist\.gz|summary|html|ya?ml|tape|tape\.gz|jar|py|sql|pig)$|` +
	`^([^.].*_)?job_[0-9]{12}_[0-9]+_|^history\.txt\.appattempt_|^(dag|appattempt)_\d+_`)

// A piece is one file of a log that has several.
type piece struct {
	name, order string
	compact     bool
	size        int64
}

// A pieceGroup identifies the log of a piece.
type pieceGroup struct{ folder, log string }

// pieceOf parses the name of a piece and returns the log that it belongs to.
func pieceOf(name string) (p piece, of pieceGroup, ok bool) {
	folder, base := path.Split(name)
	for _, k := range pieceNames {
		if m := k.name.FindStringSubmatchIndex(base); m != nil {
			part := func(form string) string { return string(k.name.ExpandString(nil, form, base, m)) }
			p = piece{name: name, order: fmt.Sprintf("%9s", part(k.order)), compact: strings.HasSuffix(base, ".compact")}
			return p, pieceGroup{path.Clean(folder), part(k.log)}, true
		}
	}
	return piece{}, pieceGroup{}, false
}

// FindLogs returns the event logs in a file, or in a folder, its subfolders and their zips, by name.
func FindLogs(ctx context.Context, in fs.FS, name string) ([]LogFile, error) {
	info, err := fs.Stat(in, name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() { // a piece that the user names is read alone
		return oneFile(ctx, in, name)
	}
	var logs []LogFile
	groups, seen := map[pieceGroup][]piece{}, 0
	err = fs.WalkDir(in, name, func(file string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() || other.MatchString(path.Base(file)):
			return nil
		}
		if seen++; seen > mostFiles {
			return fmt.Errorf("%s: more than %d files: give a smaller folder", name, mostFiles)
		}
		if p, of, ok := pieceOf(file); ok {
			if info, err := d.Info(); err == nil {
				p.size = info.Size()
			}
			groups[of] = append(groups[of], p)
		} else if found, err := oneFile(ctx, in, file); err == nil { // a damaged zip has no logs
			logs = append(logs, found...)
		}
		return nil
	})
	logs = append(logs, grouped(in, groups)...)
	slices.SortFunc(logs, func(a, b LogFile) int { return strings.Compare(a.Name, b.Name) })
	return logs, err
}

// grouped returns the logs that the groups of pieces form.
func grouped(in fs.FS, groups map[pieceGroup][]piece) (logs []LogFile) {
	inFolder := map[string]int{}
	for of := range groups {
		inFolder[of.folder]++
	}
	for of, list := range groups {
		found := LogFile{in: in, Name: of.folder, pieces: inOrder(list)}
		if inFolder[of.folder] > 1 || len(list) == 1 && newestPiece.MatchString(path.Base(list[0].name)) {
			found.Name = found.pieces[0]
		}
		if slices.ContainsFunc(found.pieces, func(name string) bool { isLog, _ := formOf(in, name); return isLog }) {
			logs = append(logs, found)
		}
	}
	return logs
}

// oneFile returns the log in a file, or all logs in a zip.
func oneFile(ctx context.Context, in fs.FS, name string) ([]LogFile, error) {
	isLog, isZip := formOf(in, name)
	if isLog {
		return []LogFile{{Name: name, in: in, pieces: []string{name}}}, nil
	}
	if !isZip {
		return nil, nil
	}
	z, done, err := openZip(in, name)
	if err != nil {
		return nil, err
	}
	defer done()
	logs, err := FindLogs(ctx, z, ".")
	for i := range logs {
		logs[i].in, logs[i].zip = in, name
		if logs[i].Name = path.Join(name, logs[i].Name); len(logs) == 1 {
			logs[i].Name = name
		}
	}
	return logs, err
}

// inOrder returns the names of a log's pieces in order. A compacted piece replaces those before it. If a piece
// exists twice, the larger file is used.
func inOrder(list []piece) (names []string) {
	slices.SortFunc(list, func(a, b piece) int {
		later := func(p piece) int {
			if p.compact {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(a.order, b.order), later(a)-later(b), cmp.Compare(b.size, a.size),
			cmp.Compare(a.name, b.name))
	})
	for i, p := range list {
		switch {
		case p.compact:
			names = []string{p.name}
		case i == 0 || list[i-1].order != p.order:
			names = append(names, p.name)
		}
	}
	return names
}
