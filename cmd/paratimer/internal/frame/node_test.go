package frame

import (
	"encoding/json"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

func TestNodes(t *testing.T) {
	s := query(1_010_000, dag.Running)
	s.Nodes = []dag.NodeState{
		{Name: "well"},
		{Name: "out", Lost: true, Cause: dag.NodeDecommissioned},
		{Name: "sick", Lost: true, Cause: dag.NodeUnhealthy},
		{Name: "gone", Lost: true},
		{Name: "drains", Draining: true},
		{Name: "avoided"},
		{Name: "slow"},
	}
	s.Jobs[0].Avoided = []int32{5}
	slow := map[int32]float64{6: 2.104}
	got, err := json.Marshal(oddNodes(s, slow))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"avoided","state":"running","times":null,"avoided_by":["` + s.Plan.Jobs[0].Node + `"]},` +
		`{"name":"drains","state":"draining","times":null,"avoided_by":[]},` +
		`{"name":"gone","state":"lost","times":null,"avoided_by":[]},` +
		`{"name":"out","state":"decommissioned","times":null,"avoided_by":[]},` +
		`{"name":"sick","state":"unhealthy","times":null,"avoided_by":[]},` +
		`{"name":"slow","state":"running","times":2.1,"avoided_by":[]}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.State = dag.Succeeded
	if n := oddNodes(s, slow); n != nil {
		t.Errorf("after the query's end: got %v", n)
	}
}
