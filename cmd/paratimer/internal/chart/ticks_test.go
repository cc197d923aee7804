package chart

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestStep(t *testing.T) {
	t.Parallel()
	const minute, hour, day = 60, 3600, 24 * 3600
	for _, c := range []struct{ least, number, time float64 }{
		{0, 1, 1},
		{math.NaN(), 1, 1},
		{0.03, 0.05, 0.05},
		{1, 1, 1},
		{1.1, 2, 2},
		{6, 10, 10},
		{1000, 1000, 30 * minute},
		{14, 20, 15},
		{23, 50, 30},
		{61, 100, 2 * minute},
		{2.1 * hour, 10_000, 3 * hour},
		{day + 1, 100_000, 2 * day},
		{70 * day, 1e7, 100 * day},
	} {
		if got := Step(c.least); math.Abs(got-c.number) > 1e-12 {
			t.Errorf("Step(%v) = %v, want %v", c.least, got, c.number)
		}
		if got := TimeStep(c.least); math.Abs(got-c.time) > 1e-12 {
			t.Errorf("TimeStep(%v) = %v, want %v", c.least, got, c.time)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, length time.Duration
		n            int
		want         string
	}{
		{0, 27 * time.Second, 8, "0s 5s 10s 15s 20s 25s"},
		{0, 28 * time.Minute, 8, "0s 5m0s 10m0s 15m0s 20m0s 25m0s"},
		{-90 * time.Second, 3 * time.Minute, 8, "-1m30s -1m0s -30s 0s 30s 1m0s 1m30s"},
		{0, 0, 8, "0s"},
		{0, 3 * time.Millisecond, 8, "0s 1ms 2ms 3ms"},
		{0, 90 * 24 * time.Hour, 8, "0s 480h0m0s 960h0m0s 1440h0m0s 1920h0m0s"},
	} {
		var got []string
		for _, d := range Times(c.from, c.length, c.n) {
			got = append(got, d.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v + %v: %v, want %s", c.from, c.length, got, c.want)
		}
	}
}

// TestCut checks which end of a name is left out.
func TestCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"short": "short", "mapPartitions at Lab.scala:25": "…b.scala:25",
		"Stage 12 · Aggregate (orders)": "Stage 12 ·…", "Stage Manager of all": "…ger of all",
	} {
		if got := Cut(text, 11); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
