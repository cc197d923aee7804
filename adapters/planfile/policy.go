package planfile

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

const containers = "containers"

// A policy is a name, or a mapping of order and slots (the ParaTimer paper, section 3.1.1).
type policy struct {
	name  string
	Slots string         `plan:"slots" words:"separate,containers"`
	Order []dag.OrderKey `plan:"order" min:"1" max:"5"`
}

// MarshalText returns the policy's name, nil for a mapping.
func (p policy) MarshalText() ([]byte, error) { return []byte(p.name), nil }

// UnmarshalText reads a policy's name.
func (p *policy) UnmarshalText(b []byte) error {
	p.name = string(b)
	var known dag.Policy
	return known.UnmarshalText(b)
}

// dag returns the policy that assigns slots to tasks.
func (p *policy) dag() dag.Policy {
	out := dag.FIFO
	if p.Slots == containers {
		out = dag.YARN
	}
	if p.name != "" {
		if err := out.UnmarshalText([]byte(p.name)); err != nil {
			panic(fmt.Sprintf("planfile: %v", err)) // reading has checked it
		}
	}
	return out
}

// policyOf is the reverse of policy.dag. A policy without its own order is written as its name.
func policyOf(c *dag.Cluster) policy {
	if len(c.Order) == 0 {
		return policy{name: c.Policy.String()}
	}
	p := policy{Slots: "separate", Order: c.Order}
	if c.Policy == dag.YARN {
		p.Slots = containers
	}
	return p
}
