package ernest

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The authors' documented example.
var documented = Space{MinParts: 4, MaxParts: 32, TotalParts: 256, MinMachines: 1, MaxMachines: 8, CoresPerMachine: 4}

// The rows that the authors ran, of examples/rcv1-parsed.csv, are the design.
func TestDocumentedDesign(t *testing.T) {
	p, err := Design(documented)
	if err != nil {
		t.Fatal(err)
	}
	want := map[[2]int]bool{
		{8, 32}: true, {1, 4}: true, {1, 6}: true, {3, 13}: true, {3, 15}: true, {3, 16}: true,
		{4, 16}: true,
	}
	for _, r := range p.Rows {
		if !want[[2]int{r.Machines, r.Parts}] || r.Weight != 1 {
			t.Errorf("%+v is not one of the authors' runs", r)
		}
		delete(want, [2]int{r.Machines, r.Parts})
	}
	if len(want) > 0 || math.Abs(float64(p.Objective)-5.617273) > 1e-6 || p.Candidates != 83 ||
		!(p.Gap >= 0 && p.Gap < 1e-6) {
		t.Errorf("missing %v; objective %.9g, gap %.3g, %d candidates", want, p.Objective, p.Gap, p.Candidates)
	}
}

// §6.5: the cheapest runs that a budget pays determine less than the optimal ones, if they determine the coefficients
// at all.
func TestGreedy(t *testing.T) {
	cases := goldenCases[goldenDesign](t, "expt_design*.json")
	for name, c := range cases {
		best, err := Design(c.space())
		if err != nil {
			t.Fatal(err)
		}
		greedy, err := Greedy(c.space())
		if err != nil {
			t.Fatal(err)
		}
		if !(greedy.Objective > best.Objective) || greedy.Cost > c.Args.Budget || len(greedy.Rows) == 0 {
			t.Errorf("%s: greedy %.6g for %.4g, optimal %.6g for %.4g", name, greedy.Objective, greedy.Cost,
				best.Objective, best.Cost)
		}
		t.Logf("%s: sum of variances %.4g, the cheapest %d runs' %.4g", name, best.Objective, len(greedy.Rows),
			greedy.Objective)
	}
}

