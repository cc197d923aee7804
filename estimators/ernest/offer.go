package ernest

import "fmt"

// An Offer is a type of machine with its own model and price (§4.1, §6.4).
type Offer struct {
	Name                string
	Model               *Model
	PricePerMachineHour float64 // in any currency, one for all offers
	MinMachines         int     // 0 for 1
	MaxMachines         int
	Step                int // machines come in multiples of it, from MinMachines on; 0 for 1
	Billing             Billing
	// Cost replaces the price and the billing where it is not nil (§3.3): what a run of so many seconds costs, 0 or
	// more.
	Cost func(machines, seconds float64) float64
	// Speeds of such machines, for Spare; nil where none were measured.
	Speeds *Speeds
}

func (o *Offer) defaults() {
	if o.MinMachines == 0 {
		o.MinMachines = 1
	}
	if o.Step == 0 {
		o.Step = 1
	}
}

func (o *Offer) check() error {
	bad := func(format string, args ...any) error { return &OfferError{o.Name, fmt.Sprintf(format, args...)} }
	switch {
	case o.Model == nil:
		return bad("it has no model: fit one to its training runs")
	case !finite(o.PricePerMachineHour) || o.PricePerMachineHour < 0:
		return bad("a price of %v for a machine and hour: give a number of 0 or more", o.PricePerMachineHour)
	case o.MinMachines < 1 || o.Step < 1:
		return bad("from %d machines on by steps of %d: both are 1 or more", o.MinMachines, o.Step)
	case o.MaxMachines < o.MinMachines:
		return bad("%d machines at most are fewer than %d at least", o.MaxMachines, o.MinMachines)
	}
	if err := o.Billing.check(); err != nil {
		return bad("%v", err)
	}
	return nil
}
