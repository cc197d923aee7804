package spark

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// settings has the properties of an application.
type settings map[string]string

// on reports whether a setting is true.
func (s settings) on(key string) bool { return strings.EqualFold(s[key], "true") }

// fair reports whether the scheduler shares the cores between pools.
func (s settings) fair() bool { return strings.EqualFold(s["spark.scheduler.mode"], "FAIR") }

// number returns the value of a numeric setting, or -1 if it is not set.
func (s settings) number(key string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s[key]))
	if err != nil || n < 0 || n > math.MaxInt32 {
		return -1
	}
	return n
}

// coresPerTask returns spark.task.cpus.
func (s settings) coresPerTask() int { return max(1, s.number("spark.task.cpus")) }

// retained returns how many objects of a kind a driver keeps. usual is Spark's default.
func (s settings) retained(setting string, usual int) int {
	if n := s.number("spark.ui." + setting); n > 0 {
		return n
	}
	return usual
}

// backlogTimeout returns how long tasks wait before the driver requests executors. kind is "" for the first request
// and "sustained" for later ones.
func (s settings) backlogTimeout(kind string) time.Duration {
	first := span(s[dynamic+"schedulerBacklogTimeout"], usualBacklog)
	if kind == "" {
		return first
	}
	return span(s[dynamic+"sustainedSchedulerBacklogTimeout"], first)
}

// span parses a duration of Spark's settings, in seconds if it has no unit. It returns usual for an invalid value.
func span(s string, usual time.Duration) time.Duration {
	s = strings.Replace(strings.ToLower(strings.TrimSpace(s)), "min", "m", 1)
	if strings.TrimRight(s, "0123456789") == "" {
		s += "s"
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > dag.MaxLength {
		return usual
	}
	return d
}
