package plugin

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/units"
)

// A Range is the range that a value should lie in, both ends included. Inside inverts it: the value should lie
// outside (guidelines, section 2.5).
type Range struct {
	Low, High float64
	Inside    bool
}

// Limits are the ranges that warn and that are critical: for the remaining time in seconds, and for the probability
// of breaking a bound in percent. nil: no limit.
type Limits struct {
	Remaining, Late Thresholds
	Unknown         State // the state if Remaining has limits but the remaining time is unknown
}

// Thresholds are the two ranges of one value.
type Thresholds struct{ Warning, Critical *Range }

// Set parses a threshold into its place: "30m", "10m:2h", "@0:60" are for the remaining time; with a percent sign it
// is for the probability. critical chooses the critical range instead of the warning.
func (l *Limits) Set(typed string, critical bool) error {
	percent := strings.Contains(typed, "%")
	r, err := parse(strings.ReplaceAll(typed, "%", ""), percent)
	if err != nil {
		return fmt.Errorf("%q is not a range: %w; 30m, 10m:2h, @0:60 and 50%% are", typed, err)
	}
	t := &l.Remaining
	if percent {
		t = &l.Late
	}
	to := &t.Warning
	if critical {
		to = &t.Critical
	}
	*to = r
	return nil
}

// parse parses [@][START:][END]. START defaults to 0, "~" is minus infinity; END defaults to infinity.
func parse(typed string, percent bool) (*Range, error) {
	rest, inside := strings.CutPrefix(strings.TrimSpace(typed), "@")
	if rest == "" {
		return nil, errors.New("it is empty")
	}
	low, high, both := strings.Cut(rest, ":")
	if !both {
		low, high = "", rest
	}
	least := 0.0
	if low == "~" {
		low, least = "", math.Inf(-1)
	}
	r := &Range{Inside: inside}
	var errLow, errHigh error
	r.Low, errLow = number(low, percent, least)
	r.High, errHigh = number(high, percent, math.Inf(1))
	if r.Low > r.High {
		errHigh = errors.New("its start is after its end")
	}
	return r, cmp.Or(errLow, errHigh)
}

// number parses a number of seconds or percent, or a time such as 30m.
func number(s string, percent bool, missing float64) (float64, error) {
	if s == "" {
		return missing, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if d, e := time.ParseDuration(s); e == nil && !percent {
		v, err = d.Seconds(), nil
	}
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	if percent && (v < 0 || v > 100) {
		return 0, fmt.Errorf("%s%% is not a probability", s)
	}
	return v, nil
}

// alerts reports whether a value between low and high alerts: surely, or perhaps, as it may be any of them.
func (r *Range) alerts(low, high float64) (surely, perhaps bool) {
	if r == nil {
		return false, false
	}
	outside, inside := high < r.Low || low > r.High, low >= r.Low && high <= r.High
	surely = outside
	if r.Inside {
		surely = inside
	}
	return surely, !outside && !inside
}

// String returns the range in the format of performance data.
func (r *Range) String() string {
	if r == nil {
		return ""
	}
	s := ""
	switch {
	case math.IsInf(r.Low, -1):
		s = "~:"
	case r.Low != 0 || math.IsInf(r.High, 1):
		s = units.Digits(r.Low) + ":"
	}
	if !math.IsInf(r.High, 1) {
		s += units.Digits(r.High)
	}
	if r.Inside {
		s = "@" + s
	}
	return s
}
