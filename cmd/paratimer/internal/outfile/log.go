package outfile

import (
	"io/fs"
	"os"
	"sync"
)

// mostLog is how many bytes a log has at most. Then it is renamed to its name and ".1", in whose place it goes, and
// begins anew: together they take twice as much.
const mostLog = 64 << 20

// A Log is a file that lines are added to, and that never grows without bound. Others may move it away, as logrotate
// does: before each line the log looks whether its file is still in its place, and begins one that was moved or removed
// anew, without a signal. Several goroutines may use it.
type Log struct {
	path string
	most int64

	mu   sync.Mutex
	file *os.File
	is   fs.FileInfo
}

// OpenLog opens the log at path, which is created for its owner's eyes if need be, or added to.
func OpenLog(path string) (*Log, error) { return openLog(path, mostLog) }

func openLog(path string, most int64) (*Log, error) {
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
