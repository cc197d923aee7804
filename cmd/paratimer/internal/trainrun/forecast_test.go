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
	if got, want := trainrun.NewForecast(one).Row(row), (trainrun.Range{Seconds: 50, Low: 20, High: 80, Rough: true}); got != want {
		t.Errorf("of a row: %+v, want %+v", got, want)
	}
	// The other way round: a row that takes less.
	if got, want := trainrun.NewForecast([]ernest.Row{{Machines: 1, Scale: 0.5, Seconds: 80}}).Row(design([3]float64{2, 0.25, 2})[0]),
		(trainrun.Range{Seconds: 50, Low: 20, High: 80, Rough: true}); got != want {
		t.Errorf("of a larger row: %+v, want %+v", got, want)
	}
	// A second row leaves less room.
	two := append(one, ernest.Row{Machines: 1, Scale: 0.25, Seconds: 30})
	if got, want := trainrun.NewForecast(two).Row(row), (trainrun.Range{Seconds: 45, Low: 30, High: 60, Rough: true}); got != want {
		t.Errorf("of two rows: %+v, want %+v", got, want)
	}
	// Rows that no start-up and work explain still say something.
	odd := append(one, ernest.Row{Machines: 1, Scale: 0.25, Seconds: 100})
	if got := trainrun.NewForecast(odd).Row(row); got.Low != 20 || got.High != 200 {
		t.Errorf("of odd rows: %+v", got)
	}
}
