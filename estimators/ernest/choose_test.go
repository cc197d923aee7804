package ernest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/units"
)

// Two types of machine for one job: large ones are twice as fast and cost three times as much.
func twoOffers(t *testing.T) []Offer {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	small := must(t, measure(theta(5, 2000, 0.5, 1), designs[3].at, 0.02, random), FitOptions{})
	large := must(t, measure(theta(5, 1000, 0.5, 1), designs[3].at, 0.02, random), FitOptions{})
	return []Offer{
		{Name: "small", Model: small, PricePerMachineHour: 0.1, MaxMachines: 64},
		{Name: "large", Model: large, PricePerMachineHour: 0.3, MaxMachines: 64},
	}
}

func choose(t *testing.T, offers []Offer, w Want) []Choice {
	t.Helper()
	choices, err := Choose(offers, w)
	if err != nil {
		t.Fatal(err)
	}
	return choices
}

// §4.1, §6.4: of all that meet a deadline the cheapest comes first, and so on.
func TestChoose(t *testing.T) {
	offers := twoOffers(t)
	for _, w := range []Want{
		{Scale: 1},
		{Scale: 1, Goal: Fastest},
		{Scale: 1, Deadline: 120},
		{Scale: 1, Deadline: 120, Goal: Fastest},
		{Scale: 1, Budget: 0.08},
		{Scale: 1, Budget: 0.08, Goal: Fastest},
		{Scale: 1, Deadline: 120, Budget: 0.12},
		{Scale: 1, Deadline: 1},
	} {
		choices := choose(t, offers, w)
		if len(choices) != 128 {
			t.Fatalf("%+v: %d choices", w, len(choices))
		}
		met := 0
		for i, c := range choices {
			deadline, budget := units.Float(w.Deadline), units.Float(w.Budget)
			meets := (w.Deadline == 0 || c.High <= deadline) && (w.Budget == 0 || c.CostHigh <= budget)
			if c.Meets != meets || meets != (c.Why == "") {
				t.Errorf("%+v: %s x %d meets %v, %q", w, c.Offer, c.Machines, c.Meets, c.Why)
			}
			if meets && i != met {
				t.Errorf("%+v: %s x %d comes after one that does not meet", w, c.Offer, c.Machines)
			}
			if meets {
				met++
			}
			price := map[string]float64{"small": 0.1, "large": 0.3}[c.Offer]
			if math.Abs(float64(c.Cost)-price*float64(c.Machines)*float64(c.Seconds)/3600) > 1e-12 {
				t.Errorf("%s x %d costs %g", c.Offer, c.Machines, c.Cost)
			}
			if w.Deadline > 0 && (c.InTime < 0.9-0.01 && c.High <= deadline || c.InTime > 0.9+0.01 &&
				c.High > deadline) {
				t.Errorf("%s x %d: in time with probability %g, high %g of %g", c.Offer, c.Machines, c.InTime, c.High,
					w.Deadline)
			}
			if i == 0 || i >= met {
				continue
			}
			if last := choices[i-1]; w.Goal == Cheapest && last.Cost > c.Cost || w.Goal == Fastest &&
				last.Seconds > c.Seconds {
				t.Errorf("%+v: %d is better than the one before", w, i)
			}
		}
		if w.Deadline == 1 && met > 0 || w.Deadline != 1 && met == 0 {
			t.Errorf("%+v: %d meet", w, met)
		}
		if w.Deadline == 1 && !slices.IsSortedFunc(choices,
			func(a, b Choice) int { return int(1e6 * (b.InTime - a.InTime)) }) {
			t.Error("what cannot be met is not in order of its chance")
		}
	}
	// A large cluster is bought for a deadline, not for its price.
	if cheap, soon := choose(t, offers, Want{Scale: 1})[0], choose(t, offers,
		Want{Scale: 1, Deadline: 120})[0]; cheap.Machines >= soon.Machines || cheap.Offer != "small" {
		t.Errorf("cheapest %s x %d, in two minutes %s x %d", cheap.Offer, cheap.Machines, soon.Offer, soon.Machines)
	}
}

