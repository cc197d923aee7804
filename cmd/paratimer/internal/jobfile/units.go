package jobfile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/estimators/queueing"
)

const (
	// maxSeconds bounds a service time: 115 days.
	maxSeconds = 1e7
	// From these values on, a number without a unit, in seconds, looks like milliseconds. No map of a sane split uses
	// one resource for ten minutes, and no fetch of one map's output for one minute.
	longTask    = 600
	longShuffle = 60
)

// demand reads the service times of a class. Faults name the resource.
func (r *reader) demand(w *demand, at []string, long float64) queueing.Demand {
	if w == nil {
		return queueing.Demand{}
	}
	one := func(s, resource string) float64 {
		at := sub(at, resource)
		v, bare, ok := seconds(s)
		switch {
		case s == "":
			return 0
		case !ok:
			r.doc.Fail(at, fmt.Sprintf(
				"%s is %q: it must be a time, 0 or more, such as 5.1s or 250ms; a number alone is seconds", resource,
				short(s)))
			return math.NaN() // not zero
		case v > maxSeconds:
			r.doc.Fail(at, fmt.Sprintf("%s is %s, more than the supported %.0f s", resource, short(s), maxSeconds))
		case bare && v >= long:
			r.doubts.Fail(at, fmt.Sprintf(
				"%s is %s without a unit, which is read as seconds (%v): if it is milliseconds, write %sms; if not, %ss",
				resource, short(s), time.Duration(v*float64(time.Second)).Round(time.Second), short(s), short(s)))
		}
		return v
	}
	return queueing.Demand{
		CPU: one(w.CPU, "cpu"), Disk: one(w.Disk, "disk"),
		Fibre: one(w.Fibre, "fibre"), Network: one(w.Network, "network"),
	}
}

// seconds parses a time. bare reports that it has no unit.
func seconds(s string) (v float64, bare, ok bool) {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v, true, v >= 0 && !math.IsInf(v, 0)
	}
	if v, err := strconv.ParseFloat(strings.TrimSuffix(s, "s"), 64); err == nil {
		return v, false, v >= 0 && !math.IsInf(v, 0) // the exact number: a conversion to milliseconds would round it
	}
	ms, ok := planfile.ParseTime(s)
	return ms / 1000, false, ok
}

// short cuts a text of a file.
func short(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
