package outfile

import (
	"io/fs"
	"os"
	"sync"
)

// mostLog is the greatest size of a log in bytes. A full log is renamed to its name plus ".1", replacing an older
// one, and a new file begins: together they take at most twice as much.
const mostLog = 64 << 20

// A Log is a file that lines are appended to, of bounded size. Other programs such as logrotate may move or remove
// it: before each write the log checks that its file is still in place, and creates it again if not. No signal is
// needed. It is safe for several goroutines.
type Log struct {
	path string
	most int64

	mu   sync.Mutex
	file *os.File
	is   fs.FileInfo
}

// OpenLog opens the log at path to append. If need be it creates the file, readable by its owner alone.
func OpenLog(path string) (*Log, error) { return openLog(path, mostLog) }

func openLog(path string, most int64) (*Log, error) {
	l := &Log{path: path, most: most}
	return l, l.begin()
}

// begin opens the file again. After an error the previous file stays in use.
func (l *Log) begin() error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	is, err := f.Stat()
	if err != nil {
		_ = f.Close() // the first error is the one to return
		return err
	}
	if l.file != nil {
		_ = l.file.Close() // lines are not buffered
	}
	l.file, l.is = f, is
	return nil
}

// Write appends one or more lines.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, err := os.Stat(l.path)
	switch {
	case err != nil || !os.SameFile(now, l.is):
		_ = l.begin() // if this fails, lines go to the previous file
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
