package main

import (
	"context"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
)

// playShared returns the snapshots of a run of examples/pig-join.yaml beside others.
func playShared(t *testing.T, queues []dag.QueueState, others ...other) (all []*dag.Snapshot) {
	t.Helper()
	plan, err := planfile.ReadFile("../../examples/pig-join.yaml", planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	source, err := simulateBeside(plan, others, simulate.Options{
		Seed: 1, User: "ann", Queue: "a", Queues: queues, Every: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	for {
		s, err := source.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
}

var bob = other{
	name: "skew", user: "bob", at: 20 * time.Second, maps: 20, reduces: 4, mapTime: 8 * time.Second,
	reduceTime: 20 * time.Second, amMB: 512, mapMB: 256, redMB: 256,
}

// Others hold us up, are seen as a cluster shows them, and are gone once done; never more is held than there is.
func TestOthersShareTheCluster(t *testing.T) {
	quiet := playShared(t, nil)
	shared := playShared(t, nil, bob)
	alone, beside := quiet[len(quiet)-1].At, shared[len(shared)-1].At
	if beside < alone+20_000 {
		t.Errorf("beside bob it takes %d ms, alone %d", beside, alone)
	}
	seen, told, most := 0, 0, 0.0
	for _, s := range shared {
		held := 0
		for j := range s.Jobs {
			held += s.Jobs[j].HeldMB
		}
		if len(s.Plan.Jobs) != 3 || len(s.Jobs) != 3 {
			t.Fatalf("%d jobs: bob's are none of ours", len(s.Jobs))
		}
		for _, l := range s.Load {
			seen++
			held += l.HeldMB
			if s.At < 20_000 || l.User != "bob" || l.Queue != "a" || l.Submitted != 20_000 {
				t.Fatalf("at %d: %+v", s.At, l)
			}
			if n := l.Need; n != nil {
				told++
				most = max(most, n.Map.Progress)
				if n.Map.Tasks != 20 || n.Map.Done+n.Map.Running > 20 || n.Map.Done > 0 && !(n.Map.LengthMS > 8000) {
					t.Fatalf("at %d: %+v", s.At, n)
				}
			}
		}
		if held > 3072 {
			t.Fatalf("at %d %d MB are held of 3072", s.At, held)
		}
	}
	if seen == 0 || told == 0 || most < 0.5 {
		t.Errorf("seen %d times, told of %d times, maps %v done", seen, told, most)
	}
	if again := playShared(t, nil, bob); !reflect.DeepEqual(sizes(shared), sizes(again)) {
		t.Error("the same seed gives another run")
	}
}

func sizes(all []*dag.Snapshot) (out []int) {
	for _, s := range all {
		for _, l := range s.Load {
			out = append(out, int(s.At), l.HeldMB, l.PendingMB)
		}
	}
	return out
}

// A master that may not be asked tells nothing.
func TestHiddenOthersTellNothing(t *testing.T) {
	hidden := bob
	hidden.hidden = true
	for _, s := range playShared(t, nil, hidden) {
		for _, l := range s.Load {
			if l.Need != nil {
				t.Fatalf("at %d: %+v", s.At, l.Need)
			}
		}
	}
}

// In a fair queue, and with a queue of their own, others get their part at once; FIFO has them wait for those before
// them.
func TestOthersAreServedAsTheirQueueSays(t *testing.T) {
	at60 := func(o other, queues ...dag.QueueState) int {
		for _, s := range playShared(t, queues, o) {
			if s.At == 60_000 && len(s.Load) == 1 {
				return s.Load[0].HeldMB
			}
		}
		return -1
	}
	late := bob
	late.at = 10 * time.Second
	fifo, fair := at60(late), at60(late, dag.QueueState{Name: "a", Order: dag.OrderFair})
	late.queue = "b"
	queue := at60(late, dag.QueueState{Name: "a", ShareMB: 1536}, dag.QueueState{Name: "b", ShareMB: 1536, MaxMB: 1024})
	if fifo < 0 || fair < fifo+256 || queue < fifo+256 || queue > 1024 {
		t.Errorf("at 60 s bob holds %d MB of a FIFO queue, %d of a fair one, %d of his own of at most 1024", fifo, fair,
			queue)
	}
}
