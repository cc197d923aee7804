package ernest

import (
	"fmt"
	"math"
)

// An Offer is a type of machine with its own model and price (§4.1, §6.4).
type Offer struct {
	Name                string
	Model               *Model
	PricePerMachineHour float64 // in any currency, one for all offers; 0 if unknown
	MinMachines         int     // 0 for 1
	MaxMachines         int
	Step                int // machines come in multiples of Step, starting at MinMachines; 0 for 1
	Billing             Billing
}

func (o *Offer) bad(format string, args ...any) error {
	return bad(fmt.Sprintf("offer %q", o.Name), format, args...)
}

// checked returns the offer with its defaults, or an error if it is invalid.
func (o Offer) checked() (Offer, error) {
	if o.MinMachines == 0 {
		o.MinMachines = 1
	}
	if o.Step == 0 {
		o.Step = 1
	}
	b := o.Billing
	switch {
	case o.Model == nil:
		return o, o.bad("it has no model: fit one to its training runs")
	case !finite(o.PricePerMachineHour) || o.PricePerMachineHour < 0:
		return o, o.bad("a price of %v for a machine and hour: give a number of 0 or more", o.PricePerMachineHour)
	case o.MinMachines < 1 || o.Step < 1:
		return o, o.bad("from %d machines on by steps of %d: both are 1 or more", o.MinMachines, o.Step)
	case o.MaxMachines < o.MinMachines:
		return o, o.bad("%d machines at most are fewer than %d at least", o.MaxMachines, o.MinMachines)
	case !finite(b.Quantum) || !finite(b.Minimum) || b.Quantum < 0 || b.Minimum < 0:
		return o, o.bad("billing by %v s and at least %v s: give seconds of 0 or more", b.Quantum, b.Minimum)
	}
	return o, nil
}

// Billing is how time is charged. The zero value charges the exact time.
type Billing struct {
	Quantum float64 // seconds; each started quantum is charged in full; 0 for the exact time
	Minimum float64 // seconds charged at least
}

// The usual billings.
var (
	PerMoment = Billing{}
	PerSecond = Billing{Quantum: 1, Minimum: 60}
	PerHour   = Billing{Quantum: 3600}
)

// Charged returns the charged time in seconds.
func (b Billing) Charged(seconds float64) float64 {
	if b.Quantum > 0 {
		seconds = b.Quantum * started(seconds/b.Quantum)
	}
	return max(seconds, b.Minimum)
}

// started returns the number of quanta that have begun. It ignores rounding errors of a computed time.
func started(quanta float64) float64 {
	const rounding = 1e-9
	return math.Ceil(quanta * (1 - rounding))
}

// cost returns the cost of a run; NaN if it or seconds is unknown.
func (o *Offer) cost(machines, seconds float64) float64 {
	if o.PricePerMachineHour == 0 {
		return math.NaN()
	}
	return o.PricePerMachineHour * machines * o.Billing.Charged(seconds) / 3600
}
