package ernest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// iterate makes runs of a job with set-up 8 + 40·scale/machines and the base law an iteration.
func iterate(counts []int, noise float64, seed uint64) []Row {
	random := rand.New(rand.NewPCG(seed, 1))
	var rows []Row
	for i, p := range designs[3].at {
		n := counts[i%len(counts)]
		seconds := (8 + 40*p[1]/p[0] + float64(n)*theta(0.3, 12, 0.02, 0.1)(p[0], p[1])) * noisy(noise, random)
		rows = append(rows, Row{p[0], p[1], seconds, n})
	}
	return rows
}

// §4.1: a few iterations predict many.
func TestIterations(t *testing.T) {
	m := must(t, iterate([]int{2, 5, 10, 3, 7}, 0.02, 1), FitOptions{})
	if m.Setup != 2 || m.Doubt != nil || len(m.Warnings) > 0 {
		t.Fatalf("%d terms of the set-up, trusted %v, %v", m.Setup, m.Doubt, m.Warnings)
	}
	for _, n := range []int{1, 10, 100} {
		p, want := m.Predict(Point{16, 1, n}), 8+40.0/16+float64(n)*theta(0.3, 12, 0.02, 0.1)(16, 1)
		if p.Refused != nil || math.Abs(p.Seconds/want-1) > 0.1 || p.Low > want || p.High < want {
			t.Errorf("%d iterations: %g (%g - %g), want %g; %v", n, p.Seconds, p.Low, p.High, want, p.Refused)
		}
	}
	if want := append([]Term{One, ScalePerMachine}, BaseTerms()...); !slices.Equal(m.Terms, want) {
		t.Errorf("%v, want %v", m.Terms, want)
	}
	for _, c := range []struct {
		at   Point
		code string
	}{
		{Point{16, 1, 0}, "impossible"},
		{Point{16, 1, -1}, "impossible"},
		{Point{16, 1e6, 10}, "too_far"},
	} {
		if p := m.Predict(c.at); p.Refused == nil || p.Refused.Code != c.code {
			t.Errorf("%+v: %v, want %s", c.at, p.Refused, c.code)
		}
	}
	if p := theModel(t).Predict(Point{16, 1, 10}); p.Refused == nil || p.Refused.Code != "impossible" {
		t.Errorf("iterations of a job without any: %v", p.Refused)
	}
	if s := Retrain(m, Row{16, 1, 3 * m.Predict(Point{16, 1, 10}).Seconds, 10}); !s.Retrain {
		t.Errorf("a run of iterations that takes three times as long: %+v", s)
	}
}

// Where all runs have the same number of iterations, set-up cannot be separated from them, and a warning reports it.
func TestIterationsOfOneCount(t *testing.T) {
	m := must(t, iterate([]int{10}, 0, 1), FitOptions{})
	if m.Setup != 0 || !slices.Contains(codes(m.Warnings), "setup_within") {
		t.Errorf("%d terms of the set-up, %v", m.Setup, m.Warnings)
	}
	p, want := m.Predict(Point{4, 0.4, 10}), 8+40*0.1+10*theta(0.3, 12, 0.02, 0.1)(4, 0.4)
	if math.Abs(p.Seconds/want-1) > 1e-6 {
		t.Errorf("%g, want %g", p.Seconds, want)
	}
	var bad *InputError
	if _, err := Fit([]Row{{1, 1, 1, 1}, {1, 1, 1, 0}}, FitOptions{}); !errors.As(err, &bad) || bad.Row != 2 ||
		bad.Field != "iterations 0" {
		t.Errorf("one row without iterations: %v", err)
	}
}

// A job of §6.3 is run for 40 iterations and may take an hour: runs of two and four iterations choose the machines.
func TestChooseIterations(t *testing.T) {
	law := func(machines float64, iterations int) float64 {
		return 90 + float64(iterations)*(6+1150/machines+0.25*machines)
	}
	var rows []Row
	for _, machines := range []float64{1, 2, 4, 8} {
		for i, scale := range []float64{0.125, 0.25, 0.5} {
			n := []int{2, 4}[i%2]
			rows = append(rows, Row{machines, scale, 90 + float64(n)*(6+1150*scale/machines+0.25*machines), n})
		}
	}
	offers := []Offer{{Name: "m4.large", Model: must(t, rows, FitOptions{}), PricePerMachineHour: 0.1, MaxMachines: 32}}
	all, err := Choose(offers, Want{Scale: 1, Iterations: 40, Deadline: 3600})
	if err != nil {
		t.Fatal(err)
	}
	least := 1
	for law(float64(least), 40) > 3600 {
		least++
	}
	// The high end of the range must meet the deadline, too.
	if best := all[0]; !best.Meets || best.Machines < least || best.Machines > least+2 {
		t.Errorf("%+v, want %d machines", best, least)
	}
	if all, err = Choose(offers, Want{Scale: 1, Deadline: 3600}); err != nil || all[0].Meets {
		t.Errorf("without iterations: %+v, %v", all[0], err)
	}
}
