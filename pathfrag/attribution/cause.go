package attribution

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// A Cause is the reason for an interval of the chain.
type Cause uint8

// The causes, in the order in which a job meets them.
const (
	Queueing   Cause = iota // submitted, its AM has no container
	Launch                  // the client between jobs; an AM that starts
	Containers              // a task is ready and has no container
	SetUp                   // a container's start to its first work
	Work                    // tasks work
	Shuffle                 // copy after the last map has ended
	Sort                    // merging what was copied
	Skew                    // a reduce's work beyond the median one's
	Failures                // failed attempts, and the time until their tasks ran again
	Finish                  // all tasks are done, the job is not
	Unknown                 // not observed
	causes
)

var causeTexts = [causes]struct{ name, title, meaning string }{
	Queueing: {"queueing", "queueing", "A job was submitted and its application master had no container yet."},
	Launch: {
		"launch", "launch",
		"The client was between jobs, or an application master started up and had not asked for its first task.",
	},
	Containers: {
		"containers", "waiting for containers",
		"A task was ready to run, and nothing of the query kept it but that it had no container: others held them, or the scheduler had not handed one out yet.",
	},
	SetUp: {
		"setup", "set-up",
		"A container started up, from its start to its first work, where reports tell that.",
	},
	Work: {"work", "work", "Maps or reduces worked; where no report tells set-up from work, set-up is in it."},
	Shuffle: {
		"shuffle", "shuffle",
		"A reduce copied map outputs after the last map had ended; one that started later set itself up meanwhile.",
	},
	Sort: {"sort", "sort and merge", "A reduce merged what it had copied, before its reduce function began."},
	Skew: {
		"skew", "skew",
		"A reduce that was given more than the others worked on, beyond what the median reduce of its job took.",
	},
	Failures: {
		"failures", "failures",
		"An attempt ran that failed, was killed or lost its output, or its task waited to run again.",
	},
	Finish: {
		"finish", "finish",
		"All tasks of a job had ended; it was committed, its history written, its end told to the client.",
	},
	Unknown: {"unknown", "unknown", "Nobody saw what the query waited for."},
}

// onCores has the causes with other texts if tasks run on the cores of executors.
var onCores = map[Cause]struct{ title, meaning string }{
	Launch: {
		"the driver between jobs",
		"The driver worked alone and had not submitted its next job, or had not launched a task although a core was free.",
	},
	Containers: {
		"waiting for cores",
		"A task of a submitted stage was ready to run and had no core: other tasks held them, or the driver had just got them back.",
	},
	Work: {"work", "Tasks worked; their start-up is in it where no report tells it from work."},
	Finish: {
		"the driver after the last job",
		"All tasks had ended and the driver worked on: it committed files, wrote to a database or used what it had collected.",
	},
}

// On returns the title of the cause under a policy, and a sentence that explains it.
func (c Cause) On(p dag.Policy) (title, meaning string) {
	if w, ok := onCores[c]; ok && p == dag.Executors {
		return w.title, w.meaning
	}
	return c.Title(), c.Meaning()
}

// Causes returns all causes in order.
func Causes() []Cause {
	all := make([]Cause, causes)
	for i := range all {
		all[i] = Cause(i)
	}
	return all
}

func (c Cause) String() string {
	if c < causes {
		return causeTexts[c].name
	}
	return fmt.Sprintf("unknown(%d)", uint8(c))
}

// Title names the cause for people.
func (c Cause) Title() string {
	if c < causes {
		return causeTexts[c].title
	}
	return c.String()
}

// Meaning explains the cause in a sentence.
func (c Cause) Meaning() string {
	if c < causes {
		return causeTexts[c].meaning
	}
	return ""
}

// MarshalText returns the name used in reports.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