func TestDesignRefuses(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		change func(*Space)
		field  string
		says   string
	}{
		{"one machine count", func(s *Space) { s.MaxMachines = 1 }, "MaxMachines", "1 different numbers"},
		{"two machine counts", func(s *Space) { s.MaxMachines = 2 }, "MaxMachines", "takes 3"},
		{"parts for two machines", func(s *Space) { s.MaxParts = 10 }, "MaxMachines", "raise MaxParts"},
		{"no candidate", func(s *Space) { s.MinMachines, s.MaxMachines = 20, 30 }, "", "no candidate"},
		{"no parts", func(s *Space) { s.MinParts = 0 }, "MinParts", "at least 1"},
		{"parts reversed", func(s *Space) { s.MaxParts = 2 }, "MaxParts", "fewer"},
		{"parts beyond the input", func(s *Space) { s.TotalParts = 8 }, "TotalParts", "8 parts"},
		{"no machines", func(s *Space) { s.MinMachines = 0 }, "MinMachines", "at least 1"},
		{"machines reversed", func(s *Space) { s.MinMachines = 9 }, "MaxMachines", "fewer"},
		{"no cores", func(s *Space) { s.CoresPerMachine = -1 }, "CoresPerMachine", "at least 1"},
		{"no budget", func(s *Space) { s.Budget = -1 }, "Budget", "above 0"},
		{"budget NaN", func(s *Space) { s.Budget = nan }, "Budget", "above 0"},
		{"a budget that is rounding", func(s *Space) { s.Budget = 1e-300 }, "Budget", "pay"},
		{"a budget for nothing", func(s *Space) { s.Budget = 0.01 }, "Budget", "raise it"},
		{"no sizes", func(s *Space) { s.Interpolate = -5 }, "Interpolate", "1 or more"},
		{"10⁹ sizes", func(s *Space) { s.Interpolate = 1e9 }, "", "8e+09 candidates"},
		{"10⁹ machines", func(s *Space) { s.MaxMachines = 1e9 }, "", "2e+10 candidates"},
		{"all machines", func(s *Space) { s.MaxMachines = math.MaxInt }, "", "candidates"},
	} {
		space := documented
		c.change(&space)
		for _, design := range []func(Space) (*Plan, error){Design, Greedy} {
			_, err := design(space)
			var bad *InputError
			if !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(err.Error(), c.says) {
				if c.name == "a budget for nothing" && strings.Contains(err.Error(), "does not pay") {
					continue // greedy words it so
				}
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// What is refused for its size takes no memory first.
func TestDesignTakesNoMemory(t *testing.T) {
	space := documented
	space.Interpolate = 1e9
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Design(space)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; err == nil || grown > 1<<20 {
		t.Errorf("%d bytes; %v", grown, err)
	}
}

// A plan of any space is within its budget, of candidates of the space, its gap proven.
func TestDesignProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Space{
			MinParts: rapid.IntRange(1, 20).Draw(t, "min parts"), MinMachines: rapid.IntRange(1, 4).Draw(t,
				"min machines"),
			CoresPerMachine: rapid.IntRange(1, 4).Draw(t, "cores"), Budget: rapid.Float64Range(0.5, 40).Draw(t,
				"budget"),
			Interpolate: rapid.IntRange(1, 24).Draw(t, "sizes"),
		}
		s.MaxParts = s.MinParts + rapid.IntRange(0, 60).Draw(t, "more parts")
		s.TotalParts = s.MaxParts * rapid.IntRange(1, 50).Draw(t, "times")
		s.MaxMachines = s.MinMachines + rapid.IntRange(0, 12).Draw(t, "more machines")
		p, err := Design(s)
		if err != nil {
			var bad *InputError
			if !errors.As(err, &bad) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if p.Cost > s.Budget*(1+1e-9) || !(p.Gap >= 0 && p.Gap <= 1e-6*p.Objective) || len(p.Rows) == 0 {
			t.Fatalf("cost %g of %g, objective %g, gap %g, %d rows", p.Cost, s.Budget, p.Objective, p.Gap, len(p.Rows))
		}
		for _, r := range p.Rows {
			if r.Machines < s.MinMachines || r.Machines > s.MaxMachines || r.Cores != r.Machines*s.CoresPerMachine ||
				r.Parts < s.MinParts || !(r.Weight > MinWeight && r.Weight <= 1) {
				t.Fatalf("%+v in %+v", r, s)
			}
		}
		if greedy, err := Greedy(s); err == nil && greedy.Objective < p.Objective*(1-1e-6) {
			t.Fatalf("greedy %g is better than %g", greedy.Objective, p.Objective)
		}
	})
}

// numpy.linspace(4/256, 32/256, 20), and of one and two numbers.
func TestLinspace(t *testing.T) {
	got := linspace(4.0/256, 32.0/256, 20)
	if got[0] != 0.015625 || got[1] != 0.02138157894736842 || got[16] != 0.10773026315789473 || got[19] != 0.125 {
		t.Errorf("%v", got)
	}
	if got := linspace(1, 3, 1); len(got) != 1 || got[0] != 1 {
		t.Errorf("%v", got)
	}
	if got := linspace(1, 3, 2); got[0] != 1 || got[1] != 3 {
		t.Errorf("%v", got)
	}
}

// Halves of parts are rounded to the even number, as numpy does: 2.5 parts are enough for two cores, not for three.
func TestCandidatesRound(t *testing.T) {
	s := Space{
		MinParts: 2, MaxParts: 3, TotalParts: 4, MinMachines: 1, MaxMachines: 3, CoresPerMachine: 1,
		Interpolate: 3,
	}
	var got [][2]float64
	for _, r := range s.candidates() {
		got = append(got, [2]float64{float64(r.Machines), r.Scale})
	}
	want := [][2]float64{{1, 0.5}, {2, 0.5}, {1, 0.625}, {2, 0.625}, {1, 0.75}, {2, 0.75}, {3, 0.75}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// §3.3: a cost of the user's own takes the place of the expected time, in the constraint and in what is printed.
func TestDesignCost(t *testing.T) {
	space := Space{MinParts: 4, MaxParts: 32, TotalParts: 256, MinMachines: 1, MaxMachines: 8, CoresPerMachine: 4}
	byTime, err := Design(space)
	if err != nil {
		t.Fatal(err)
	}
	space.Budget, space.Cost = 40, func(machines, time float64) float64 { return machines*time + 2 }
	byCost, err := Design(space)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, r := range byCost.Support {
		if want := float64(r.Machines)*(r.Scale/(4.0/256)/float64(r.Machines)) + 2; math.Abs(r.Cost-want) > 1e-9 {
			t.Errorf("%+v costs %g, want %g", r, r.Cost, want)
		}
		total += r.Weight * r.Cost
	}
	if math.Abs(total-byCost.Cost) > 1e-6 || byCost.Cost > 40*(1+1e-9) || byCost.Objective == byTime.Objective {
		t.Errorf("cost %g, of the rows %g, objective %g", byCost.Cost, total, byCost.Objective)
	}
	space.Cost = func(float64, float64) float64 { return 0 }
	var bad *InputError
	if _, err := Design(space); !errors.As(err, &bad) || bad.Field != "Cost" {
		t.Errorf("runs for nothing: %v", err)
	}
}