// A result that must not be printed is last, unless forced.
func TestChooseRefused(t *testing.T) {
	offers := twoOffers(t)
	offers[1].Model = must(t, []Row{{4, 1, 0.5, 0}}, FitOptions{}) // unchecked, and much faster
	choices := choose(t, offers, Want{Scale: 1, Goal: Fastest})
	if choices[0].Offer != "small" || choices[127].Offer != "large" || choices[127].Meets || choices[127].Why == "" {
		t.Errorf("first %s x %d, last %s x %d: %q", choices[0].Offer, choices[0].Machines, choices[127].Offer,
			choices[127].Machines, choices[127].Why)
	}
	if forced := choose(t, offers, Want{Scale: 1, Goal: Fastest, Force: true}); forced[0].Offer != "large" {
		t.Errorf("forced: %s x %d", forced[0].Offer, forced[0].Machines)
	}
}

func TestChooseSteps(t *testing.T) {
	offers := twoOffers(t)[:1]
	offers[0].MinMachines, offers[0].MaxMachines, offers[0].Step = 2, 9, 3
	var machines []int
	for _, c := range choose(t, offers, Want{Scale: 1, Goal: Fastest}) {
		machines = append(machines, c.Machines)
	}
	slices.Sort(machines)
	if !slices.Equal(machines, []int{2, 5, 8}) {
		t.Error(machines)
	}
}

func TestChooseCannotBeAsked(t *testing.T) {
	m, nan := theModel(t), math.NaN()
	good := Offer{Name: "a", Model: m, PricePerMachineHour: 1, MaxMachines: 4}
	for _, c := range []struct {
		change func(*Offer)
		says   string
	}{
		{func(o *Offer) { o.Model = nil }, "no model"},
		{func(o *Offer) { o.PricePerMachineHour = -1 }, "price"},
		{func(o *Offer) { o.PricePerMachineHour = nan }, "price"},
		{func(o *Offer) { o.MaxMachines = 0 }, "fewer"},
		{func(o *Offer) { o.MinMachines = -1 }, "1 or more"},
		{func(o *Offer) { o.MaxMachines = math.MaxInt }, "more than 100000"},
		{func(o *Offer) { o.Billing.Quantum = -1 }, "billing"},
	} {
		o := good
		c.change(&o)
		_, err := Choose([]Offer{o}, Want{Scale: 1})
		var bad *InputError
		if !errors.As(err, &bad) || bad.Field != `offer "a"` || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.says, err)
		}
	}
	for _, w := range []Want{{}, {Scale: nan}, {Scale: 1, Deadline: -1}, {Scale: 1, Budget: nan}, {Scale: 1, Goal: 7}} {
		if _, err := Choose([]Offer{good}, w); err == nil {
			t.Errorf("%+v is answered", w)
		}
	}
	if _, err := Choose(nil, Want{Scale: 1}); err == nil {
		t.Error("no offer is chosen from")
	}
}

func theModel(t *testing.T) *Model { t.Helper(); return must(t, theRows(), FitOptions{}) }

func TestBilling(t *testing.T) {
	for _, c := range []struct {
		b             Billing
		seconds, want float64
	}{
		{PerMoment, 12.5, 12.5},
		{PerSecond, 12.5, 60},
		{PerSecond, 70.2, 71},
		{PerHour, 1, 3600},
		{PerHour, 3600, 3600},
		{PerHour, 3600.5, 7200},
		{PerHour, 3600 * (1 + 1e-12), 3600}, // the last digits of a computed time
	} {
		if got := c.b.Charged(c.seconds); got != c.want {
			t.Errorf("%+v: %g s are charged as %g, want %g", c.b, c.seconds, got, c.want)
		}
	}
	o := Offer{PricePerMachineHour: 0.5, Billing: PerHour}
	if cost := o.cost(4, 4000); cost != 0.5*4*2 {
		t.Errorf("%g", cost)
	}
}
