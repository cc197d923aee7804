package ernest_test

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// Four small runs on a part of the input, and what the whole would take on an untried number of machines.
func ExampleFit() {
	model, err := ernest.Fit([]ernest.Row{
		{Machines: 1, Scale: 0.0625, Seconds: 45},
		{Machines: 2, Scale: 0.0625, Seconds: 29.3},
		{Machines: 2, Scale: 0.125, Seconds: 49.5},
		{Machines: 4, Scale: 0.125, Seconds: 34.6},
		{Machines: 4, Scale: 0.25, Seconds: 54.2},
		{Machines: 8, Scale: 0.25, Seconds: 39.1},
		{Machines: 8, Scale: 0.5, Seconds: 59.6},
	}, ernest.FitOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("doubt:", model.Doubt)
	for _, machines := range []float64{8, 16, 32} {
		p := model.Predict(ernest.Point{Machines: machines, Scale: 1})
		if p.Refused != nil {
			fmt.Println(machines, "machines:", p.Refused)
			continue
		}
		fmt.Printf("%v machines: %.0f s\n", machines, p.Seconds)
	}
	// Output:
	// doubt: <nil>
	// 8 machines: 100 s
	// 16 machines: 65 s
	// 32 machines: 52 s
}

// Which runs to make so that the model is worth most for what they cost.
func ExampleDesign() {
	plan, err := ernest.Design(ernest.Space{MinParts: 1, MaxParts: 16, TotalParts: 256, MinMachines: 1, MaxMachines: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range plan.Rows[:min(3, len(plan.Rows))] {
		fmt.Printf("%d machines, %.1f%% of the input\n", r.Machines, 100*r.Scale)
	}
	// Output:
	// 1 machines, 0.7% of the input
	// 3 machines, 2.2% of the input
	// 3 machines, 2.5% of the input
}
