package alert

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// drawBounds draws one bound of each kind.
func drawBounds(t *rapid.T) []Bound {
	hold := rapid.IntRange(1, 5).Draw(t, "hold")
	risk := rapid.SampledFrom([]float64{0.5, 0.8, 0.95}).Draw(t, "risk")
	length := rapid.Int64Range(10, 400)
	all := []Bound{
		{Name: "deadline", Kind: Deadline, At: zero.Add(seconds(length.Draw(t, "deadline")))},
		{Name: "within", Kind: Within, For: seconds(length.Draw(t, "within"))},
		{Name: "usual", Kind: LongerThanUsual, Times: 1.5, Usual: seconds(length.Draw(t, "usual"))},
		{Name: "no-progress", Kind: NoProgress, For: seconds(rapid.Int64Range(2, 60).Draw(t, "no-progress"))},
		{Name: "outside-bounds", Kind: OutsideBounds},
	}
	for i := range all {
		all[i].Threshold, all[i].Hold = risk, hold
	}
	return all
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// A runModel draws the frames of a run, with the errors that ticks have.
type runModel struct {
	at     int64 // seconds of the run
	moved  uint64
	steady bool // the clock of the newest tick that was seen was right
}

// next draws a frame of the run, some seconds after the one before. Wild clocks jump, for a tick.
func (c *runModel) next(t *rapid.T, wild bool) frame.Frame {
	first := c.at == 0 // its wrong clock cannot be detected
	c.at += rapid.Int64Range(1, 6).Draw(t, "wait")
	at := c.at
	stale := !first && rapid.IntRange(0, 5).Draw(t, "sight") == 0
	if !stale {
		c.steady = !wild || !c.steady || rapid.IntRange(0, 20).Draw(t, "jump") > 0
		if !c.steady {
			at += rapid.SampledFrom([]int64{-3600, 3600}).Draw(t, "by")
		}
	}
	elapsed := frame.Seconds(at)
	f := frame.Frame{
		At: frame.TimeOf(zero.Add(seconds(at))), ElapsedSeconds: &elapsed,
		Workflow: frame.Workflow{State: dag.Running},
	}
	c.moved += rapid.SampledFrom([]uint64{0, 0, 1}).Draw(t, "moved")
	f.Digest = c.moved + 1
	if stale {
		f.StaleSeconds = 3
	}
	switch rapid.IntRange(0, 9).Draw(t, "number") {
	case 0: // none
	case 1:
		low := frame.Seconds(rapid.Int64Range(1, 300).Draw(t, "floor"))
		f.Headline.LowSeconds = &low
	default:
		for range 20 {
			f.Left = append(f.Left, seconds(rapid.Int64Range(0, 400).Draw(t, "left")))
		}
		slices.Sort(f.Left)
		mid := frame.SecondsOf(f.Left.At(0.5))
		f.Headline.RemainingSeconds = &mid
		for name, q := range map[string]float64{"standard": 0.5, "skew_low": 0.2, "one_failure": 0.9} {
			v := frame.SecondsOf(f.Left.At(q))
			f.Estimates = append(f.Estimates, frame.Estimate{Scenario: name, RemainingSeconds: &v})
		}
	}
	if rapid.IntRange(0, 8).Draw(t, "change") == 0 {
		f.Moves = []frame.Move{{Cause: frame.Cause{DeltaSeconds: 30, Reason: "speed"}}}
	}
	return f
}

// end is the frame of a run that has ended now.
func (c *runModel) end(state dag.State) frame.Frame {
	c.at++
	elapsed, zeroLeft := frame.Seconds(c.at), frame.Seconds(0)
	at := frame.TimeOf(zero.Add(seconds(c.at)))
	return frame.Frame{
		At: at, ElapsedSeconds: &elapsed, Workflow: frame.Workflow{State: state}, Digest: c.moved + 9,
		Headline: frame.Headline{RemainingSeconds: &zeroLeft, EndAt: at},
	}
}

// TestStepIsPure checks that the same state and frame give the same, that the state given is not changed, and that a
// state that went through JSON is as good as one that did not.
func TestStepIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bounds, c, state := drawBounds(t), runModel{}, State{}
		for range rapid.IntRange(1, 60).Draw(t, "ticks") {
			f := c.next(t, true)
			before, err := json.Marshal(state)
			if err != nil {
				t.Fatal(err)
			}
			next, alerts := Step(bounds, state, f)
			if after, _ := json.Marshal(state); string(after) != string(before) {
				t.Fatalf("the state that was given changed:\n%s\n%s", before, after)
			}
			var read State
			if err := json.Unmarshal(before, &read); err != nil {
				t.Fatal(err)
			}
			again, alerts2 := Step(bounds, read, f)
			if !reflect.DeepEqual(alerts, alerts2) {
				t.Fatalf("from JSON it goes on otherwise (-memory +JSON):\n%s", cmp.Diff(alerts, alerts2))
			}
			one, _ := json.Marshal(next)
			if two, _ := json.Marshal(again); string(one) != string(two) {
				t.Fatalf("from JSON the next state is another:\n%s\n%s", one, two)
			}
			other := f
			other.Moves = []frame.Move{{Cause: frame.Cause{DeltaSeconds: 60, Reason: "failure"}}}
			Step(bounds, state, other)
			if after, _ := json.Marshal(next); string(one) != string(after) {
				t.Fatalf("another step from the same state changed this one's:\n%s\n%s", one, after)
			}
			state = next
		}
	})
}

