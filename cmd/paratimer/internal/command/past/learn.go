package past

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// profileCommand returns `paratimer history profile`: the profile of stored runs, or of recorded ones.
func profileCommand() *cli.Command {
	return command.New("profile", "NAME|FILE...",
		"write the profile of a workflow's next run, or of recorded runs of one script, for --profile", profileOf)
}

// profileOf writes the profile of recordings, or that of the stored workflow with the name. A file that is no
// recording, such as the script in the current folder, does not hide the workflow.
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
	}
	return learn(c)
}

// learn creates a profile, which is a plan file with costs, from recorded runs of one script; or, with --demands, a
// job file.
func learn(c *cli.Context) error {
	if c.Bool("demands") {
		return learnDemands(c)
	}
	var runs []*dag.Plan
	for _, path := range c.Args().Slice() {
		plan, err := learnFile(c, path)
		if err != nil {
			return err
		}
		runs = append(runs, plan)
	}
	profile, ok := profiles.Merge(runs, nil)
	if !ok {
		return command.Usage("these recordings are of different scripts: make a profile of each")
	}
	return writeProfile(c, profile)
}

func learnFile(c *cli.Context, path string) (plan *dag.Plan, err error) {
	src, file, err := input.Open(c, path)
	if err != nil {
		return nil, err
	}
	defer command.Closing(file, path, &err)
	if src, err = input.Spooled(c, src); err != nil {
		return nil, err
	}
	run, err := follow.Played(c.Context, path, src)
	log := command.Logger(c)
	switch {
	case err != nil:
		return nil, err
	case !run.Now().State.Ended():
		log.Warn().Str("file", path).Msg("the recording ends before the query: what did not run is not learned")
	case run.Now().State != dag.Succeeded:
		log.Warn().Str("file", path).Stringer("state",
			run.Now().State).Msg("the query did not succeed: what did not run is not learned")
	}
	plan = cost.Learn(run)
	for _, j := range plan.Jobs {
		if slices.ContainsFunc(j.Stages, func(s dag.Stage) bool { return s.Known }) {
			return plan, nil
		}
	}
	return nil, command.Usage("%s: no job has run in it: there is nothing to learn", path)
}

// writeProfile writes a profile.
func writeProfile(c *cli.Context, profile *dag.Plan) error {
	return writeOut(c, func(w io.Writer) error { return planfile.Write(w, profile) })
}

// writeOut writes to the file of --out, or to stdout. If that fails no file is left.
func writeOut(c *cli.Context, content func(io.Writer) error) error {
	if path := c.String("out"); path != "" {
		return command.WriteFile(path, content)
	}
	return command.Write(c, "-", content)
}
