package input

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// spoolPattern matches the files that taps write beside the logs of their tasks.
const spoolPattern = "paratimer-tap.*.ndjson"

// Spooled returns src with the key groups in the files of --spool. They are added at the query's end, since their
// times are unknown.
func Spooled(c *cli.Context, src watch.Source) (watch.Source, error) {
	paths := c.StringSlice("spool")
	if len(paths) == 0 {
		return src, nil
	}
	store, at := tap.NewStore(tap.Limits{}), time.Now()
	for _, path := range paths {
		files, err := spoolFiles(path)
		if err != nil {
			return nil, command.Usage("--spool: %w", err)
		}
		for _, file := range files {
			f, err := infile.Open(file)
			if err == nil {
				err = tap.ReadSpool(f, store, at) // that of its first invalid line
				f.Close()
			}
			if err != nil {
				command.Logger(c).Warn().Err(err).Str("file", view.Escape(file)).Msg("not all of this spool can be used")
			}
		}
	}
	return tap.NewSource(src, store, tap.Options{AtEnd: true, Now: func() time.Time { return at }}), nil
}

// spoolFiles returns a file, or the spools in a folder and below it.
func spoolFiles(path string) (files []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if ok, _ := filepath.Match(spoolPattern, filepath.Base(file)); err == nil && ok && d.Type().IsRegular() {
			files = append(files, file)
		}
		return err
	})
	return files, err
}
