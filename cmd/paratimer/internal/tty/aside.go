package tty

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// mostAside bounds what is kept of what was said while the screen was up: the newest is printed when it ends.
const mostAside = 64 << 10

// An Aside is a stream for talk beside the screen. While a screen is up on the same terminal, what is written is shown
// on the screen's log line and kept, and written on when the screen ends. Where the stream is no terminal, it goes
// straight on.
type Aside struct {
	w io.Writer

	mu   sync.Mutex
	up   bool
	show func(line string)
	kept []byte
	lost bool
}

// NewAside talks on w.
func NewAside(w io.Writer) *Aside { return &Aside{w: w} }

// Under is the stream that it talks on.
func (a *Aside) Under() io.Writer { return a.w }

// Fd is the stream's file descriptor, by which one can ask whether it is a terminal; of what is no file, none.
func (a *Aside) Fd() uintptr {
	if f, ok := a.w.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Write writes p on, or keeps it while a screen is up. Of more than mostAside bytes whole lines of the oldest are lost.
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

// lastLine is the last line of what was written that says something, without colours.
func lastLine(p []byte) string {
	lines := strings.Split(strings.TrimRight(ansi.Strip(string(p)), "\n"), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// divert has a screen show what is written from now on. It must return soon.
func (a *Aside) divert(show func(line string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.up, a.show = true, show
}

// restore writes on what was kept.
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

// A Tail keeps the first line of what is written and the newest others: what a reader finds below when the screen is
// gone.
type Tail struct {
	most    int
	first   string
	lines   []string
	partial []byte
	dropped bool
}

// NewTail keeps so many lines beside the first.
func NewTail(most int) *Tail { return &Tail{most: most} }

// Write takes text in. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.partial = append(t.partial, p...)
	for {
		line, rest, whole := bytes.Cut(t.partial, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		t.add(string(line) + "\n")
		t.partial = rest
	}
}

func (t *Tail) add(line string) {
	if t.first == "" {
		t.first = line
		return
	}
	if t.lines = append(t.lines, line); len(t.lines) > t.most {
		t.lines, t.dropped = append(t.lines[:0], t.lines[1:]...), true
	}
}

// First is the first line, with its end; empty before it has come.
func (t *Tail) First() string { return t.first }

// Newest are the newest lines but the first.
func (t *Tail) Newest() string { return strings.Join(t.lines, "") }

// String is all that is kept; three dots stand for what is not.
func (t *Tail) String() string {
	gap := ""
	if t.dropped {
		gap = "     ...\n"
	}
	return t.first + gap + t.Newest()
}
