package queueing

import (
	"fmt"
	"math"
)

// Limits of a Spec: what is larger is a slip of units, and would cost memory.
const (
	MaxNodes = 100_000
	MaxSlots = 10_000 // CPUs, disks, map slots, reduce slots or shuffle threads of a node
	MaxTasks = 100_000_000
	MaxJobs  = 100
)

// A FieldError is a field of a Spec that cannot be.
type FieldError struct {
	Field   string // path, as in Jobs[1].Map.Disk
	Value   float64
	Problem string // what is wrong and what would be right
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("%s is %v: %s", e.Field, e.Value, e.Problem)
}

// Validate says what of the Spec cannot be, as a *FieldError.
func (s *Spec) Validate() error {
	for _, f := range []struct {
		name   string
		value  int
		lo, hi int
	}{
		{"Nodes", s.Nodes, 1, MaxNodes},
		{"CPUs", s.CPUs, 1, MaxSlots},
		{"Disks", s.Disks, 0, MaxSlots},
		{"MapSlots", s.MapSlots, 1, MaxSlots},
		{"ReduceSlots", s.ReduceSlots, 0, MaxSlots},
		{"ShuffleThreads", s.ShuffleThreads, 1, MaxSlots},
		{"Jobs", len(s.Jobs), 1, MaxJobs},
	} {
		if err := within(f.name, f.value, f.lo, f.hi); err != nil {
			return err
		}
	}
	for i := range s.Jobs {
		if err := s.Jobs[i].validate(fmt.Sprintf("Jobs[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

func (j *Job) validate(at string) error {
	for _, f := range []struct {
		name   string
		value  int
		lo, hi int
	}{
		{".Copies", j.Copies, 1, MaxTasks},
		{".Maps", j.Maps, 1, MaxTasks},
		{".Reduces", j.Reduces, 0, MaxTasks},
	} {
		if err := within(at+f.name, f.value, f.lo, f.hi); err != nil {
			return err
		}
	}
	demands := []struct {
		name string
		d    Demand
	}{{".Map", j.Map}, {".Shuffle", j.Shuffle}, {".Merge", j.Merge}}
	if j.Reduces == 0 {
		demands = demands[:1]
	}
	total := 0.0
	for _, d := range demands {
		if err := d.d.validate(at + d.name); err != nil {
			return err
		}
		total += d.d.Total()
	}
	if total == 0 {
		return &FieldError{at + ".Map", 0, "no task asks any service: give demands in seconds"}
	}
	return nil
}

func (d Demand) validate(at string) error {
	for _, f := range []struct {
		name  string
		value float64
	}{{".CPU", d.CPU}, {".Fibre", d.Fibre}, {".Disk", d.Disk}, {".Network", d.Network}} {
		if math.IsNaN(f.value) || math.IsInf(f.value, 0) || f.value < 0 || f.value > 1e9 {
			return &FieldError{at + f.name, f.value, "a demand is in seconds, from 0 to 1e9"}
		}
	}
	return nil
}

func within(name string, v, lo, hi int) error {
	if v < lo || v > hi {
		return &FieldError{name, float64(v), fmt.Sprintf("it must be from %d to %d", lo, hi)}
	}
	return nil
}
