package history

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var millis = regexp.MustCompile(`\b1[4-9]\d{11}\b`)

// TestMasterClock holds the length of a job whose master's clock was set while it ran: for one event, or for good.
func TestMasterClock(t *testing.T) {
	t.Parallel()
	b := fixture(t, "quadratic")
	events := strings.Split(string(b), "\n")
	whole := read(t, b)
	if len(whole.Clocks) > 0 {
		t.Fatal(whole.Clocks)
	}
	var timed []int
	for i, l := range events {
		for _, kind := range []string{"JOB_INITED", "ATTEMPT_STARTED", "ATTEMPT_FINISHED", "JOB_FINISHED"} {
			if strings.Contains(l, kind+`"`) && i > 1 {
				timed = append(timed, i)
			}
		}
	}
	for n := 0; n < len(timed); n += 1 + len(timed)/12 {
		for _, by := range []int64{3_600_000, -3_600_000} {
			for _, good := range []bool{false, true} {
				to := timed[n] + 1
				if good {
					to = len(events)
				}
				damaged := slices.Clone(events)
				for i := timed[n]; i < to; i++ {
					damaged[i] = millis.ReplaceAllStringFunc(damaged[i], func(s string) string {
						var at int64
						_, _ = fmt.Sscan(s, &at)
						return fmt.Sprint(at + by)
					})
				}
				j := read(t, []byte(strings.Join(damaged, "\n")))
				got, want := j.Finished.Sub(j.Launched), whole.Finished.Sub(whole.Launched)
				// How long nothing happened when the clock was set for good is unknown. Forward, it may be a pause.
				most := 15 * time.Second
				if good {
					most = 35 * time.Second
				}
				if off := got - want; (off > most || off < -most) && !(good && by > 0) {
					t.Errorf("event %d of %d by %d ms, for good %v: %v instead of %v; %q", n, len(timed), by, good, got, want,
						j.Clocks)
				}
				for k := range j.Attempts {
					for _, a := range j.Attempts[k] {
						if a.Start < j.Launched-60_000 || a.End > j.Last {
							t.Errorf("event %d by %d ms, for good %v: an attempt from %v to %v", n, by, good,
								a.Start.Sub(j.Launched), a.End.Sub(j.Launched))
						}
					}
				}
			}
		}
	}
}
