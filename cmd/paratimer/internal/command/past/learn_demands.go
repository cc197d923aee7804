package past

import (
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/demands"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/jobfile"
	"github.com/paratimer/paratimer/dag"
)

// learnDemands creates a job file from recorded runs.
func learnDemands(c *cli.Context) error {
	o := demands.Options{Waiting: c.Bool("waiting")}
	var err error
	if o.Disk, err = demands.ParseRate(c.String("disk-rate")); err != nil {
		return command.Usage("disk-rate: %w", err)
	}
	if o.Network, err = demands.ParseRate(c.String("network-rate")); err != nil {
		return command.Usage("network-rate: %w", err)
	}
	var runs []demands.Run
	for _, path := range c.Args().Slice() {
		run, err := demandsIn(c, path)
		if err != nil {
			return err
		}
		runs = append(runs, *run)
	}
	file, warnings, err := demands.Learn(runs, o)
	if err != nil {
		return command.Usage("%s: %w", c.Args().First(), err)
	}
	log := command.Logger(c)
	for _, w := range warnings {
		log.Warn().Msg(w)
	}
	content := func(w io.Writer) error {
		if err := jobfile.Write(w, file); err != nil {
			return command.Usage("%s: %w", c.Args().First(), err)
		}
		return nil
	}
	return writeOut(c, content)
}

// demandsIn reads one recording to its end.
func demandsIn(c *cli.Context, path string) (run *demands.Run, err error) {
	src, file, err := input.OpenRecording(path, c.String("workflow"), 0)
	if err != nil {
		return nil, err
	}
	defer command.Closing(file, path, &err)
	whole, err := follow.Played(c.Context, path, src)
	log := command.Logger(c)
	switch {
	case err != nil:
		return nil, err
	case whole.Now().State != dag.Succeeded:
		log.Warn().Str("file", path).Stringer("state", whole.Now().State).Msg(
			"the query did not succeed in it: only tasks that did are learned from")
	}
	used := input.UsedIn(src)
	if used == nil {
		log.Warn().Str("file",
			path).Msg("a recording of observations holds no CPU counters: what the bytes do not explain of the time that tasks took is taken for CPU")
	}
	return &demands.Run{File: filepath.Base(path), End: whole.Now(), Used: used}, nil
}
