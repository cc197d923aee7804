package svg

import (
	"strings"
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		from, length time.Duration
		n            int
		want         string
	}{
		{0, 27 * time.Second, 8, "0s 5s 10s 15s 20s 25s"},
		{0, 28 * time.Minute, 8, "0s 5m0s 10m0s 15m0s 20m0s 25m0s"},
		{-90 * time.Second, 3 * time.Minute, 8, "-1m30s -1m0s -30s 0s 30s 1m0s 1m30s"},
		{0, 0, 8, "0s"},
		{0, 90 * 24 * time.Hour, 8, "0s 384h0m0s 768h0m0s 1152h0m0s 1536h0m0s 1920h0m0s"},
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
