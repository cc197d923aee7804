package yarn

import (
	"strconv"
	"testing"
)

// TestInventedNodes: a job's master may name a new node in each answer. What is kept of them is bounded, and one beyond
// the bound is no node. One source's master names none to another source.
func TestInventedNodes(t *testing.T) {
	hub := NewHub(nil, nil)
	o := hub.OnlyOverview(nil)
	for i := range mostNodes {
		o.NodeIndex(strconv.Itoa(i))
	}
	o.showNodes()
	if i := o.NodeIndex("one more"); i != -1 || len(o.nodes) != mostNodes || len(hub.nodes.index) != mostNodes {
		t.Errorf("node %d of %d", i, len(o.nodes))
	}
	if i := o.NodeIndex("7"); i != 7 {
		t.Errorf("a node that is known is %d", i)
	}
	if hub.nodes.list([]wireNode{{ID: "two more"}}, 1); len(hub.nodes.nodes) != mostNodes {
		t.Error("a listed node beyond the bound has an index")
	}
	hub = NewHub(nil, nil)
	if i := hub.Overview(nil).NodeIndex("n1:8042"); i != -1 || len(hub.nodes.nodes) != 0 {
		t.Errorf("one of several sources has added node %d", i)
	}
}
