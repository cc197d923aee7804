package view

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

func some[T any](v T) *T { return &v }

// oneSkewed is a job with one skewed reduce of eight, with a known largest key.
func oneSkewed() frame.Skew {
	return frame.Skew{
		Job: "scope-30", Reduces: 8, Skewed: 1, DelaySeconds: 840, MedianSeconds: 35,
		Worst: []frame.SkewedTask{{
			Task: 3, SizeBytes: some(6100.), ShareRatio: some(frame.Ratio(0.61)), WorkSeconds: 875,
			DelaySeconds: sec(840),
			Keys: []frame.SkewedKey{
				{Key: some("#1111"), Done: true},
				{Key: some("#9f3a"), PredictedSeconds: 700, DelaySeconds: sec(660)},
			},
		}},
		Split:   &frame.Split{Task: 3, Key: some("#9f3a"), Parts: 8, SoonerSeconds: 700},
		Doubled: &frame.Doubled{Reduces: 16, SoonerSeconds: 0.2},
	}
}

func TestSkewSentence(t *testing.T) {
	one, unknown, named, records := oneSkewed(), oneSkewed(), oneSkewed(), oneSkewed()
	unknown.Worst[0].ShareRatio, unknown.Worst[0].Keys = nil, nil
	named.Worst[0].Keys[1].Key = nil
	records.Worst[0].SizeBytes, records.Worst[0].Keys[1].DelaySeconds = nil, sec(0.4)
	two := oneSkewed()
	two.Skewed, two.Worst = 2, append(two.Worst, frame.SkewedTask{
		Task: 5, SizeBytes: some(1.),
		ShareRatio: some(frame.Ratio(0.19)), DelaySeconds: sec(0),
	},
		frame.SkewedTask{Task: 6, SizeBytes: some(1.), ShareRatio: some(frame.Ratio(0.1))})
	many := oneSkewed()
	many.Skewed = 9
	for i := range 4 {
		many.Worst = append(many.Worst, frame.SkewedTask{Task: 10 + i, DelaySeconds: sec(0)})
	}
	vertex, stage := two, records
	vertex.Stage, vertex.Whole, stage.Stage = "Reducer 2", true, "sum"
	vertex.Worst = slices.Clone(two.Worst)
	vertex.Worst[0].Keys = nil
	for _, c := range []struct {
		name string
		skew frame.Skew
		want string
	}{
		{"a vertex", vertex, "tasks 3 and 5 of Reducer 2 have 80% of the bytes and hold the end back by 14m"},
		{"a stage", stage, "task 3 of sum of scope-30 has 61% of the records and holds the end back by 14m"},
		{"one", one, "reduce 3 of scope-30 has 61% of the bytes and holds the end back by 14m, key #9f3a alone by 11m"},
		{"nothing else known", unknown, "reduce 3 of scope-30 holds the end back by 14m"},
		{"no name", named, "reduce 3 of scope-30 has 61% of the bytes and holds the end back by 14m, its largest key alone by 11m"},
		{"records", records, "reduce 3 of scope-30 has 61% of the records and holds the end back by 14m"},
		{"two", two, "reduces 3 and 5 of scope-30 have 80% of the bytes and hold the end back by 14m, key #9f3a of reduce 3 alone by 11m"},
		{"many", many, "reduces 3, 10, 11, 12 and 5 more of scope-30 hold the end back by 14m, key #9f3a of reduce 3 alone by 11m"},
	} {
		if got := SkewSentence(&c.skew); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A reported reduce is reported again only if another reduce is the worst, or the delay has grown by half. It stands
// under the status line.
func TestSkewLines(t *testing.T) {
	var out bytes.Buffer
	text := NewText(&out, false)
	show := func(elapsed float64, skew ...frame.Skew) []string {
		out.Reset()
		f := frame.Frame{ElapsedSeconds: sec(elapsed), Headline: frame.Headline{RemainingSeconds: sec(900)}, Skew: skew}
		f.Workflow.State = dag.Running
		if err := text.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
		lines := strings.ReplaceAll(out.String(), "\n"+strings.Repeat(" ", 10), " ") // wrapped
		return strings.Split(strings.TrimSpace(lines), "\n")
	}
	at := func(task int, delay float64) frame.Skew {
		s := oneSkewed()
		s.Worst[0].Task, s.DelaySeconds = task, frame.Seconds(delay)
		return s
	}
	if got := show(0); len(got) != 2 {
		t.Errorf("without skew: %q", got)
	}
	got := show(1, at(3, 840))
	if len(got) != 3 || !strings.Contains(got[0], "1s  ~15m") || !strings.Contains(got[1], "1s  skew: reduce 3 ") ||
		!strings.HasSuffix(got[2], "1s        that key in 8 parts: 11m30s sooner; 16 reduces: no sooner") {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		task  int
		delay float64
		lines int
	}{{3, 840, 1}, {3, 400, 1}, {3, 1259, 1}, {3, 1261, 3}, {3, 1300, 1}, {4, 1300, 3}} {
		if got := show(2, at(c.task, c.delay)); len(got) != c.lines && !(c.lines == 1 && got[0] == "") {
			t.Errorf("reduce %d, %v s: %q", c.task, c.delay, got)
		}
	}
}

// Names of jobs and keys come from the cluster: nothing of them reaches the terminal unescaped, and no key is long.
func TestHostileKeys(t *testing.T) {
	s := oneSkewed()
	s.Job = "scope\x1b]0;x\a"
	s.Worst[0].Keys[1].Key = some("\x1b[2J\r\n\u202e" + strings.Repeat("k", 1<<20))
	got := SkewSentence(&s)
	if len(got) > 300 || !strings.Contains(got, `key \x1b[2J\r\n\u202ekkkk`) ||
		!strings.Contains(got, `scope\x1b]0;x\a`) || strings.ContainsAny(got, "\x1b\r\n\a\u202e") {
		t.Errorf("%q", got)
	}
}
