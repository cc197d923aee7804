package modelview

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// A setting is a part of a Spec that can be changed from the command line.
type setting struct {
	name string // the flag's name
	set  func(s *queueing.Spec, job, n int)
}

var settings = []setting{
	{"nodes", func(s *queueing.Spec, _, n int) { s.Nodes = n }},
	{"cpus", func(s *queueing.Spec, _, n int) { s.CPUs = n }},
	{"disks", func(s *queueing.Spec, _, n int) { s.Disks = n }},
	{"map-slots", func(s *queueing.Spec, _, n int) { s.MapSlots = n }},
	{"reduce-slots", func(s *queueing.Spec, _, n int) { s.ReduceSlots = n }},
	{"shuffle-threads", func(s *queueing.Spec, _, n int) { s.ShuffleThreads = n }},
	{"copies", func(s *queueing.Spec, job, n int) { s.Jobs[job].Copies = n }},
	{"maps", func(s *queueing.Spec, job, n int) { s.Jobs[job] = WithMaps(s.Jobs[job], n) }},
	{"reduces", func(s *queueing.Spec, job, n int) { s.Jobs[job] = WithReduces(s.Jobs[job], n) }},
}

// Settings returns the names that Set accepts.
func Settings() []string {
	names := make([]string, len(settings))
	for i, s := range settings {
		names[i] = s.name
	}
	return names
}

// OfJob reports whether a setting belongs to a job, not to the cluster.
func OfJob(name string) bool { return name == "copies" || name == "maps" || name == "reduces" }

// Set changes a setting, for a job's setting that of job number job. The Spec must not be shared (see Copied).
// Spec.Validate finds invalid values.
func Set(s *queueing.Spec, name string, job, n int) {
	settings[slices.IndexFunc(settings, func(one setting) bool { return one.name == name })].set(s, job, n)
}

// An Axis has the values of a setting in a grid.
type Axis struct {
	Name   string
	Values []int
}

// MaxPoints bounds a grid.
const MaxPoints = 1000

// ParseAxis parses map-slots=1..8, map-slots=2..16:2 (in steps of 2) or map-slots=1,2,4,8.
func ParseAxis(text string) (Axis, error) {
	const want = "it is NAME=FROM..TO, NAME=FROM..TO:STEP or NAME=N,N,…, such as map-slots=1..8"
	name, list, ok := strings.Cut(text, "=")
	if !ok {
		return Axis{}, fmt.Errorf("%q: %s", text, want)
	}
	if !slices.Contains(Settings(), name) {
		return Axis{}, fmt.Errorf("%q is not a setting: it is one of %s", name, strings.Join(Settings(), ", "))
	}
	a := Axis{Name: name}
	from, to, isRange := strings.Cut(list, "..")
	if !isRange {
		for _, word := range strings.Split(list, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 0 {
				return Axis{}, fmt.Errorf("%q: %s", text, want)
			}
			a.Values = append(a.Values, n)
		}
		return a, a.check()
	}
	to, by, stepped := strings.Cut(to, ":")
	step := 1
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	var err3 error
	if stepped {
		step, err3 = strconv.Atoi(by)
	}
	if err1 != nil || err2 != nil || err3 != nil || step < 1 || first < 0 || last < first {
		return Axis{}, fmt.Errorf("%q: %s", text, want)
	}
	if (last-first)/step >= MaxPoints {
		return Axis{}, fmt.Errorf(
			"%q has %d values: a grid has at most %d points; take a larger step, as in %s=%s..%s:%d", text,
			(last-first)/step+1, MaxPoints, name, from, to, max(step, (last-first)/50))
	}
	for n := first; n <= last; n += step {
		a.Values = append(a.Values, n)
	}
	return a, nil
}

func (a Axis) check() error {
	if len(a.Values) > MaxPoints {
		return fmt.Errorf("%s has %d values: a grid has at most %d points", a.Name, len(a.Values), MaxPoints)
	}
	return nil
}

// Points returns all combinations of the axes' values; the last axis varies fastest.
func Points(axes []Axis) ([][]int, error) {
	n := 1
	for _, a := range axes {
		if n *= len(a.Values); n > MaxPoints {
			return nil, fmt.Errorf("the grid has more than the supported %d points", MaxPoints)
		}
	}
	points := [][]int{nil}
	for _, a := range axes {
		var next [][]int
		for _, p := range points {
			for _, v := range a.Values {
				next = append(next, append(slices.Clone(p), v))
			}
		}
		points = next
	}
	return points, nil
}
