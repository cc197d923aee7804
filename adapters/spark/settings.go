package spark

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// settings are the properties of an application.
type settings map[string]string

// mostSettings bounds how many are kept.
const mostSettings = 10_000

func (s settings) set(key, value string) {
	if len(s) < mostSettings {
		s[key] = value
	}
}

// on reports whether a setting is true.
func (s settings) on(key string) bool { return strings.EqualFold(s[key], "true") }

// fair reports whether the scheduler shares the cores between pools.
func (s settings) fair() bool { return strings.EqualFold(s["spark.scheduler.mode"], "FAIR") }

// number is a setting that is a number of things, -1 if it is not set.
func (s settings) number(key string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s[key]))
	if err != nil || n < 0 || n > math.MaxInt32 {
		return -1
	}
	return n
}

// coresPerTask is spark.task.cpus.
func (s settings) coresPerTask() int { return max(1, s.number("spark.task.cpus")) }

// retained is how many of something a driver keeps, by a setting that an application may have.
func (s settings) retained(setting string, usual int) int {
	if n := s.number("spark.ui." + setting); n > 0 {
		return n
	}
	return usual
}

// backlogTimeout is how long tasks wait before the driver requests executors: for the first time if kind is "", again
// if it is "sustained".
func (s settings) backlogTimeout(kind string) time.Duration {
	first := span(s[dynamic+"schedulerBacklogTimeout"], usualBacklog)
	if kind == "" {
		return first
	}
	return span(s[dynamic+"sustainedSchedulerBacklogTimeout"], first)
}

// span reads a time of Spark's settings, in seconds unless it has a unit; usual if it is none.
func span(s string, usual time.Duration) time.Duration {
	s = strings.ToLower(strings.TrimSpace(s))
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz")
	unit, known := map[string]time.Duration{
		"": time.Second, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "m": time.Minute, "min": time.Minute,
		"h": time.Hour, "d": 24 * time.Hour,
	}[s[len(digits):]]
	n, err := strconv.Atoi(digits)
	if err != nil || !known || n < 0 || n > int(mostStart/time.Second)*1000 || time.Duration(n)*unit > dag.MaxLength {
		return usual
	}
	return time.Duration(n) * unit
}
