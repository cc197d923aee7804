package main

import (
	"fmt"
	"io"
)

// notes explain large errors, by recording.
var notes = []struct{ name, text string }{
	{"amrestart-1", "the master is killed at 46 s; the error is counted from there on."},
	{"nodelost-1", "the cluster reports the lost node after 16 s. From then on the end is known, three minutes before the master acts."},
	{"two-1", "another script is submitted at 25 s. Its master is not in the recording, so its tasks count as equal to ours. The last job shares its containers with it."},
	{"queues-1", "another user's script takes its queue's share from 18 s on. Its master is not in the recording, so its end comes from the engine's own percentage."},
	{"long-1", "every job has its own pace against the other runs (2.4, 1.6 and 2.7 times). A job that has not started is expected to have changed like the others."},
	{"v210-sleep-1", "SleepJob reports no records on the way; the two recordings differ in size, pace and Hadoop's version."},
	{"v350-sleep-1", "as v210-sleep-1."},
	{"cpu-1", "a single job, whose reduces are unknown before they work, so \"at least\" is the answer. Here two cores are the limit, not containers."},
	{"quadratic-1", "a Streaming job without counters for 35 s: \"at least\" throughout is the right answer."},
	{"skew-1", "without a profile \"at least\" until the reduces have reported; then within a point."},
	{"failing-1", "the run fails; its estimates are for a run that succeeds. Without a profile the last job, which is unknown, decides."},
	{"etl-1", "ten jobs on a machine with changing load. Without a profile the later jobs are unknown, and ranges come from this run's own jobs."},
	{"wc-1", "with the profile of cpu-1, which had the machine for itself. The first launch shows that this run takes longer, its records show how much."},
	{"manyred-1", "24 reduces of one stage are most of the run; their cost is unknown until the first has ended."},
	{"teragen-1", "maps without input and with few counters; ten of forty seconds are the start of their JVMs."},
	{"report-1", "four waves of small jobs with gaps of five seconds; the assumptions are mostly about their overhead."},
}

func explain(w io.Writer, recs []*recording) {
	fmt.Fprintf(w, "\n## What is far off, and why\n\n")
	for _, n := range notes {
		for _, r := range recs {
			if r.name == n.name {
				fmt.Fprintf(w, "- %s: %s\n", n.name, n.text)
			}
		}
	}
}
