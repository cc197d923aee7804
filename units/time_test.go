package units

import (
	"testing"
	"time"
)

// TestInZone checks that the times of a sentence are those of another zone, with its name, and that nothing else of it
// changes: a deadline stays in the zone in which it was given.
func TestInZone(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	beside := time.Date(2026, 11, 21, 23, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"m_3 on n1, since 22:16:42 UTC":                         "m_3 on n1, since 07:16:42 JST",
		"stopped reporting at 2026-11-20 22:16:42 UTC: lost":    "stopped reporting at 2026-11-21 07:16:42 JST: lost",
		"from 22:00:35 UTC on 21 November 2026 to 22:02:41 UTC": "from 07:00:35 JST on 22 November 2026 to 07:02:41 JST",
		"to 22 Nov 16:02:41 UTC":                                "to 23 Nov 01:02:41 JST",
		"missed its 15m (06:30 UTC), expected 06:31:05 UTC":     "missed its 15m (06:30 UTC), expected 06:31:05 UTC",
		"since 99:16:42 UTC":                                    "since 99:16:42 UTC",
	} {
		if got := InZone(text, beside, tokyo); got != want {
			t.Errorf("%q is %q", text, got)
		}
		if got := InZone(text, beside, time.UTC); got != text {
			t.Errorf("%q in UTC is %q", text, got)
		}
	}
}
