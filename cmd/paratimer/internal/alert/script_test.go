package alert

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

var update = flag.Bool("update", false,
	"rewrite what testdata/*.txt expects; look at the difference before it is believed")

// zero is the submission of the scripts' queries; their seconds count from it.
const zero = dag.Instant(1_000_000_000)

// TestScripts plays testdata/*.txt. Each block is a command and its lines, "----", and what follows from them:
//
//	bounds      name, kind, key=value...; begins with a new state
//	frames      seconds, key=value...; printed: seconds, bound, state, key=value...
//	texts       as frames; the texts are printed
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := (&stage{t: t}).play(string(b))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(b), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

// A stage is where a script is played.
type stage struct {
	t      *testing.T
	bounds []Bound
	state  State
}

// play returns the script with what really follows from its commands.
func (s *stage) play(script string) string {
	var out, in []string
	expected := false
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "----":
			expected = true
			out = append(out, line)
			out = append(out, s.command(in)...)
			in = nil
		case line == "":
			expected, in = false, nil
			out = append(out, line)
		case !expected:
			if !strings.HasPrefix(line, "#") {
				in = append(in, line)
			}
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

func (s *stage) command(lines []string) []string {
	var out []string
	switch lines[0] {
	case "bounds":
		s.bounds, s.state = nil, State{}
		for _, line := range lines[1:] {
			s.bounds = append(s.bounds, s.bound(strings.Fields(line)))
		}
	case "frames", "texts":
		for _, line := range lines[1:] {
			f := s.frame(strings.Fields(line))
			var alerts []frame.Alert
			s.state, alerts = Step(s.bounds, s.state, f)
			for _, a := range alerts {
				if lines[0] == "texts" {
					out = append(out, strings.Fields(line)[0]+" "+a.Text)
				} else {
					out = append(out, strings.Fields(line)[0]+" "+show(a))
				}
			}
		}
	default:
		s.t.Fatalf("no command %q", lines[0])
	}
	return out
}

func show(a frame.Alert) string {
	parts := []string{a.Bound, string(a.State)}
	if a.Outcome != nil {
		parts = append(parts, string(*a.Outcome))
	}
	if a.Probability != nil {
		parts = append(parts, fmt.Sprintf("p=%g", float64(*a.Probability)))
	}
	if a.DeadlineAt != nil {
		parts = append(parts, fmt.Sprintf("deadline=%g", a.DeadlineAt.Seconds(zero)))
	}
	if a.Since != nil {
		parts = append(parts, fmt.Sprintf("since=%g", a.Since.Seconds(zero)))
	}
	if a.BySeconds != nil {
		parts = append(parts, fmt.Sprintf("by=%+g", float64(*a.BySeconds)))
	}
	return strings.Join(parts, " ")
}

var kinds = map[string]Kind{
	"deadline": Deadline, "within": Within, "usual": LongerThanUsual, "no-progress": NoProgress,
	"outside-bounds": OutsideBounds,
}

func (s *stage) bound(words []string) Bound {
	b := Bound{Name: words[0], Kind: kinds[words[1]]}
	s.each(words[2:], map[string]func(string){
		"at":    func(v string) { b.At = zero.Add(s.seconds(v)) },
		"for":   func(v string) { b.For = s.seconds(v) },
		"times": func(v string) { b.Times = s.number(v) },
		"usual": func(v string) { b.Usual = s.seconds(v) },
		"risk":  func(v string) { b.Threshold = s.number(v) },
		"hold":  func(v string) { b.Hold = int(s.number(v)) },
		"daily": func(v string) {
			made, err := ParseDeadline(v, time.UTC)
			if err != nil {
				s.t.Fatal(err)
			}
			b.Daily = made.Daily
		},
	})
	return b
}

func (s *stage) frame(words []string) frame.Frame {
	at := s.seconds(words[0])
	elapsed := frame.SecondsOf(at)
	f := frame.Frame{
		At: frame.TimeOf(zero.Add(at)), ElapsedSeconds: &elapsed,
		Workflow: frame.Workflow{State: dag.Running},
	}
	s.each(words[1:], map[string]func(string){
		"left": func(v string) { // the ends of a uniform distribution of 100 values
			low, high, _ := strings.Cut(v, "..")
			a, b := s.seconds(low), s.seconds(high)
			for i := range 100 {
				f.Left = append(f.Left, a+time.Duration(float64(b-a)*float64(i)/99))
			}
			mid := f.Left.At(0.5)
			f.Headline.RemainingSeconds, f.Headline.LowSeconds = frame.SecondsIn(&mid), frame.SecondsIn(&a)
		},
		"rough": func(string) { f.Headline.Rough = true },
		"point": func(v string) { d := s.seconds(v); f.Headline.RemainingSeconds = frame.SecondsIn(&d) },
		"between": func(v string) { // the same without a point: the 80% range stands alone
			low, high, _ := strings.Cut(v, "..")
			a, b := s.seconds(low), s.seconds(high)
			for i := range 101 {
				f.Left = append(f.Left, a+(b-a)*time.Duration(i)/100)
			}
			f.Headline.LowSeconds, f.Headline.HighSeconds = frame.SecondsIn(new(f.Left.At(0.1))),
				frame.SecondsIn(new(f.Left.At(0.9)))
		},
		"floor": func(v string) { d := s.seconds(v); f.Headline.LowSeconds = frame.SecondsIn(&d) },
		"range": func(v string) { // skew_low..one_failure
			low, high, _ := strings.Cut(v, "..")
			for name, v := range map[string]string{"skew_low": low, "one_failure": high} {
				d := s.seconds(v)
				f.Estimates = append(f.Estimates, frame.Estimate{Scenario: name, RemainingSeconds: frame.SecondsIn(&d)})
			}
		},
		"standard": func(v string) {
			d := s.seconds(v)
			f.Headline.RemainingSeconds = frame.SecondsIn(&d)
			f.Estimates = append(f.Estimates, frame.Estimate{
				Scenario:         "standard",
				RemainingSeconds: frame.SecondsIn(&d),
			})
		},
		"stale":  func(v string) { f.StaleSeconds = frame.SecondsOf(s.seconds(v)) },
		"digest": func(v string) { f.Digest = uint64(s.number(v)) },
		"state": func(v string) {
			if err := f.Workflow.State.UnmarshalText([]byte(v)); err != nil {
				s.t.Fatal(err)
			}
			if f.Workflow.State.Ended() {
				f.Headline.EndAt = f.At
			}
		},
		"end": func(v string) { // of a query that has ended, with its length
			elapsed := frame.SecondsOf(s.seconds(v))
			f.Headline.EndAt, f.ElapsedSeconds = frame.TimeOf(zero.Add(s.seconds(v))), &elapsed
		},
		"over": func(v string) { // its jobs are over since then; how it ended is awaited
			f.Headline.RemainingSeconds, f.Headline.EndAt = new(frame.Seconds), frame.TimeOf(zero.Add(s.seconds(v)))
		},
		"never": func(string) { f.ElapsedSeconds, f.Workflow.State = nil, dag.Submitted },
		"waits": func(v string) { f.WaitingOn = &v },
		"change": func(v string) {
			delta, reason, _ := strings.Cut(v, ":")
			c := frame.Cause{DeltaSeconds: frame.SecondsOf(s.seconds(delta)), Reason: reason}
			f.Moves = append(f.Moves, frame.Move{Cause: c})
		},
	})
	return f
}

func (s *stage) each(words []string, set map[string]func(string)) {
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		if set[key] == nil {
			s.t.Fatalf("no key %q", w)
		}
		set[key](value)
	}
}

func (s *stage) number(v string) float64 {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *stage) seconds(v string) time.Duration {
	return time.Duration(s.number(v) * float64(time.Second))
}
