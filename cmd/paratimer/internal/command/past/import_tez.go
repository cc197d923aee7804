package past

import (
	"errors"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/webhdfs"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
)

// tezHistoryAt reads the Tez history of DAGs in a file, a folder or a path in HDFS. is is true if there is any.
func tezHistoryAt(c *cli.Context, name string) (log *tez.Log, is bool, err error) {
	if !webhdfs.Is(name) {
		if !tez.IsHistory(name) {
			return nil, false, nil
		}
		if log, err = input.TezHistory(c.Context, name); err != nil {
			err = command.Usage("%s: %w", name, err)
		}
		return log, true, err
	}
	in, file, err := webhdfs.Open(c.Context, name, c.String("user"), input.ByKerberos(c)(webhdfs.Transport()))
	if err != nil || !tez.HoldsHistory(in, file) {
		return nil, false, nil //nolint:nilerr // the address's other reader reports errors
	}
	if log, err = tez.ReadHistory(c.Context, in, file); err != nil {
		err = command.Usage("%s: %w", name, err)
	}
	return log, true, err
}

// importDAGs writes a recording of each DAG of a history, or of the DAG of --workflow.
func importDAGs(c *cli.Context, log *tez.Log, folder string, names map[string]bool) (out []imported, err error) {
	wanted := c.String("workflow")
	for _, id := range log.DAGs() {
		if app, _ := tez.IsDAG(id); wanted != "" && wanted != id && wanted != app {
			continue
		}
		src, err := tez.NewHistorySource(log, recording.Options{Workflow: id, Every: c.Duration("every")})
		if err != nil {
			return out, err
		}
		done, err := importSource(c.Context, src, filepath.Join(folder, recordingName(id, names)))
		if err != nil {
			return out, err
		}
		done.Jobs = 1
		out = append(out, done)
	}
	if len(out) == 0 {
		return nil, command.Usage("--workflow: %w", errors.New("the history has no DAG "+wanted))
	}
	return out, nil
}
