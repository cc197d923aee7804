package ernest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// measured are measurements of machines whose own speeds, and measurements, vary by so much.
func measured(r *rand.Rand, machines, each int, own, noise float64) (all []Speed) {
	for m := range machines {
		speed := 25 * math.Exp(own*r.NormFloat64())
		for range each {
			all = append(all, Speed{fmt.Sprint("m", m), speed * math.Exp(noise*r.NormFloat64())})
		}
	}
	return all
}

func learned(t *testing.T, all []Speed) *Speeds {
	t.Helper()
	s, err := LearnSpeeds(all)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSpeeds: machines that differ by known shares, with and without noise.
func TestSpeeds(t *testing.T) {
	t.Parallel()
	s := learned(t, []Speed{{"a", 10}, {"b", 20}, {"a", 10}, {"c", 20}, {"b", 20}, {"c", 20}})
	for i, want := range []float64{0.75, 0.75, 1.5} { // 1/20, 1/20 and 1/10 of their mean, 1/15
		if math.Abs(s.Slowness[i]-want) > 1e-12 {
			t.Errorf("%+v", s)
		}
	}
	if s.Reliability != 1 || s.Early != "" {
		t.Errorf("%+v", s)
	}
	r := rand.New(rand.NewPCG(3, 4))
	s = learned(t, measured(r, 400, 4, 0.10, 0.05))
	spread := 0.0
	for _, v := range s.Slowness {
		spread += (v - 1) * (v - 1) / 400
	}
	if math.Abs(s.Reliability-0.8) > 0.03 || math.Abs(math.Sqrt(spread)-0.10) > 0.01 {
		t.Errorf("reliability %v, deviation %v", s.Reliability, math.Sqrt(spread))
	}
}

// TestSpeedsEarly: what is not enough to tell machines apart.
func TestSpeedsEarly(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for want, all := range map[string][]Speed{
		"0 machines were measured":                                   nil,
		"2 machines were measured: at least 3":                       {{"a", 1}, {"b", 2}, {"a", 1}, {"b", 2}},
		"of 30 machines there are 30 measurements: measure":          measured(r, 30, 1, 0.1, 0),
		"machines differ by no more than measurements of one do (by": measured(r, 30, 3, 0, 0.1),
		"than measurements of one do (by chance in 100 % of cases)": {
			{"a", 7},
			{"b", 7},
			{"c", 7},
			{"a", 7},
			{"b", 7},
			{"c", 7},
		},
	} {
		if s := learned(t, all); !strings.HasPrefix(s.Early, "too early to say: ") || !strings.Contains(s.Early, want) {
			t.Errorf("%v, want %s", s.Early, want)
		}
	}
	for want, v := range map[string]float64{
		"machine x has speed 0": 0, "has speed NaN": math.NaN(), "has speed -1": -1,
		"has speed +Inf": math.Inf(1),
	} {
		if _, err := LearnSpeeds([]Speed{{"x", 1}, {"x", v}}); err == nil ||
			!strings.Contains(err.Error(), "measurement 2: machine x has speed") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	if _, err := LearnSpeeds(make([]Speed, MaxRows+1)); err == nil {
		t.Error("any number is taken")
	}
}

// TestOrder: order statistics of machines that are drawn from those measured, by counting all draws of three.
func TestOrder(t *testing.T) {
	t.Parallel()
	s := &Speeds{Slowness: []float64{0.5, 0.9, 1.1, 1.5}}
	want := [3]float64{}
	for i := range 64 {
		draw := []float64{s.Slowness[i%4], s.Slowness[i/4%4], s.Slowness[i/16]}
		slices.Sort(draw)
		for j, v := range draw {
			want[j] += v / 64
		}
	}
	for j, v := range want {
		if got := s.order(j+1, 3); math.Abs(got-v) > 1e-12 {
			t.Errorf("%d of 3: %v, want %v", j+1, got, v)
		}
	}
	s.Reliability = 1
	if got, want := s.mean(2, 1), (want[0]+want[1])/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("mean %v, want %v", got, want)
	}
}

// TestSpareSimulated: clusters are started, measured once and thinned; what is gained is as foretold, or more by less
// than a sixth of what perfect measurements would gain.
func TestSpareSimulated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		machines, more int
		noise          float64
	}{{8, 1, 0}, {8, 1, 0.05}, {48, 2, 0}, {48, 2, 0.03}, {48, 4, 0.05}, {48, 2, 0.1}} {
		r := rand.New(rand.NewPCG(7, 8))
		s := learned(t, measured(r, 1000, 5, 0.1, c.noise))
		slowest := s.order(c.machines, c.machines)
		kept, mean := s.kept(c.machines, c.more, slowest), s.mean(c.machines, c.more)
		without, with, average := 0.0, 0.0, 0.0
		const clusters = 4000
		for range clusters {
			type one struct{ slow, seen float64 }
			all := make([]one, c.machines+c.more)
			for i := range all {
				slow := s.Slowness[r.IntN(len(s.Slowness))]
				all[i] = one{slow, slow * math.Exp(c.noise*r.NormFloat64())}
			}
			top := func() (most, sum float64) {
				for _, m := range all[:c.machines] {
					most, sum = max(most, m.slow), sum+m.slow
				}
				return most, sum / float64(c.machines)
			}
			most, _ := top()
			without += most / clusters
			slices.SortFunc(all, func(a, b one) int { return int(math.Copysign(1, a.seen-b.seen)) })
			most, sum := top()
			with, average = with+most/clusters, average+sum/clusters
		}
		perfect := slowest - s.order(c.machines, c.machines+c.more)
		more := (without - with) - (slowest - kept)
		t.Logf("%d+%d, noise %v: slowest %.3f (simulated %.3f), kept %.3f (%.3f), mean %.4f (%.4f)", c.machines, c.more,
			c.noise, slowest, without, kept, with, mean, average)
		if math.Abs(slowest-without) > 0.004 || more < -perfect/30 || more > perfect/6 || mean-average < -0.0003 ||
			mean-average > 0.004 {
			t.Errorf("%+v: slowest %v, kept %v, mean %v; simulated %v, %v, %v", c, slowest, kept, mean, without, with,
				average)
		}
	}
}

