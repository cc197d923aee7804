package ernestview

import (
	"math"
	"testing"
)

func TestLength(t *testing.T) {
	for s, want := range map[float64]string{
		0: "0s", 2e-16: "0s", 0.25: "0.25s", 13.518: "13.5s", 64: "64s", 99.4: "99.4s", 99.6: "1m40s", 252: "4m12s", 600: "10m",
		1200.4: "20m", 3599.6: "1h0m", 11100: "3h5m", 172799: "48h0m", 1051200: "12d4h", 1e12: "1e+12s", -5: "-5s", math.NaN(): "?",
	} {
		if got := length(s); got != want {
			t.Errorf("%v s is %s, want %s", s, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{0: "0 %", 0.0005: "<0.1 %", 0.004: "0.4 %", 0.123: "12 %", 3: "300 %", -0.2: "-20 %", math.NaN(): "?", math.Inf(1): "∞ %"} {
		if got := percent(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}

func TestNice(t *testing.T) {
	for v, want := range map[float64]float64{0.03: 0.05, 1: 1, 1.1: 2, 6: 10, 23: 50} {
		if got := nice(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("nice(%v) = %v, want %v", v, got, want)
		}
	}
	for v, want := range map[float64]float64{3: 5, 14: 30, 61: 120, 1000: 1800, 100000: 172800} {
		if got := niceTime(v); math.Abs(got-want) > 1e-9 {
			t.Errorf("niceTime(%v) = %v, want %v", v, got, want)
		}
	}
}
