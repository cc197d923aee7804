package dag

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// A State is the state of a job or of the whole workflow.
type State uint8

// The states of a job, and of a workflow (all but Blocked and Submitted).
const (
	Blocked   State = iota // not submitted
	Submitted              // submitted, nothing runs
	Running                //
	Succeeded              //
	Failed                 //
	Killed                 //
	// a job: its end is not known any more; a workflow: the same for one of its jobs, or jobs never came
	EndedUnconfirmed
)

var stateNames = [...]string{"blocked", "submitted", "running", "succeeded", "failed", "killed", "ended_unconfirmed"}

func (s State) String() string { return NameOf(stateNames[:], int(s)) }

// Ended reports whether the state is final.
func (s State) Ended() bool { return s >= Succeeded }

// MarshalText returns the name used in frames and recordings.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name used in frames and recordings.
func (s *State) UnmarshalText(b []byte) error { return ParseName(s, stateNames[:], b, "state") }

// An AttemptState is the state of a task attempt.
type AttemptState uint8

// The states of an attempt. A task without an attempt is pending.
const (
	AttemptWaiting   AttemptState = iota // it has requested a container and has none
	AttemptRunning                       // it has a slot or container
	AttemptSucceeded                     //
	AttemptFailed                        //
	AttemptKilled                        // stopped by the system, not its own fault
)

var attemptNames = [...]string{"waiting", "running", "succeeded", "failed", "killed"}

func (s AttemptState) String() string { return NameOf(attemptNames[:], int(s)) }

// MarshalText returns the name used in recordings.
func (s AttemptState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name used in recordings.
func (s *AttemptState) UnmarshalText(b []byte) error {
	return ParseName(s, attemptNames[:], b, "attempt state")
}

// A NodeCause is the cause of a node's loss.
type NodeCause uint8

// The causes.
const (
	NodeGone           NodeCause = iota // it has not reported for too long, or was shut down
	NodeDecommissioned                  // taken out of the cluster by its administrator
	NodeUnhealthy                       // its own health check failed; it still reports, and may come back
)

var causeNames = [...]string{"gone", "decommissioned", "unhealthy"}

func (c NodeCause) String() string { return NameOf(causeNames[:], int(c)) }

// MarshalText returns the name used in recordings.
func (c NodeCause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name used in recordings.
func (c *NodeCause) UnmarshalText(b []byte) error {
	return ParseName(c, causeNames[:], b, "cause of a node's loss")
}

var pauseNames = [...]string{"", "launch", "wave", "finish"}

func (p Pause) String() string { return NameOf(pauseNames[:], int(p)) }

var policyNames = [...]string{"fifo", "yarn", "executors"}

func (p Policy) String() string { return NameOf(policyNames[:], int(p)) }

// Slot returns the name of the unit that a task uses under the policy: "slot", "container", "core".
func (p Policy) Slot() string {
	return NameOf([]string{FIFO: "slot", YARN: "container", Executors: "core"}, int(p))
}

// MarshalText returns the name used in plan files and recordings.
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the name used in plan files and recordings.
func (p *Policy) UnmarshalText(b []byte) error { return ParseName(p, policyNames[:], b, "policy") }

var rulesNames = [...]string{"reduces_first", "ancestors_first"}

func (r StageRules) String() string { return NameOf(rulesNames[:], int(r)) }

// MarshalText returns the name used in plan files and recordings.
func (r StageRules) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the name used in plan files and recordings.
func (r *StageRules) UnmarshalText(b []byte) error {
	return ParseName(r, rulesNames[:], b, "stage rules")
}

var edgeNames = [...]string{"barrier", "slow_start", "pipelined", "one_to_one", "broadcast"}

func (k EdgeKind) String() string { return NameOf(edgeNames[:], int(k)) }

// MarshalText returns the name used in plan files and recordings.
func (k EdgeKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name used in plan files and recordings.
func (k *EdgeKind) UnmarshalText(b []byte) error {
	return ParseName(k, edgeNames[:], b, "kind of edge")
}

var originNames = [...]string{"none", "tap", "complete"}

func (o GroupOrigin) String() string { return NameOf(originNames[:], int(o)) }

// MarshalText returns the name used in plan files, frames and recordings.
func (o GroupOrigin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the name used in plan files, frames and recordings. Older files have groups that were derived
// from counters; these are unknown groups now.
func (o *GroupOrigin) UnmarshalText(b []byte) error {
	if string(b) == "counters" {
		*o = GroupsNone
		return nil
	}
	return ParseName(o, originNames[:], b, "origin of groups")
}

// NameOf returns the name of value i of an enumeration, "unknown(9)" if it has none.
func NameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

// ParseName sets a value of an enumeration by its name. Its error lists the names.
func ParseName[T ~uint8](to *T, names []string, b []byte, what string) error {
	if i := slices.Index(names, string(b)); i >= 0 {
		*to = T(i)
		return nil
	}
	return fmt.Errorf("dag: %q is no %s (one of %v)", b, what, names)
}

// A TaskState is the state of a task, derived from its attempts.
type TaskState uint8

// The states of a task.
const (
	TaskPending TaskState = iota
	TaskRunning
	TaskDone
)

// StateOf returns the state of a task with these attempts, and the attempt that defines it: the one that succeeded, or
// the oldest running one (a younger one beside it is speculative).
func StateOf(list []Attempt) (TaskState, *Attempt) {
	var running *Attempt
	for i := range list {
		switch list[i].State {
		case AttemptSucceeded:
			return TaskDone, &list[i]
		case AttemptRunning:
			if running == nil {
				running = &list[i]
			}
		}
	}
	if running != nil {
		return TaskRunning, running
	}
	return TaskPending, nil
}

// EachTask calls visit once for each task that has an attempt, in order.
func EachTask(list []Attempt, visit func(task int, state TaskState, a *Attempt)) {
	for i := 0; i < len(list); {
		next := i + 1
		for next < len(list) && list[next].Task == list[i].Task {
			next++
		}
		state, a := StateOf(list[i:next])
		visit(int(list[i].Task), state, a)
		i = next
	}
}

// ByTask orders attempts by task, then number.
func ByTask(a, b Attempt) int {
	return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
}

// AttemptsOf returns the attempts of a task in a list that is ordered by task; none if it has none.
func AttemptsOf(list []Attempt, task int) []Attempt {
	from := sort.Search(len(list), func(i int) bool { return int(list[i].Task) >= task })
	to := from
	for to < len(list) && int(list[to].Task) == task {
		to++
	}
	return list[from:to]
}

// FindAttempt returns one attempt of a list that is ordered by task; nil if it is not there.
func FindAttempt(list []Attempt, task, number int32) *Attempt {
	return find(AttemptsOf(list, int(task)), func(a *Attempt) bool { return a.Number == number })
}

// Attempts returns the attempts of a job's stage, ordered by task and number. It returns none if the snapshot does not
// have the stage: an engine may announce the stages of a job late.
func (s *Snapshot) Attempts(job int, k StageIndex) []Attempt {
	if job >= len(s.Jobs) || int(k) >= len(s.Jobs[job].Stages) {
		return nil
	}
	return s.Jobs[job].Stages[k].Attempts
}

// JobEnded reports whether a job has ended, so that none of its unknown work remains.
func (s *Snapshot) JobEnded(job int) bool { return job < len(s.Jobs) && s.Jobs[job].State.Ended() }
