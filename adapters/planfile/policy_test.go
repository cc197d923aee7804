package planfile

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// A policy is a name, or a mapping that says the same and more. What is written is read again.
func TestPolicies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		policy dag.Policy
		order  []dag.OrderKey
	}{
		{"fifo", dag.FIFO, nil},
		{"yarn", dag.YARN, nil},
		{"{}", dag.FIFO, nil},
		{"{slots: separate}", dag.FIFO, nil},
		{"{slots: containers}", dag.YARN, nil},
		{"{order: [submit]}", dag.FIFO, []dag.OrderKey{dag.BySubmit}},
		{"{slots: containers, order: [submit]}", dag.YARN, []dag.OrderKey{dag.BySubmit}},
		{"{order: [priority, running, submit]}", dag.FIFO, []dag.OrderKey{dag.ByPriority, dag.ByRunning, dag.BySubmit}},
		{"{order: [size, remaining], slots: containers}", dag.YARN, []dag.OrderKey{dag.BySize, dag.ByRemaining}},
	} {
		src := "version: 1\ncluster: {policy: " + c.text +
			", map_slots: 1, memory: 4GB}\njobs: [{name: a, priority: -2, map: {tasks: 1, records: 1, cost: 1s}}]\n"
		plan, err := Read(strings.NewReader(src), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if plan.Cluster.Policy != c.policy || !reflect.DeepEqual(plan.Cluster.Order, c.order) ||
			plan.Jobs[0].Priority != -2 {
			t.Errorf("%s: %v %v, priority %d", c.text, plan.Cluster.Policy, plan.Cluster.Order, plan.Jobs[0].Priority)
		}
		var out bytes.Buffer
		if err := Write(&out, plan); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&out, Options{})
		if err != nil || !reflect.DeepEqual(again, plan) {
			t.Errorf("%s: written and read again: %+v %v, want %+v", c.text, again, err, plan)
		}
	}
}
