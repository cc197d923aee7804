package trainrun_test

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/trainrun"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func TestForecastOfFewRows(t *testing.T) {
	row := design([3]float64{1, 0.5, 4})[0]
	if got := trainrun.NewForecast(nil).Row(row); !math.IsNaN(got.Seconds) || got.String() != "?" {
		t.Errorf("of nothing: %v", got)
	}
	// Of a row with a quarter of the work: all start-up, or all work.
	one := []ernest.Row{{Machines: 2, Scale: 0.25, Seconds: 20}}
	if got, want := trainrun.NewForecast(one).Row(row), (trainrun.Range{
		Seconds: 50, Low: 20, High: 80,
		Rough: true,
	}); got != want {
		t.Errorf("of a row: %+v, want %+v", got, want)
	}
	// The other way round: a row that takes less.
	if got, want := trainrun.NewForecast([]ernest.Row{{Machines: 1, Scale: 0.5, Seconds: 80}}).Row(
		design([3]float64{2, 0.25, 2})[0]),
		(trainrun.Range{Seconds: 50, Low: 20, High: 80, Rough: true}); got != want {
		t.Errorf("of a larger row: %+v, want %+v", got, want)
	}
	// A second row leaves less room.
	two := append(one, ernest.Row{Machines: 1, Scale: 0.25, Seconds: 30})
	if got, want := trainrun.NewForecast(two).Row(row), (trainrun.Range{
		Seconds: 45, Low: 30, High: 60,
		Rough: true,
	}); got != want {
		t.Errorf("of two rows: %+v, want %+v", got, want)
	}
	// Rows that no start-up and work explain still say something.
	odd := append(one, ernest.Row{Machines: 1, Scale: 0.25, Seconds: 100})
	if got := trainrun.NewForecast(odd).Row(row); got.Low != 20 || got.High != 200 {
		t.Errorf("of odd rows: %+v", got)
	}
}

// Runs of 10 s and 400 s of divided work: the rest is known from three of them on, and in time without "rough".
func TestForecastByFit(t *testing.T) {
	rows := design([3]float64{8, 0.125}, [3]float64{4, 0.0625}, [3]float64{3, 0.06}, [3]float64{2, 0.06},
		[3]float64{4, 0.125}, [3]float64{2, 0.125}, [3]float64{1, 0.125})
	var made []ernest.Row
	for i, row := range rows {
		truth := 10 + 400*row.Scale/float64(row.Machines)
		if i >= 3 {
			got := trainrun.NewForecast(made).Row(row)
			if math.Abs(got.Seconds-truth) > 1e-6*truth || got.Low > 0.9*truth+1e-6 || got.High < 1.1*truth-1e-6 ||
				got.Rough != (i < 6) {
				t.Errorf("after %d runs: %+v, want %v", i, got, truth)
			}
		}
		made = append(made, ernest.Row{Machines: float64(row.Machines), Scale: row.Scale, Seconds: truth})
	}
}
