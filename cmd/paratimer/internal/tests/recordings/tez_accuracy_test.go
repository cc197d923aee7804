package recordings

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// tezRecordings are the folders that hold recordings of Tez: those of the source's tests, and what stands beside the
// project.
var tezRecordings = []string{"../../adapters/tez/testdata", "../../../shared/recordings-tez"}

// A tezScore is how right the headline of a replay was, over the ticks strictly inside the run.
type tezScore struct {
	ticks, points  int
	sum            float64 // of absolute errors, in percentage points
	ranges, within int     // ticks with an 80% range, and those with the true time within it
}

func (s *tezScore) mean() float64 { return s.sum / float64(s.points) }

// scoreTez replays a recording, with a profile unless it is "".
func scoreTez(t *testing.T, file, profile string) tezScore {
	t.Helper()
	args := []string{"replay", file, "--output", "ndjson"}
	if profile != "" {
		args = append(args, "--profile", profile)
	}
	code, out, stderr := session.Run(t, args...)
	if code != program.ExitOK {
		t.Fatalf("%s: exit code %d\n%s", file, code, stderr)
	}
	type line struct {
		Elapsed  float64 `json:"elapsed_seconds"`
		Headline struct {
			Remaining *float64 `json:"remaining_seconds"`
		} `json:"headline"`
		Quantiles []struct {
			Q         float64 `json:"q"`
			Remaining float64 `json:"remaining_seconds"`
		} `json:"quantiles"`
	}
	var all []line
	for text := range strings.Lines(out) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	total := all[len(all)-1].Elapsed
	var s tezScore
	for _, l := range all {
		if l.Elapsed <= 0 || l.Elapsed >= total {
			continue
		}
		s.ticks++
		if r := l.Headline.Remaining; r != nil {
			s.points++
			s.sum += math.Abs(100*l.Elapsed/(l.Elapsed+*r) - 100*l.Elapsed/total)
		}
		low, high := math.NaN(), math.NaN()
		for _, q := range l.Quantiles {
			switch q.Q {
			case 0.1:
				low = q.Remaining
			case 0.9:
				high = q.Remaining
			}
		}
		if !math.IsNaN(high) {
			s.ranges++
			if low <= total-l.Elapsed && total-l.Elapsed <= high {
				s.within++
			}
		}
	}
	return s
}

func tezRecording(name string) (file string, ok bool) {
	for _, folder := range tezRecordings {
		file := filepath.Join(folder, name+".jsonl.gz")
		if _, err := os.Stat(file); err == nil {
			return file, true
		}
	}
	return "", false
}

// TestTezAccuracy checks how right DAGs of Tez are predicted with the profile of another run of the same script, and
// how often ranges hold. docs/evidence/accuracy.md has all pairs. The bounds leave room: what breaks them is another
// model, not a little noise.
func TestTezAccuracy(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	ranges, within, pairs := 0, 0, 0
	for _, c := range []struct {
		name, profile string
		mean          float64 // percentage points
	}{
		{"skew-3", "skew-3", 2},
		{"skew-3", "skew-1", 6},
		{"skew-1", "skew-3", 5},
		{"join-1", "join-3", 6},
		{"join-3", "join-1", 6},
		{"hive-1", "hive-3", 4},
		{"hive-3", "hive-1", 4},
		{"session-3", "session-1", 4},
	} {
		file, ok := tezRecording(c.name)
		other, also := tezRecording(c.profile)
		if !ok || !also {
			t.Logf("no recording %s or %s", c.name, c.profile)
			continue
		}
		profile := filepath.Join(t.TempDir(), "profile.yaml")
		if code, _, stderr := session.Run(t, "learn", other, "-o", profile); code != program.ExitOK {
			t.Fatalf("learn %s: exit code %d\n%s", c.profile, code, stderr)
		}
		s := scoreTez(t, file, profile)
		t.Logf("%s with the profile of %s: %.1f points on %d of %d ticks, %d of %d ranges right", c.name, c.profile,
			s.mean(), s.points, s.ticks, s.within, s.ranges)
		if !(s.mean() <= c.mean) || s.points < s.ticks*9/10 {
			t.Errorf("%s with the profile of %s: %.1f points on %d of %d ticks, want %.1f at most on nine of ten",
				c.name, c.profile, s.mean(), s.points, s.ticks, c.mean)
		}
		if c.name != c.profile {
			ranges, within, pairs = ranges+s.ranges, within+s.within, pairs+1
		}
	}
	if part := float64(within) / float64(ranges); pairs > 0 && !(part >= 0.6 && part <= 0.97) {
		t.Errorf("80%% ranges: got coverage %.0f%% of %d ticks, want 60%% to 97%%", 100*part, ranges)
	}
	// Without a profile there is a time once a task has ended.
	file, _ := tezRecording("skew-3")
	if s := scoreTez(t, file, ""); !(s.mean() <= 15) || s.points < s.ticks/2 || s.ranges < s.ticks/2 {
		t.Errorf("without a profile: %.1f points on %d, ranges on %d of %d ticks", s.mean(), s.points, s.ranges,
			s.ticks)
	}
}
