package units

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func TestUnits(t *testing.T) {
	t.Parallel()
	nan, inf, part := math.NaN(), math.Inf(1), 0.25
	for _, c := range [][2]string{
		{Percent(0.0), "0%"},
		{Percent(1e-6), "under 1%"},
		{Percent(0.0099), "under 1%"},
		{Percent(0.01), "1%"},
		{Percent(0.425), "43%"},
		{Percent(0.99), "99%"},
		{Percent(0.9901), "over 99%"},
		{Percent(1.0), "100%"},
		{Percent(1.2), "120%"},
		{Percent(-0.001), "0%"},
		{Percent(nan), "?"},
		{Percent(inf), "?"},
		{Chance(0.0), "under 1%"},
		{Chance(1.0), "over 99%"},
		{Chance(0.9), "90%"},
		{Chance(nan), "?"},
		{Tenths(0.003), "0.3%"},
		{Tenths(0.7944), "79.4%"},
		{Tenths(0.0004), "under 0.1%"},
		{Tenths(0.9996), "over 99.9%"},
		{Tenths(nan), "?"},
		{More(1.25), "+25%"},
		{More(0.97), "-3%"},
		{More(1.001), "0%"},
		{More(0.999), "0%"},
		{More(inf), "?"},
		{Off(0.1234), "+12.3%"},
		{Off(-0.0001), "0.0%"},
		{Off(nan), "?"},
		{Known(&part, Percent), "25%"},
		{Known(nil, Percent[float64]), "?"},
		{Have(nil, Percent[float64]), "-"},
		{Have(&part, Percent), "25%"},
		{Count(0, "job"), "0 jobs"},
		{Count(1, "job"), "1 job"},
		{Number(0.0), "0"},
		{Number(0.123456), "0.1235"},
		{Number(12.3456), "12.35"},
		{Number(1234.56), "1235"},
		{Number(123456.0), "123456"},
		{Number(12345678.0), "1.235e+07"},
		{Number(-inf), "?"},
		{Digits(12e6), "12000000"},
		{Digits(0.25), "0.25"},
		{Bytes(512), "512 B"},
		{Bytes(999.6), "1.00 kB"},
		{Bytes(1.214e6), "1.21 MB"},
		{Bytes(34.04e9), "34.0 GB"},
		{Bytes(5e21), "5000 EB"},
		{Size(999, ""), "999"},
		{Size(1.21e6, ""), "1.21 M"},
		{Size(nan, ""), "?"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	at := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, c := range [][2]string{
		{Exact(0), "0s"},
		{Exact(at(0.0000123)), "12µs"},
		{Exact(at(0.2541)), "250ms"},
		{Exact(at(2.254)), "2.3s"},
		{Exact(at(12.34)), "12.3s"},
		{Exact(at(60)), "1m"},
		{Exact(at(68.44)), "1m8s"},
		{Exact(at(-24*60 - 14)), "-24m14s"},
		{Exact(at(3 * 3600)), "3h"},
		{Exact(at(3*3600 + 5*60)), "3h5m"},
		{Exact(at(48 * 3600)), "2d"},
		{Exact(at(49 * 3600)), "2d1h"},
		{Exact(at(58 * 3600)), "2d10h"},
		{Seconds(math.NaN()), "?"},
		{Seconds(math.Inf(1)), "more than 100 years"},
		{Seconds(-1e12), "-more than 100 years"},
		{Seconds(-90.0), "-1m30s"},
		{Full(at(60)), "1m"},
		{Full(at(3600)), "1h"},
		{Full(at(600.25)), "10m0.25s"},
		{Full(at(0)), "0s"},
		{Short(0), "<1s"},
		{Short(at(90)), "1m30s"},
		{Short(at(7384)), "2h3m"},
		{Elapsed(at(0.9)), "0s"},
		{Elapsed(at(111.6)), Exact(at(111.6))},
		{Ago(at(-3)), "<1s ago"},
		{About(at(683)), "11m30s"},
		{About(at(1235)), "21m"},
		{About(at(-683)), "-11m30s"},
		{Moved(at(-31)), "-31s"},
		{Signed(12.3), "+12.3s"},
		{Signed(-3.0), "-3s"},
		{Signed(0.0), "0s"},
		{Moved(at(253)), "+4m10s"},
		{Step(at(1235), 0).String(), "1m0s"},
		{Step(at(1235), at(1000)).String(), "2m0s"},
		{Step(at(12), at(1000)).String(), "2s"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 12, 31, 15, 4, 5, 0, time.UTC)
	east := time.FixedZone("east", 12*3600)
	for _, c := range [][2]string{
		{Clock(day, time.Time{}, time.Second), "15:04:05"},
		{Clock(day, day.Add(time.Hour), time.Second), "15:04:05"},
		{Clock(day.Add(40*time.Second), day, time.Minute), "15:05"},
		{Clock(day, day.AddDate(0, 0, -1), time.Minute), "31 Dec 15:04"},
		{Clock(day, day.AddDate(0, 0, 1), time.Second), "31 Dec 2026 15:04:05"},
		{Clock(day.In(east), day.Add(time.Minute), time.Minute), "03:04"},
		{Day(day), "2026-12-31 15:04 UTC"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

func TestFloat(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal([]Float{0.1, 1e21, Float(math.NaN()), Float(math.Inf(-1))})
	if want := "[0.1,1e+21,null,null]"; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
