package yarn

import (
	"strconv"
	"testing"
)

// TestInventedNodes: a job's master may name a new node in each answer. What is kept of them is bounded, and one beyond
// the bound is no node.
func TestInventedNodes(t *testing.T) {
	w := newNodeTable()
	for i := range mostNodes {
		w.find(strconv.Itoa(i))
	}
	if i := w.find("one more"); i != -1 || len(w.nodes) != mostNodes || len(w.byName) != mostNodes {
		t.Errorf("node %d of %d", i, len(w.nodes))
	}
	if i := w.find("7"); i != 7 {
		t.Errorf("a node that is known is %d", i)
	}
	if _, known := w.listed(&wireNode{ID: "two more"}); known {
		t.Error("a listed node beyond the bound has an index")
	}
}
