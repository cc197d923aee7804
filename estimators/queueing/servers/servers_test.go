package servers

import (
	"errors"
	"flag"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/estimators/internal/mva"
)

func init() { _ = flag.Set("rapid.seed", "20261122") }

// A machine is found again from its own times, and predicts them as mean value analysis does.
func TestRecovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := &Model{
			Demand:  rapid.Float64Range(0.01, 1000).Draw(t, "demand"),
			Servers: rapid.IntRange(1, 40).Draw(t, "servers"),
			Gain:    float64(rapid.IntRange(0, 90).Draw(t, "gain")) / 100,
		}
		var rows []Row
		for n := 1; n <= 3*want.Servers+1; n++ {
			rows = append(rows, Row{n, want.Demand * want.stretch(n)})
		}
		got, err := Fit(rows, Options{Threads: want.Gain > 0})
		if err != nil {
			t.Fatal(err)
		}
		if got.Servers != want.Servers || math.Abs(got.Gain-want.Gain) > 1e-9 ||
			math.Abs(got.Demand/want.Demand-1) > 1e-9 || got.Unseen {
			t.Fatalf("%+v, want %+v", got, want)
		}
		jobs := rapid.IntRange(1, 100).Draw(t, "jobs")
		seconds, err := got.Predict(jobs)
		if err != nil || math.Abs(seconds/(want.Demand*want.stretch(jobs))-1) > 1e-9 {
			t.Fatalf("%d jobs: %v, %v", jobs, seconds, err)
		}
		exact, err := mva.Exact(&mva.Network{
			Centres: []mva.Centre{{Servers: want.Servers}}, Population: []int{jobs},
			Demand: [][]float64{{want.Demand}},
		})
		if err != nil || want.Gain == 0 && math.Abs(exact.Response[0]/seconds-1) > 1e-9 {
			t.Fatalf("%d jobs: %v, mva %+v, %v", jobs, seconds, exact, err)
		}
	})
}

// Where no job ever waited, more jobs than that are not predicted, unless the servers are known.
func TestUnseen(t *testing.T) {
	rows := []Row{{1, 10}, {2, 10}, {4, 10}}
	m, err := Fit(rows, Options{})
	if err != nil || !m.Unseen || m.Servers != 4 {
		t.Fatalf("%+v, %v", m, err)
	}
	var unseen *UnseenError
	if seconds, err := m.Predict(5); !errors.As(err, &unseen) || math.Abs(seconds-10) > 1e-9 {
		t.Errorf("%v, %v", seconds, err)
	}
	if seconds, err := m.Predict(4); err != nil || math.Abs(seconds-10) > 1e-9 {
		t.Errorf("%v, %v", seconds, err)
	}
	if m, err = Fit(rows, Options{Servers: 8}); err != nil {
		t.Fatal(err)
	}
	if seconds, err := m.Predict(16); err != nil || math.Abs(seconds-20) > 1e-9 {
		t.Errorf("%v, %v", seconds, err)
	}
	scores, err := Score(append(rows, Row{8, 17}), 4, Options{})
	if err != nil || scores[0].Refused != 1 || scores[0].Mean.Known() {
		t.Errorf("%+v, %v", scores, err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		rows []Row
		o    Options
		want error
	}{
		{[]Row{{1, 2}, {0, 2}}, Options{}, &RowError{1, "0 jobs: give 1 to 1000"}},
		{[]Row{{1, math.NaN()}}, Options{}, &RowError{0, "NaN s: give a number above 0"}},
		{[]Row{{1, 0}}, Options{}, &RowError{0, "0 s: give a number above 0"}},
	} {
		if _, err := Fit(c.rows, c.o); !reflect.DeepEqual(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
		if _, err := Score(c.rows, 1, c.o); !reflect.DeepEqual(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	if _, err := Fit(nil, Options{}); err == nil {
		t.Error("no rows: no error")
	}
	if _, err := Fit([]Row{{1, 1}}, Options{Servers: -1}); err == nil {
		t.Error("-1 servers: no error")
	}
	if _, err := Score([]Row{{1, 1}}, 1, Options{}); err == nil {
		t.Error("nothing to predict: no error")
	}
	if _, err := (&Model{Demand: 1, Servers: 1}).Predict(0); err == nil {
		t.Error("no jobs: no error")
	}
}

func BenchmarkFit(b *testing.B) {
	var rows []Row
	for n := 1; n <= 100; n++ {
		rows = append(rows, Row{n, 30 * max(1, float64(n)/24) * (1 + 0.01*math.Sin(float64(n)))})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Fit(rows, Options{Threads: true}); err != nil {
			b.Fatal(err)
		}
	}
}
