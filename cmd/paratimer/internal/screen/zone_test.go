package screen

import (
	"strings"
	"testing"
	"time"
)

// TestZone checks that clocks are in the reader's zone, and that the zone is named.
func TestZone(t *testing.T) {
	t.Parallel()
	s := recorded(t, "failure", 70)
	s.Frame.WaitingOn = nil // as JSON has it, in UTC
	utc := strings.Join(Draw(s), "\n")
	s.Style.Zone = time.FixedZone("IST", 5*3600+1800)
	local := strings.Join(Draw(s), "\n")
	if !strings.Contains(utc, " UTC") || strings.Contains(local, "UTC") || !strings.Contains(local, " IST") {
		t.Errorf("the zone is not named:\n%s\n%s", utc, local)
	}
	end := s.Frame.Headline.EndAt.Time()
	if want := end.In(s.Style.Zone).Format("15:"); !strings.Contains(local, "~"+want) {
		t.Errorf("the end is not shown at %s:\n%s", want, local)
	}
}
