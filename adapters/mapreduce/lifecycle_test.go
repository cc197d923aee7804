package mapreduce

import (
	"slices"
	"testing"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// TestLifecycle walks through lives of jobs.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	type move struct {
		event lifeEvent
		as    dag.State // if it reports an end
		at    lifeState
		shown dag.State
	}
	started := []move{{masterAnswered, 0, jobRunning, dag.Running}, {masterAnswered, 0, jobRunning, dag.Running}}
	for what, moves := range map[string][]move{
		"all is reported": {
			{appEnded, 0, jobOver, dag.Running},
			{endReported, dag.Failed, jobEnded, dag.Failed},
			{tasksListed, 0, jobListed, dag.Failed},
			{appEnded, 0, jobListed, dag.Failed},
			{sumsCompared, 0, jobSummed, dag.Failed},
			{tasksComplete, 0, jobSettled, dag.Failed},
		},
		"a recording has no sums": {
			{appEnded, 0, jobOver, dag.Running},
			{endReported, dag.Succeeded, jobEnded, dag.Succeeded},
			{tasksListed, 0, jobListed, dag.Succeeded},
			{tasksComplete, 0, jobSettled, dag.Succeeded},
		},
		"the history server is late": {
			{appEnded, 0, jobOver, dag.Running},
			{successAssumed, 0, jobUnconfirmed, dag.Succeeded},
			{appEnded, 0, jobUnconfirmed, dag.Succeeded},
			{endReported, dag.Killed, jobEnded, dag.Killed},
		},
		"the history server is gone": {
			{appEnded, 0, jobOver, dag.Running},
			{successAssumed, 0, jobUnconfirmed, dag.Succeeded},
			{endAssumed, dag.Succeeded, jobSettled, dag.Succeeded},
		},
		"nobody knows how it ended": {
			{appEnded, 0, jobOver, dag.Running},
			{endAssumed, dag.EndedUnconfirmed, jobSettled, dag.EndedUnconfirmed},
		},
		"its tasks are secret": {
			{appEnded, 0, jobOver, dag.Running},
			{endReported, dag.Succeeded, jobEnded, dag.Succeeded},
			{tasksRefused, 0, jobSettled, dag.Succeeded},
		},
		"a doubt": {
			{answerWentBack, 0, jobDoubted, dag.Running},
			{masterAnswered, 0, jobDoubted, dag.Running},
			{masterChecked, 0, jobRunning, dag.Running},
		},
		"a new master": {
			{answerWentBack, 0, jobDoubted, dag.Running},
			{masterReplaced, 0, jobWaiting, dag.Submitted},
			{masterAnswered, 0, jobRunning, dag.Running},
		},
		"a ResourceManager remembers it again": {
			{appEnded, 0, jobOver, dag.Running},
			{masterReplaced, 0, jobWaiting, dag.Submitted},
			{appEnded, 0, jobOver, dag.Submitted},
			{masterAnswered, 0, jobRunning, dag.Running},
		},
		"too many tasks, then fewer": {
			{listForgotten, 0, jobRunning, dag.Running},
			{appEnded, 0, jobOver, dag.Running},
			{endReported, dag.Succeeded, jobEnded, dag.Succeeded},
			{tasksListed, 0, jobListed, dag.Succeeded},
			{listForgotten, 0, jobEnded, dag.Succeeded},
			{tasksListed, 0, jobListed, dag.Succeeded},
		},
	} {
		life := newJob(&yarn.App{}).lifecycle
		for i, m := range slices.Concat(started, moves) {
			if m.event == endReported || m.event == endAssumed {
				life.end(m.event, m.as)
			} else if !life.step(m.event) {
				t.Errorf("%s: move %d cannot happen", what, i)
			}
			if life.at != m.at || life.state != m.shown {
				t.Fatalf("%s: after move %d it is %v and shown as %v, want %v and %v", what, i, life.at, life.state,
					m.at, m.shown)
			}
		}
	}
}

// TestImpossibleLives: all states are reached, each leads to the last one, what they show is what they mean, and
// events that cannot happen are reported and change nothing.
func TestImpossibleLives(t *testing.T) {
	reported := 0
	defer func(was func(string)) { impossible = was }(impossible)
	impossible = func(string) { reported++ }
	ends := []dag.State{dag.Succeeded, dag.Failed, dag.Killed, dag.EndedUnconfirmed}
	first := newJob(&yarn.App{}).lifecycle
	seen, next := map[lifecycle]bool{first: true}, []lifecycle{first}
	states, leads := map[lifeState]bool{}, map[lifeState][]lifeState{}
	refused := 0
	for len(next) > 0 {
		from := next[0]
		next, states[from.at] = next[1:], true
		want := []dag.State{dag.Submitted}
		switch from.at {
		case jobWaiting:
		case jobRunning, jobDoubted:
			want = []dag.State{dag.Running}
		case jobOver:
			want = []dag.State{dag.Submitted, dag.Running}
		case jobUnconfirmed:
			want = []dag.State{dag.Succeeded}
		default:
			want = ends
		}
		if !slices.Contains(want, from.state) {
			t.Errorf("a job that is %v is shown as %v", from.at, from.state)
		}
		for e := range lifeEvent(lifeEvents) {
			for _, as := range ends {
				to := from
				if e == endReported || e == endAssumed {
					to.end(e, as)
				} else {
					to.step(e)
				}
				if _, can := transitions[e][from.at]; !can {
					if refused++; to != from {
						t.Errorf("event %d takes a job that is %v to %v", e, from.at, to.at)
					}
					continue
				}
				leads[to.at] = append(leads[to.at], from.at)
				if !seen[to] {
					seen[to], next = true, append(next, to)
				}
			}
		}
	}
	if len(states) != lifeStates || refused == 0 || reported != refused {
		t.Errorf("%d of %d states are reached, %d impossible events, %d reported", len(states), lifeStates, refused,
			reported)
	}
	done := map[lifeState]bool{}
	for open := []lifeState{jobSettled}; len(open) > 0; open = open[1:] {
		if !done[open[0]] {
			done[open[0]] = true
			open = append(open, leads[open[0]]...)
		}
	}
	if len(done) != lifeStates {
		t.Errorf("only %v lead to the end", done)
	}
}
