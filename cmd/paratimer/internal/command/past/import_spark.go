package past

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/webhdfs"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
)

// eventLogs are the Spark event logs in an argument of import.
type eventLogs struct {
	name   string // the argument
	folder bool   // it has more than one log
	files  []spark.LogFile
}

// eventLogsAt lists the event logs in a file, a folder or a path in HDFS. It returns none for an argument that
// cannot be read: its other readers return the error.
func eventLogsAt(c *cli.Context, name string) *eventLogs {
	e := &eventLogs{name: name}
	if !webhdfs.Is(name) {
		e.files, _ = spark.LocalLogs(c.Context, name)
	} else if in, file, err := webhdfs.Open(c.Context, name, c.String("user"),
		input.ByKerberos(c)(webhdfs.Transport())); err == nil {
		e.files, _ = spark.FindLogs(c.Context, in, file)
	}
	e.folder = len(e.files) != 1 || e.files[0].Name != filepath.Clean(name)
	return e
}

// recordings writes a recording of each log, or of those with the workflow of --workflow. An unusable log in a folder
// is left out; if the argument is a single log, it is an error.
func (e *eventLogs) recordings(c *cli.Context, folder string, names map[string]bool) (done []imported, out []leftOut,
	err error,
) {
	for _, f := range e.files {
		one, err := recordingOfLog(c, f, folder, names)
		switch {
		case c.Context.Err() != nil:
			return done, out, err
		case err == nil:
			done = append(done, one)
		case !e.folder:
			return nil, nil, command.Usage("%s: %w", e.name, err)
		case c.String("workflow") == "" || !errors.As(err, new(*recording.UnknownError)):
			out = append(out, leftOut{f.Name, err.Error()})
		}
	}
	if len(done) == 0 {
		err = fmt.Errorf("%s: none of its event logs can be used", e.name)
		if id := c.String("workflow"); id != "" {
			err = fmt.Errorf("%s: none of its event logs is of %s", e.name, id)
		}
		return nil, out, command.Usage("%w", err)
	}
	return done, out, nil
}

// recordingOfLog writes the recording of a Spark application.
func recordingOfLog(c *cli.Context, f spark.LogFile, folder string, names map[string]bool) (done imported, err error) {
	p := command.NewProgress(c)
	defer p.Done()
	f.Read = input.ReadBytes(p, f.Name)
	log, err := f.Open()
	if err != nil {
		return done, err
	}
	src, err := spark.NewLogSource(log, recording.Options{Workflow: c.String("workflow"), Every: c.Duration("every")})
	if err != nil {
		return done, err
	}
	id := log.ID()
	if id == "" {
		id = filepath.Base(f.Name)
	}
	done, err = importSource(c.Context, input.Counted(src, f.Name, p), filepath.Join(folder, recordingName(id, names)))
	done.Jobs = 1
	return done, err
}
