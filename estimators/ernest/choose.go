package ernest

// An Offer is a type of machine with its own model and price (§4.1, §6.4).
type Offer struct {
	Name                string
	Model               *Model
	PricePerMachineHour float64 // in any currency, one for all offers
	MinMachines         int     // 0 for 1
	MaxMachines         int
	Step                int // machines come in multiples of it, from MinMachines on; 0 for 1
	Billing             Billing
	// Cost replaces the price and the billing where it is not nil (§3.3): what a run of so many seconds costs.
	Cost func(machines, seconds float64) float64
}

// Billing is how time is charged.
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

// A Goal is what is best among the choices that meet what is wanted.
type Goal uint8

// The goals.
const (
	Cheapest Goal = iota
	Fastest
)

// A Want is a question.
type Want struct {
	Scale    float64
	Deadline float64 // seconds, 0 for none
	Budget   float64 // in the offers' currency, 0 for none
	Goal     Goal
	Force    bool // choose by predictions that are refused, too
}

// A Choice is a number of machines of an offer.
type Choice struct {
	Offer      string
	Machines   int
	Prediction Prediction
	// Cost of a run of the predicted seconds, and at the ends of the range.
	Cost, CostLow, CostHigh float64
	// InTime and InBudget are how likely the run meets the deadline and the budget, by the bootstrap; 1 where there is none.
	InTime, InBudget float64
	// Meets says that the high end of the range meets deadline and budget: nine runs in ten do.
	Meets bool
	Why   string // why it does not, or is refused
}

// Choose lists every number of machines of every offer, the best first: those that meet what is wanted by the goal, then
// the others by how likely they do, then the refused. It fails only for what cannot be asked.
func Choose(offers []Offer, w Want) ([]Choice, error) { return nil, errLater }

// ParseCost reads a cost function of the user's (§3.3), a sum of products of numbers and the variables machines, seconds,
// minutes, hours, minutes_started and hours_started: "0.27*machines*hours_started + 0.05*machines".
func ParseCost(formula string) (func(machines, seconds float64) float64, error) { return nil, errLater }
