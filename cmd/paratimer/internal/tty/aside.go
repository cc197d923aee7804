package tty

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// mostAside bounds the log output that is kept while the screen is up, in bytes: the newest is printed when the
// screen ends.
const mostAside = 64 << 10

// An Aside is a stream for log output beside the screen. While a screen is up on the same terminal, output appears on
// the screen's log line and is kept until the screen ends. Otherwise it is written at once.
type Aside struct {
	w io.Writer

	mu   sync.Mutex
	up   bool
	show func(line string)
	kept []byte
	lost bool
}

// NewAside returns an Aside that writes to w.
func NewAside(w io.Writer) *Aside { return &Aside{w: w} }

// Under returns the stream that it writes to.
func (a *Aside) Under() io.Writer { return a.w }

// Fd returns the stream's file descriptor, to check for a terminal; ^0 if the stream is not a file.
func (a *Aside) Fd() uintptr {
	if f, ok := a.w.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Write writes p, or keeps it while a screen is up. Beyond mostAside bytes the oldest lines are lost.
func (a *Aside) Write(p []byte) (int, error) {
	a.mu.Lock()
	if !a.up {
		defer a.mu.Unlock()
		return a.w.Write(p)
	}
	a.kept = append(a.kept, p...)
	if over := len(a.kept) - mostAside; over > 0 {
		a.lost = true
		if i := bytes.IndexByte(a.kept[over:], '\n'); i >= 0 {
			over += i + 1
		}
		a.kept = append([]byte(nil), a.kept[over:]...)
	}
	show := a.show
	a.mu.Unlock()
	if line := lastLine(p); line != "" && show != nil {
		show(line)
	}
	return len(p), nil
}

// lastLine returns the last line of a text, without colours.
func lastLine(p []byte) string {
	lines := strings.Split(strings.TrimRight(ansi.Strip(string(p)), "\n"), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// divert sends output to a screen from now on. show must return soon.
func (a *Aside) divert(show func(line string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.up, a.show = true, show
}

// restore writes the output that was kept.
func (a *Aside) restore() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	kept, lost := a.kept, a.lost
	a.up, a.show, a.kept, a.lost = false, nil, nil, false
	if lost {
		if _, err := io.WriteString(a.w, "paratimer: what was said earlier is left out\n"); err != nil {
			return err
		}
	}
	_, err := a.w.Write(kept)
	return err
}

// A Tail keeps the first line of a text and the newest others: they stay on the terminal after the screen has ended.
type Tail struct {
	most    int
	first   string
	lines   []string
	dropped bool
}

// NewTail returns a Tail that keeps most lines beside the first.
func NewTail(most int) *Tail { return &Tail{most: most} }

// Write adds whole lines. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		if t.first == "" {
			t.first = line
			continue
		}
		t.lines = append(t.lines, line)
	}
	if over := len(t.lines) - t.most; over > 0 {
		t.lines, t.dropped = t.lines[over:], true
	}
	return len(p), nil
}

// First returns the first line, with its line end; empty before it has come.
func (t *Tail) First() string { return t.first }

// Newest returns the newest lines without the first.
func (t *Tail) Newest() string { return strings.Join(t.lines, "") }

// String returns everything that is kept; three dots stand for a gap.
func (t *Tail) String() string {
	gap := ""
	if t.dropped {
		gap = "     ...\n"
	}
	return t.first + gap + t.Newest()
}
