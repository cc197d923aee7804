package planfile

import (
	"reflect"

	"github.com/paratimer/paratimer/dag"
)

// The values of a policy's slots.
const (
	separate   = "separate"
	containers = "containers"
)

// policy reads a policy: a name, or a mapping of order and slots (the ParaTimer paper, section 3.1.1).
func (d *decoder) policy(n *node, p *policy, path []string) {
	if n.kind != mapping {
		p.name = n.text
		return
	}
	d.value(n.get("slots"), reflect.ValueOf(&p.Slots).Elem(), append(path, "slots"))
	d.value(n.get("order"), reflect.ValueOf(&p.Order).Elem(), append(path, "order"))
}

// dag returns the policy that assigns slots to tasks, and its order of tasks. The schema has checked the words.
func (p *policy) dag() (dag.Policy, []dag.OrderKey) {
	var order []dag.OrderKey
	for _, word := range p.Order {
		var key dag.OrderKey
		if key.UnmarshalText([]byte(word)) == nil {
			order = append(order, key)
		}
	}
	switch {
	case p.name == dag.Executors.String():
		return dag.Executors, order
	case p.name == dag.YARN.String() || p.Slots == containers:
		return dag.YARN, order
	}
	return dag.FIFO, order
}

// policyOf is the reverse of policy.dag. A policy without its own order is written as its name.
func policyOf(c *dag.Cluster) policy {
	if len(c.Order) == 0 {
		return policy{name: c.Policy.String()}
	}
	p := policy{Slots: separate}
	if c.Policy == dag.YARN {
		p.Slots = containers
	}
	for _, key := range c.Order {
		p.Order = append(p.Order, key.String())
	}
	return p
}
