package planfile_test

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/dag"
)

const plan = `version: 1
name: nightly
cluster: {map_slots: 8, reduce_slots: 4}
jobs:
  - name: rank
    map: {tasks: 40, records: 1000, cost: 10ms}
    reduce: {tasks: 8, records: 1000, cost: 30ms}
`

func ExampleRead() {
	p, err := planfile.Read(strings.NewReader(plan), planfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Name, "has", p.Jobs[0].Stages[dag.Map].Tasks, "maps on", p.Cluster.MapSlots, "slots")
	// Output: nightly has 40 maps on 8 slots
}

// An error names the place and shows it.
func ExampleRead_bad() {
	_, err := planfile.Read(strings.NewReader(strings.Replace(plan, "reduce_slots", "reduce_slot", 1)),
		planfile.Options{Name: "nightly.yaml"})
	fmt.Println(err)
	// Output:
	// nightly.yaml:3:25: unknown field "reduce_slot" in cluster; did you mean "reduce_slots"?
	//      2 | name: nightly
	// >    3 | cluster: {map_slots: 8, reduce_slot: 4}
	//        |                         ^
}
