package planfile

import (
	"strings"
	"testing"
)

// TestStageFaults holds that what is wrong with stages is said where it stands.
func TestStageFaults(t *testing.T) {
	t.Parallel()
	for stages, want := range map[string]string{
		"[{name: a, tasks: 1}, {name: a, tasks: 1}]":                                                                        `two stages of the job are called "a"`,
		"[{name: scan, tasks: 1}, {name: join, after: [scam], tasks: 1}]":                                                   `stage "join" is after "scam", which is not among the stages before it; did you mean "scan"?`,
		"[{name: a, after: [b], tasks: 1}, {name: b, tasks: 1}]":                                                            `stage "a" is after "b"`,
		"[{name: a, tasks: 1}, {name: b, tasks: 1}, {name: c, after: [a, b], edge: [barrier, barrier, barrier], tasks: 1}]": "3 edges to 2 stages",
		"[{name: a, tasks: 2}, {name: b, after: [a], edge: one_to_one, tasks: 3}]":                                          "3 tasks read 2 tasks one to one",
		"[{name: a, tasks: 1, cores: 3}]":                                                                                   "one of them needs 3",
	} {
		_, err := Read(strings.NewReader(
			"version: 2\ncluster: {policy: executors, cores: 2}\njobs: [{name: q, stages: "+stages+"}]"), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", stages, err, want)
		}
	}
}
