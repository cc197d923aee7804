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
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// A LogFile is the location of an event log: a file, or the pieces of a rolling log.
type LogFile struct {
	Name string // the path of the file, of the folder with pieces, or within a zip
	in   fs.FS
	zip  string // the zip in in that contains the pieces; "" if they are plain files
	// pieces are file names in order.
	pieces []string
}

// Open reads the log.
func (f LogFile) Open() (*Log, error) {
	l := newLog()
	err := within(f.in, f.zip, func(in fs.FS) error {
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
	})
	if err != nil {
		return nil, err
	}
	l.id = cmp.Or(l.id, dag.Clean(path.Base(filepath.ToSlash(f.Name)))) // Spark 1.0 wrote no id
	return l, l.arrange()
}

// within calls use with the content of a zip in a file system; of the file system itself if name is "".
func within(in fs.FS, name string, use func(fs.FS) error) error {
	if name == "" {
		return use(in)
	}
	f, err := in.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	at, ok := f.(io.ReaderAt)
	info, err := f.Stat()
	if err == nil && !ok {
		err = errors.New("a zip is read from a local disk only: copy it there first")
	}
	if err != nil {
		return fmt.Errorf("spark: %w", err)
	}
	z, err := zip.NewReader(at, info.Size())
	if err != nil {
		return fmt.Errorf("spark: %w", err)
	}
	return use(z)
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
	if magic, _ := b.Peek(len(zipMagic)); string(magic) == zipMagic {
		return false, true
	}
	text, err := unpackLog(b)
	if err != nil {
		return false, false
	}
	head, _ := text.Peek(readSize)
	return input.IsEventLog(head), false
}

// mostFiles bounds the files in a folder.
const mostFiles = 100_000

var (
	// rollingPiece is the name of a piece of a rolling log, such as events_1_app-20261122165821-0002.zstd. A compacted
	// piece replaces earlier ones.
	rollingPiece = regexp.MustCompile(`^events_(\d{1,9})_(.+?)(?:\.[a-z0-9]{2,6})?(\.compact)?$`)
	// databricksPiece is eventlog-2023-06-14--15-30.gz, and eventlog for the newest piece.
	databricksPiece = regexp.MustCompile(`^eventlog(?:-(\d{4}-\d{2}-\d{2}--\d{2}-\d{2}[-\d]*)[^/]*|(?:\.[a-z0-9]{2,6})?)$`)
	// other matches files in history folders that are not event logs. There may be many, so they are not opened.
	other = regexp.MustCompile(`^[._]|\.(crc|xml|xml\.gz|jhist|jhist\.gz|summary|html|ya?ml|tape|tape\.gz|jar|py|sql|pig)$|` +
		`^([^.].*_)?job_[0-9]{12}_[0-9]+_|^history\.txt\.appattempt_|^(dag|appattempt)_\d+_`)
)

// A piece is one file of a log that has several.
type piece struct {
	name  string
	log   string // the same for all pieces of a log
	order string
}

// pieceOf parses the name of a piece.
func pieceOf(name string) (p piece, ok bool) {
	folder, base := path.Split(name)
	if m := rollingPiece.FindStringSubmatch(base); m != nil {
		return piece{name, folder + "events_" + m[2], fmt.Sprintf("%9s%s", m[1], m[3])}, true
	}
	if n, ok := strings.CutPrefix(base, "EVENT_LOG_"); ok { // Spark 1, in a folder with files named after the version
		return piece{name, folder + "EVENT_LOG", fmt.Sprintf("%9s", n)}, true
	}
	if m := databricksPiece.FindStringSubmatch(base); m != nil {
		return piece{name, folder + "eventlog", cmp.Or(m[1], newestPiece)}, true
	}
	return piece{}, false
}

// newestPiece sorts after all dates.
const newestPiece = "~"

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
	var pieces []piece
	skip := func(string, error) {} // an unreadable folder has no logs
	err = input.EachFile(ctx, in, name, mostFiles, skip, func(file string, _ fs.DirEntry) error {
		if other.MatchString(path.Base(file)) {
			return nil
		}
		if p, ok := pieceOf(file); ok {
			pieces = append(pieces, p)
		} else if found, err := oneFile(ctx, in, file); err == nil { // a damaged zip has no logs
			logs = append(logs, found...)
		}
		return nil
	})
	logs = append(logs, grouped(in, pieces)...)
	slices.SortFunc(logs, func(a, b LogFile) int { return strings.Compare(a.Name, b.Name) })
	return logs, err
}

// grouped returns the logs that pieces form. A log has the name of its folder, unless there are others in it.
func grouped(in fs.FS, pieces []piece) (logs []LogFile) {
	slices.SortFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name))
	})
	byLog, inFolder := map[string]*LogFile{}, map[string]int{}
	for _, p := range pieces {
		l := byLog[p.log]
		if l == nil {
			l = &LogFile{in: in}
			byLog[p.log] = l
			inFolder[path.Dir(p.name)]++
		}
		if strings.HasSuffix(p.name, ".compact") { // it replaces the pieces before it
			l.pieces = nil
		}
		l.pieces = append(l.pieces, p.name)
	}
	for _, l := range byLog {
		l.Name = l.pieces[0]
		if p, _ := pieceOf(l.Name); inFolder[path.Dir(l.Name)] == 1 && (len(l.pieces) > 1 || p.order != newestPiece) {
			l.Name = path.Dir(l.Name)
		}
		if slices.ContainsFunc(l.pieces, func(name string) bool { is, _ := formOf(in, name); return is }) {
			logs = append(logs, *l)
		}
	}
	return logs
}

// oneFile returns the log in a file, or all logs in a zip.
func oneFile(ctx context.Context, in fs.FS, name string) (logs []LogFile, err error) {
	isLog, isZip := formOf(in, name)
	if isLog {
		return []LogFile{{Name: name, in: in, pieces: []string{name}}}, nil
	}
	if !isZip {
		return nil, nil
	}
	err = within(in, name, func(z fs.FS) error {
		logs, err = FindLogs(ctx, z, ".")
		return err
	})
	for i := range logs {
		logs[i].in, logs[i].zip = in, name
		if logs[i].Name = path.Join(name, logs[i].Name); len(logs) == 1 {
			logs[i].Name = name
		}
	}
	return logs, err
}