// TestStepKeepsItsWord checks what people on call rely on, along any run: no flapping, nothing fires in the dark, late
// only after the deadline and for good, and an outcome that is the truth.
func TestStepKeepsItsWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bounds, c, state := drawBounds(t), runModel{}, State{}
		was := make([]frame.AlertState, len(bounds)) // the newest state in sight
		moved := make([]int, len(bounds))            // ticks in sight since it changed between on track and at risk
		for i := range was {
			was[i], moved[i] = frame.OnTrack, 1000
		}
		for range rapid.IntRange(1, 80).Draw(t, "ticks") {
			f := c.next(t, false)
			var alerts []frame.Alert
			state, alerts = Step(bounds, state, f)
			for i, a := range alerts {
				b := bounds[i]
				if a.Since != nil && a.Since.Instant > f.At.Instant {
					t.Fatalf("%s: since %v, now %v", b.Name, a.Since, f.At)
				}
				if f.StaleSeconds > 0 {
					if a.State != frame.Blind || a.Probability != nil {
						t.Fatalf("%s: %s with probability %v, and nothing was seen", b.Name, a.State, a.Probability)
					}
					continue
				}
				if a.State == frame.Blind {
					if len(f.Left) > 0 {
						t.Fatalf("%s: blind, though there is a number", b.Name)
					}
					continue
				}
				moved[i]++
				if a.State != was[i] && a.State != frame.Late && was[i] != frame.Late {
					if moved[i] < b.Hold {
						t.Fatalf("%s: from %s to %s %d ticks after the change before, want %d held", b.Name, was[i],
							a.State, moved[i], b.Hold)
					}
				}
				if a.State != was[i] {
					moved[i] = 0
				}
				if passed := a.DeadlineAt != nil && f.At.Instant > a.DeadlineAt.Instant; b.Kind != NoProgress &&
					passed != (a.State == frame.Late) {
					t.Fatalf("%s: %s, deadline %v, now %v", b.Name, a.State, a.DeadlineAt, f.At)
				}
				was[i] = a.State
			}
		}
		end := rapid.SampledFrom([]dag.State{dag.Succeeded, dag.Failed, dag.Killed, dag.EndedUnconfirmed}).Draw(t,
			"end")
		f := c.end(end)
		_, alerts := Step(bounds, state, f)
		for i, a := range alerts {
			late := a.DeadlineAt != nil && f.At.Instant > a.DeadlineAt.Instant
			if bounds[i].Kind == NoProgress {
				late = was[i] == frame.Late
			}
			switch {
			case a.State != frame.Ended:
				t.Fatalf("%s: %s after the end", a.Bound, a.State)
			case late && (a.Outcome == nil || *a.Outcome != frame.Missed):
				t.Fatalf("%s: %v, though it was late", a.Bound, a.Outcome)
			case !late && end != dag.Failed && a.Outcome != nil && *a.Outcome == frame.Missed:
				t.Fatalf("%s: missed, though it was not late", a.Bound)
			case end == dag.Killed && !late && a.Outcome != nil:
				t.Fatalf("%s: killed before the deadline, outcome %v", a.Bound, *a.Outcome)
			}
		}
	})
}

// TestOnTimeByAMargin checks that nothing fires where no estimate comes near a deadline, whatever clocks and
// observations do.
func TestOnTimeByAMargin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bounds := []Bound{
			{Name: "deadline", Kind: Deadline, At: zero.Add(time.Hour - time.Second)},
			{Name: "within", Kind: Within, For: time.Hour - time.Second},
		}
		c, state := runModel{}, State{}
		for range rapid.IntRange(1, 60).Draw(t, "ticks") {
			var alerts []frame.Alert
			state, alerts = Step(bounds, state, c.next(t, true))
			for _, a := range alerts {
				if a.State.Firing() {
					t.Fatalf("%s: %s", a.Bound, a.Text)
				}
			}
		}
	})
}
