package tty

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

// A size is a terminal's, and how many bytes a redraw may write to it: on average, and the most but for the first. They
// are twice what was measured (docs/evidence/benchmarks.md). 1,000 bytes a redraw are 16 kbit/s.
type size struct{ width, height, average, most int }

// TestBytesATick checks what redraws of a live watch write, a frame a redraw.
func TestBytesATick(t *testing.T) {
	t.Run("a real run of 3 jobs", func(t *testing.T) {
		checkBytes(t, recorded(t), size{80, 24, 750, 3800}, size{200, 50, 2400, 9200})
	})
	t.Run("1,000 jobs, 5,000 tasks", func(t *testing.T) {
		checkBytes(t, wide(t), size{80, 24, 2500, 3200}, size{200, 50, 9300, 11_400})
	})
}

func checkBytes(t *testing.T, frames []frame.Frame, sizes ...size) {
	t.Helper()
	for _, z := range sizes {
		written := redraws(t, frames, z)
		first, rest := written[0], written[1:]
		total := 0
		for _, n := range rest {
			total += n
		}
		average, most := total/len(rest), slices.Max(rest)
		t.Logf("%dx%d: %d redraws; the first %d bytes, then %d on average, %d at most", z.width, z.height, len(written),
			first, average, most)
		if average > z.average || most > z.most || average == 0 {
			t.Errorf("%dx%d: %d bytes on average, %d at most; want %d and %d", z.width, z.height, average, most,
				z.average, z.most)
		}
		if whole := z.width * z.height * 8; first > whole {
			t.Errorf("%dx%d: the first picture takes %d bytes, more than %d", z.width, z.height, first, whole)
		}
	}
}

// redraws draws each frame as the program does, and counts the bytes to the terminal: bubbletea's renderer,
// without its clock.
func redraws(t *testing.T, frames []frame.Frame, z size) []int {
	t.Helper()
	var out bytes.Buffer
	r := uv.NewTerminalRenderer(&out, []string{"TERM=xterm-256color"})
	r.SetColorProfile(colorprofile.ANSI256)
	r.SetFullscreen(true)
	r.SetRelativeCursor(false)
	r.SetScrollOptim(true)
	r.Resize(z.width, z.height)
	cells := uv.NewScreenBuffer(z.width, z.height)
	m := newModel(Options{Style: screen.Style{Colour: true}})
	step := func(msg tea.Msg) {
		next, _ := m.Update(msg)
		m = next.(model)
	}
	step(tea.WindowSizeMsg{Width: z.width, Height: z.height})
	var written []int
	for _, f := range frames {
		m.store.add(f)
		step(tickMsg{})
		cells.Clear()
		uv.NewStyledString(m.View().Content).Draw(cells, cells.Bounds())
		r.Render(cells.RenderBuffer)
		if err := r.Flush(); err != nil {
			t.Fatal(err)
		}
		written = append(written, out.Len())
		out.Reset()
	}
	return written
}

// recorded are the frames of a real run.
func recorded(t *testing.T) []frame.Frame {
	t.Helper()
	f, err := os.Open("../../../../examples/join-failure.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, in, err := recording.Sniff(f)
	if err != nil {
		t.Fatal(err)
	}
	src, err := recording.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	return framesOf(t, src)
}

// wide are frames of a simulated query of 1,000 jobs: ten stages of a hundred, of five tasks each.
func wide(t *testing.T) []frame.Frame {
	t.Helper()
	if testing.Short() {
		t.Skip("a large query takes a while to replay")
	}
	var text strings.Builder
	text.WriteString("version: 1\nname: wide\ncluster: {map_slots: 200, reduce_slots: 200}\njobs:\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "  - name: j%03d\n    map: {tasks: 4, records: %d, cost: 10ms}\n    reduce: {tasks: 1, records: 1000, cost: 5ms}\n", i, 1000+100*(i%7))
		if stage := i / 100; stage > 0 {
			fmt.Fprintf(&text, "    after: [j%03d]\n", i-100)
		}
	}
	plan, err := planfile.Read(strings.NewReader(text.String()), planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := simulate.New(plan, simulate.Options{
		Know: simulate.Profile, Every: 15 * time.Second, Noise: 0.1,
		Fail: []simulate.Failure{{Job: "j150", Task: 1, At: 70 * time.Second}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return framesOf(t, src)
}

type kept struct{ frames []frame.Frame }

func (k *kept) Show(tick frame.Tick) error {
	f := tick.Frame
	k.frames = append(k.frames, f)
	return nil
}

func framesOf(t *testing.T, src watch.Source) []frame.Frame {
	t.Helper()
	all := estimators.Shared(append(estimators.Scenarios(), estimators.Sampled()), cost.Costs,
		estimators.Options{Samples: 5})
	n := len(all) - 1
	k := &kept{}
	w := watch.Watch{Source: src, Estimators: watch.EstimatorSet{
		Scenarios: all[:n], Sampled: all[n],
		Model: cost.Costs,
	}, Sinks: []watch.Sink{k}}
	if _, err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return k.frames
}
