package trainrun

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// String formats a time as the views of frames do: "~3m (2m – 5m)", "?".
func (r Range) String() string {
	var h frame.Headline
	if !math.IsNaN(r.Seconds) {
		mid, low, high := frame.Seconds(r.Seconds), frame.Seconds(r.Low), frame.Seconds(r.High)
		h = frame.Headline{RemainingSeconds: &mid, LowSeconds: &low, HighSeconds: &high, Rough: r.Rough}
	}
	return view.Remaining(h)
}

// Lines writes a line for each run that has ended.
type Lines struct{ W io.Writer }

// Begin implements Display.
func (Lines) Begin(Step, Outlook) {}

// End implements Display.
func (l Lines) End(s Step, out Outcome, o Outlook) {
	left := "that was all"
	if all := o.This.Plus(o.Rest); all != (Range{}) {
		left = all.String() + " left"
	}
	fmt.Fprintf(l.W, "%*d/%d  %s: %s; %s\n", len(fmt.Sprint(s.Of)), s.Number, s.Of, name(s.Row),
		outcomeText(out, s.Attempt), left)
}

func outcomeText(out Outcome, attempt int) string {
	took := units.Exact(out.Took)
	if out.Err == nil {
		return took
	}
	text := fmt.Sprintf("failed, %s, after %s", view.Escape(out.Err.Error()), took)
	if attempt > 1 {
		text += fmt.Sprintf(", at attempt %d", attempt)
	}
	if out.Output != "" {
		text += ": " + view.Escape(lastLine(out.Output))
	}
	return text
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// A Bar is Lines, and below them on a terminal a progress line that Tick redraws.
type Bar struct {
	Lines
	Now func() time.Time

	mu      sync.Mutex
	step    Step
	outlook Outlook
	from    time.Time     // when the run began
	past    time.Duration // of the runs before
	running bool
}

const (
	barCells = 10
	barWidth = 79 // a line that wraps cannot be overdrawn
)

// Begin implements Display.
func (b *Bar) Begin(s Step, o Outlook) {
	b.mu.Lock()
	b.step, b.outlook, b.from, b.running = s, o, b.Now(), true
	b.mu.Unlock()
	b.Tick()
}

// End implements Display.
func (b *Bar) End(s Step, out Outcome, o Outlook) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = false
	b.past += out.Took
	fmt.Fprint(b.W, "\r\x1b[K")
	b.Lines.End(s, out, o)
}

// Close removes the progress line.
func (b *Bar) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running {
		b.running = false
		fmt.Fprint(b.W, "\r\x1b[K")
	}
}

// Tick redraws the progress line.
func (b *Bar) Tick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.running {
		return
	}
	passed := b.Now().Sub(b.from)
	left := b.outlook.This.After(passed.Seconds()).Plus(b.outlook.Rest)
	done := 0.0
	if past := (b.past + passed).Seconds(); past+left.Seconds > 0 { // not NaN either
		done = past / (past + left.Seconds)
	}
	cells := int(done * barCells)
	line := fmt.Sprintf("[%s%s] %d/%d  %s, %v  %s", strings.Repeat("#", cells), strings.Repeat(".", barCells-cells),
		b.step.Number, b.step.Of, name(b.step.Row), passed.Truncate(time.Second), left)
	if r := []rune(line); len(r) > barWidth {
		line = string(r[:barWidth-1]) + "…"
	}
	fmt.Fprint(b.W, "\r\x1b[K"+line)
}