// hours is an offer whose runs take an hour on 40 machines and so many seconds that are not divided.
func hours(t *testing.T, s *Speeds, serial float64) *Offer {
	t.Helper()
	var rows []Row
	for _, m := range []float64{10, 20, 30, 40, 50} {
		rows = append(rows, Row{m, 0.5, serial + 40*1800/m, 0}, Row{m, 1, serial + 40*3600/m, 0})
	}
	m, err := Fit(rows, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &Offer{Name: "o", Model: m, PricePerMachineHour: 1, MinMachines: 40, MaxMachines: 40, Speeds: s}
}

// TestSpare: where machines differ some are started to be dropped, if what that saves is more than it costs.
func TestSpare(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	differ := measured(r, 200, 3, 0.1, 0.02)
	for name, c := range map[string]struct {
		want     Want
		change   func(o *Offer)
		machines [2]int
		early    string
	}{
		"cheapest":    {want: Want{Scale: 1}, machines: [2]int{1, 4}},
		"fastest":     {want: Want{Scale: 1, Goal: Fastest}, machines: [2]int{4, 4}},
		"short":       {want: Want{Scale: 0.01, Goal: Fastest, Force: true}}, // 36 s: measuring takes as long
		"within":      {want: Want{Scale: 1, Deadline: 3700}, machines: [2]int{1, 4}},
		"late":        {want: Want{Scale: 1, Deadline: 1000}},
		"poor":        {want: Want{Scale: 1, Goal: Fastest, Budget: 20}},
		"by the hour": {want: Want{Scale: 1}, change: func(o *Offer) { o.Billing = PerHour }},
		"few were measured": {
			want: Want{Scale: 1}, change: func(o *Offer) { o.Speeds = learned(t, differ[:3*43]) },
			early: "43 machines were measured: how slow the slowest of 44 is takes as many",
		},
		"as many": {
			want: Want{Scale: 1}, change: func(o *Offer) { o.Speeds = learned(t, differ[:3*44]) },
			machines: [2]int{1, 4},
		},
		"alike": {
			want:   Want{Scale: 1},
			change: func(o *Offer) { o.Speeds = learned(t, measured(r, 200, 3, 0, 0.1)) },
			early:  "no more than measurements of one do",
		},
		"nearly alike": {
			want:   Want{Scale: 1},
			change: func(o *Offer) { o.Speeds = learned(t, measured(r, 200, 3, 0.001, 0)) },
		},
		"a fee of a machine": {want: Want{Scale: 1}, change: func(o *Offer) {
			o.Cost = func(m, s float64) float64 {
				return m*s/3600 + 10*m
			}
		}},
	} {
		o := hours(t, learned(t, differ), 0)
		if c.change != nil {
			c.change(o)
		}
		choices, err := Choose([]Offer{*o}, c.want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.Spare(&choices[0], c.want)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %+v", name, *got)
		if (got.Early == "") != (c.early == "") || !strings.Contains(got.Early, c.early) ||
			got.Machines < c.machines[0] || got.Machines > c.machines[1] {
			t.Errorf("%s: %+v", name, *got)
		}
		if got.Machines > 0 && (got.Seconds >= got.SecondsShared || got.Kept >= got.Slowest ||
			c.want.Goal == Cheapest && got.Cost >= choices[0].Cost) {
			t.Errorf("%s: %+v beside %+v", name, *got, choices[0])
		}
	}
	o := hours(t, nil, 0)
	if got, err := o.Spare(&Choice{Machines: 40}, Want{}); got != nil || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestSpareSerial: only what is divided is gained from; all machines are paid for while they are measured.
func TestSpareSerial(t *testing.T) {
	t.Parallel()
	o := hours(t, learned(t, measured(rand.New(rand.NewPCG(9, 10)), 200, 3, 0.1, 0.02)), 1800)
	choices, err := Choose([]Offer{*o}, Want{Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := o.Spare(&choices[0], Want{Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	seconds := Measuring + 1800 + 3600*got.Kept/got.Slowest
	cost := (40*seconds + float64(got.Machines)*Measuring) / 3600
	if got.Machines == 0 || math.Abs(got.Seconds-seconds) > 1e-3 || math.Abs(got.Cost-cost) > 1e-6 {
		t.Errorf("%+v, want %v s, cost %v", *got, seconds, cost)
	}
}
