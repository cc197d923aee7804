// Package logfile is a log in a file that others may move away, as logrotate does, and that never grows without bound.
package logfile

import (
	"io/fs"
	"os"
	"sync"
)

// Most is how many bytes a log has at most. Then it is renamed to its name and ".1", in whose place it goes, and begins anew: together they
// take twice as much.
const Most = 64 << 20

// A Log is a file that lines are added to. Before each line it is looked whether the file is still where it was: one that was moved or
// removed is begun anew, without a signal. It may be used by several goroutines.
type Log struct {
	path string
	most int64

	mu   sync.Mutex
	file *os.File
	is   fs.FileInfo
}

// Open opens the log at path, which is created for its owner's eyes if need be, or added to.
func Open(path string) (*Log, error) { return open(path, Most) }

func open(path string, most int64) (*Log, error) {
	l := &Log{path: path, most: most}
	return l, l.begin()
}

// begin opens the file anew. After an error the one before goes on.
func (l *Log) begin() error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	is, err := f.Stat()
	if err != nil {
		_ = f.Close() // the first error is the one to tell
		return err
	}
	if l.file != nil {
		_ = l.file.Close() // each line went to the system as it came
	}
	l.file, l.is = f, is
	return nil
}

// Write adds a line, or several.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, err := os.Stat(l.path)
	switch {
	case err != nil || !os.SameFile(now, l.is):
		_ = l.begin() // where it cannot be, lines go on to where they went
	case now.Mode().IsRegular() && now.Size() > 0 && now.Size()+int64(len(p)) > l.most:
		if os.Rename(l.path, l.path+".1") == nil {
			_ = l.begin()
		}
	}
	return l.file.Write(p)
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
