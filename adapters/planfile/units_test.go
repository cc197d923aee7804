package planfile

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Costs are the float64 nearest to what is written, as a Go constant of that value is.
func TestParseTimeIsExact(t *testing.T) {
	for s, want := range map[string]float64{
		"25ms": 25, "0.37ms": 0.37, "1us": 0.001, "12.8us": 0.0128, "0.0128ms": 0.0128, "3ns": 3e-6, "0.1s": 100,
		"2s":   2000,
		"1.5m": 90_000, "2h": 7_200_000, "1m30s": 90_000, "1e-7s": 1e-4, "0.3us": 0.0003, "4.35us": 0.00435,
	} {
		if got, ok := ParseTime(s); !ok || got != want {
			t.Errorf("%s is %v, %v", s, got, ok)
		}
	}
}

func TestFormatTimeIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Float64Range(0, 1e15).Draw(t, "ms")
		if got, ok := ParseTime(timeItem(ms).text); !ok || got != ms {
			t.Fatalf("%v is written %s and read %v", ms, timeItem(ms).text, got)
		}
	})
}

func TestDurations(t *testing.T) {
	read := (&Spec{Type: reflect.TypeFor[time.Duration]()}).formOf().read
	duration := func(s string) (d time.Duration, ok bool) {
		ok = read(&item{kind: text, text: s}, reflect.ValueOf(&d).Elem())
		return d, ok
	}
	for s, want := range map[string]time.Duration{
		"2s": 2 * time.Second, "0.3s": 300 * time.Millisecond,
		"1e3ms": time.Second, "1us": 1000, "1h0m1ns": time.Hour + 1,
	} {
		if got, ok := duration(s); !ok || got != want {
			t.Errorf("%s is %v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "2", "-2s", "+2s", "1e300s", "3000000h"} {
		if got, ok := duration(s); ok {
			t.Errorf("%q is %v", s, got)
		}
	}
}

func TestParseMemory(t *testing.T) {
	read := (&Spec{Type: reflect.TypeFor[int](), options: []string{"MB"}}).formOf().read
	memory := func(s string) (mb int, ok bool) {
		ok = read(&item{kind: text, text: s}, reflect.ValueOf(&mb).Elem())
		return mb, ok
	}
	for s, want := range map[string]int{
		"3072MB": 3072, "3GB": 3072, "1.5GB": 1536, "512m": 512, "2g": 2048,
		"1TB": 1 << 20, "2048KB": 2, "4GiB": 4096, "1 GB": 1024,
	} {
		if got, ok := memory(s); !ok || got != want {
			t.Errorf("%s is %d, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "3072", "MB", "1XB", "0.1MB", "100KB", "-1GB", "1e30GB", "GB3"} {
		if got, ok := memory(s); ok {
			t.Errorf("%q is %d", s, got)
		}
	}
}
