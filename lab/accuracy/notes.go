package main

import (
	"fmt"
	"io"
)

// notes explain what is far off, by recording.
var notes = []struct{ name, text string }{
	{"amrestart-1", "before the master is killed at 46 s nothing can know of it; the error is counted from there on."},
	{"nodelost-1", "before the node is lost nothing can know of it. The cluster says so 16 s later; from then on the end is known, three minutes before the master acts."},
	{"two-1", "another script is submitted at 25 s. Its own master, which would tell what it needs, is not in the recording: it is taken to be like our own jobs. The last job shares its containers with it."},
	{"queues-1", "another user's script takes its queue's share from 18 s on; its master is not in the recording: it is taken to be like our own jobs, then its end is guessed from the engine's own percentage."},
	{"long-1", "every job has its own pace against the other runs (2.4, 1.6 and 2.7 times); until a job has shown itself it is expected to have changed as the others did."},
	{"v210-sleep-1", "SleepJob reports no records on the way; the two recordings differ in size, pace and Hadoop's version."},
	{"v350-sleep-1", "as v210-sleep-1."},
	{"cpu-1", "a lone job: nothing in the run tells of its reduces before they work, so \"at least\" is the answer. Here two cores are the limit, not containers."},
	{"quadratic-1", "a Streaming job whose counters say nothing for 35 s: \"at least\" throughout is the right answer."},
	{"skew-1", "without a profile \"at least\" until the reduces have reported; then within a point."},
	{"failing-1", "the run fails; its estimates are of the run that would have succeeded. Without a profile the last job, which no one has seen, decides."},
	{"etl-1", "ten jobs on a machine whose load changes between them: without a profile nobody knows of the jobs to come, and ranges are of this run's own jobs."},
	{"wc-1", "with the profile of cpu-1, which had the machine for itself: the first launch tells that this run will take longer, its records tell how much."},
	{"manyred-1", "24 reduces of one stage are most of the run; until the first has ended nothing tells what they take."},
	{"teragen-1", "maps without input of which the counters say little; ten of forty seconds are the start of their JVMs."},
	{"report-1", "four waves of small jobs with gaps of five seconds: what is assumed of the jobs to come is mostly their overhead."},
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
