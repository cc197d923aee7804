package past

import (
	"cmp"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// profileOf writes a profile, which is a plan file with costs: of recorded runs of one script, or of the stored
// workflow with the name; or, with --demands, a job file. A file that is no recording, such as the script in the
// current folder, does not hide the workflow.
func profileOf(c *cli.Context) error {
	isRecording, exists, err := input.IsRecording(c.Args().First())
	if !isRecording && c.NArg() == 1 && !c.Bool("demands") {
		if _, unknown := namedWorkflow(c); unknown == nil || !exists && err == nil {
			return storedProfile(c)
		}
	}
	switch {
	case err != nil:
		return err
	case c.IsSet("before"):
		return command.Usage("--before goes with the name of a workflow, not with recordings")
	case c.Bool("demands"):
		return learnDemands(c)
	}
	var runs []*dag.Plan
	for _, path := range c.Args().Slice() {
		run, _, err := learnedRun(c, path)
		if err != nil {
			return err
		}
		plan := cost.Learn(run)
		ran := func(s dag.Stage) bool { return s.Known }
		if !slices.ContainsFunc(plan.Jobs, func(j dag.Job) bool { return slices.ContainsFunc(j.Stages, ran) }) {
			return command.Usage("%s: no job has run in it: there is nothing to learn", path)
		}
		runs = append(runs, plan)
	}
	profile, ok := profiles.Merge(runs, nil)
	if !ok {
		return command.Usage("these recordings are of different scripts: make a profile of each")
	}
	return writeProfile(c, profile)
}

// learnedRun plays a recording to its end, and warns if the query did not succeed in it.
func learnedRun(c *cli.Context, path string) (run dag.Run, used mapreduce.Used, err error) {
	recorded, err := input.Open(c, path)
	if err != nil {
		return run, nil, err
	}
	src, err := input.Spooled(c, recorded)
	if err != nil {
		return run, nil, err
	}
	if run, err = input.Played(c.Context, path, src); err != nil {
		return run, nil, err
	}
	log := command.Logger(c).With().Str("file", path).Logger()
	switch state := run.Now().State; {
	case !state.Ended():
		log.Warn().Msg("the recording ends before the query: the profile lacks what did not run")
	case state != dag.Succeeded:
		log.Warn().Stringer("state", state).Msg("the query did not succeed: the profile lacks what did not run")
	}
	return run, recorded.Used(), nil
}

// writeProfile writes a profile.
func writeProfile(c *cli.Context, profile *dag.Plan) error {
	return command.Write(c, cmp.Or(c.String("out"), "-"), func(w io.Writer) error { return planfile.Write(w, profile) })
}

// learnDemands creates a job file from recorded runs.
func learnDemands(c *cli.Context) error {
	o := training.JobOptions{Waiting: c.Bool("waiting")}
	var err error
	if o.Disk, err = training.ParseRate(c.String("disk-rate")); err != nil {
		return command.Usage("--disk-rate: %w", err)
	}
	if o.Network, err = training.ParseRate(c.String("network-rate")); err != nil {
		return command.Usage("--network-rate: %w", err)
	}
	var runs []training.JobRun
	for _, path := range c.Args().Slice() {
		run, used, err := learnedRun(c, path)
		if err != nil {
			return err
		}
		if used == nil {
			command.Logger(c).Warn().Str("file", path).Msg("a recording of observations has no CPU counters: task time that the " +
				"bytes do not explain counts as CPU time")
		}
		runs = append(runs, training.JobRun{File: filepath.Base(path), End: run.Now(), Used: used})
	}
	file, warnings, err := training.LearnJobs(runs, o)
	if err != nil {
		return command.Usage("%s: %w", c.Args().First(), err)
	}
	for _, w := range warnings {
		command.Logger(c).Warn().Msg(w)
	}
	return command.Write(c, cmp.Or(c.String("out"), "-"), func(w io.Writer) error {
		if err := training.WriteJobs(w, file); err != nil {
			return command.Usage("%s: %w", c.Args().First(), err)
		}
		return nil
	})
}
