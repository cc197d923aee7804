package screen

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

var update = flag.Bool("update", false,
	"write the drawings into testdata; check the difference before you commit it")

// The drawn cases are the same in every run, so that a change is judged by them and not by luck.
// -rapid.seed=0 draws others.
func init() { _ = flag.Set("rapid.seed", "20261122") }

// recorded is the state of a recorded run at a tick: testdata holds the frames of `paratimer replay --output ndjson`,
// all of them with what a history needs, some of them whole.
func recorded(t testing.TB, name string, tick int) State {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	s := State{Width: 80, Height: 24}
	var all []*frame.Frame
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for i := 0; lines.Scan() && i <= tick; i++ {
		s.Frame = &frame.Frame{}
		if err := json.Unmarshal(lines.Bytes(), s.Frame); err != nil {
			t.Fatalf("%s: frame %d: %v", name, i, err)
		}
		all = append(all, s.Frame)
	}
	s.Past = slices.Values(all)
	if s.Frame == nil || len(s.Frame.Jobs) == 0 {
		t.Fatalf("%s: frame %d is not whole", name, tick)
	}
	return s
}

// crowd is a query of a thousand jobs in layers of 40. The first 600 are done, one of them after a failure.
func crowd() State {
	const jobs, layer, now = 1000, 40, 3600
	f := &frame.Frame{
		Workflow:       frame.Workflow{Name: frame.Text("crowd"), State: dag.Running},
		ElapsedSeconds: secondsOf(now), FailedAttempts: 1,
	}
	f.At = &frame.Time{Instant: 1_795_222_440_000}
	f.Headline = frame.Headline{
		RemainingSeconds: secondsOf(2700), LowSeconds: secondsOf(2400),
		HighSeconds: secondsOf(3300), EndAt: frame.TimeOf(f.At.Add(2700e9)),
	}
	f.WaitingOn = frame.Text("job j0605")
	for i := range jobs {
		at := frame.Seconds(i/layer) * 240
		ten := 10
		j := frame.Job{
			Node: fmt.Sprintf("j%04d", i), SubmittedSeconds: secondsOf(at), EndSeconds: secondsOf(at + 240),
			Critical: i%layer == 5, SlackSeconds: secondsOf(0),
		}
		j.Maps, j.Reduces = frame.Tasks{Total: &ten}, frame.Tasks{Total: &ten}
		switch {
		case at+240 <= now:
			j.State, j.Critical, j.SlackSeconds = dag.Succeeded, false, nil
			j.Maps.Done, j.Reduces.Done = 10, 10
		case at <= now:
			j.State, j.Maps.Running = dag.Running, 3
		}
		if i >= layer {
			j.After = []string{fmt.Sprintf("j%04d", i-layer)}
		}
		j.Stretches = []frame.Stretch{
			{
				Phase: frame.Phase{Stage: dag.Map, Name: "map"}, StartSeconds: secondsOf(at + 5),
				EndSeconds: secondsOf(at + 150),
			},
			{
				Phase: frame.Phase{Stage: dag.Reduce, Name: "reduce"}, StartSeconds: secondsOf(at + 100),
				EndSeconds: secondsOf(at + 235),
			},
		}
		f.Jobs = append(f.Jobs, j)
	}
	f.Failures = []frame.Failure{{
		AtSeconds: secondsOf(3500), Job: "j0570", Task: "map 3 of j0570",
		Why: frame.Text("no space left"),
	}}
	for s := 3600; s < 6000; s += 240 {
		f.CriticalPath = append(f.CriticalPath, frame.Segment{
			Jobs:         []string{fmt.Sprintf("j%04d", s/240*layer+5)},
			StartSeconds: secondsOf(frame.Seconds(s)), EndSeconds: secondsOf(frame.Seconds(s + 240)),
		})
	}
	return State{Frame: f, Past: slices.Values([]*frame.Frame{f}), Width: 120, Height: 40}
}

func secondsOf(s frame.Seconds) *frame.Seconds { return &s }

func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	got := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
