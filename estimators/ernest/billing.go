package ernest

import (
	"fmt"
	"math"
)

// Billing is how time is charged. The zero value charges every moment.
type Billing struct {
	Quantum float64 // seconds, each started one is charged; 0 for every moment
	Minimum float64 // seconds charged at least
}

// The usual billings.
var (
	PerMoment = Billing{}
	PerSecond = Billing{Quantum: 1, Minimum: 60}
	PerHour   = Billing{Quantum: 3600}
)

func (b Billing) check() error {
	if !finite(b.Quantum) || !finite(b.Minimum) || b.Quantum < 0 || b.Minimum < 0 {
		return fmt.Errorf("billing by %v s and at least %v s: give seconds of 0 or more", b.Quantum, b.Minimum)
	}
	return nil
}

// Charged is what of seconds is charged, in seconds.
func (b Billing) Charged(seconds float64) float64 {
	if b.Quantum > 0 {
		seconds = b.Quantum * started(seconds/b.Quantum)
	}
	return max(seconds, b.Minimum)
}

// started is how many quanta have been begun; the last digits of a computed time begin none.
func started(quanta float64) float64 {
	const rounding = 1e-9
	return math.Ceil(quanta * (1 - rounding))
}

// cost of a run; NaN for NaN seconds.
func (o *Offer) cost(machines, seconds float64) (float64, error) {
	if math.IsNaN(seconds) {
		return math.NaN(), nil
	}
	if o.Cost == nil {
		return o.PricePerMachineHour * machines * o.Billing.Charged(seconds) / 3600, nil
	}
	cost := o.Cost(machines, seconds)
	if !finite(cost) || cost < 0 {
		return 0, &OfferError{
			o.Name,
			fmt.Sprintf("its cost function says %v for %g machines and %.4g s: give 0 or more", cost, machines,
				seconds),
		}
	}
	return cost, nil
}
