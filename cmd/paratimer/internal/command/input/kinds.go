package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/adapters/capture"
	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/tape"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// mostFiles is how many files of a folder are opened to find a recording among them.
const mostFiles = 100

// NotAPlan returns the usage error for a file that could not be read as a plan, a profile or a job file. If the file is
// a recording, the error names its kind and the commands that read it.
func NotAPlan(path, wanted string, err error) error {
	if kind := regularKind(path); kind != tape.Unknown {
		return command.Usage("%s is a recording (%s), not a %s: `paratimer replay` plays it, and `paratimer learn` makes a profile of it",
			path, kind, wanted)
	}
	if query := scriptKind(path); query != "" && err != nil {
		return command.Usage("%s is %s, not a %s: start it as usual, and `paratimer attach` follows it", path, query, wanted)
	}
	return command.Usage("cannot read the %s: %w", wanted, err)
}

// scriptKind names a file that only another program runs, by how its name ends; "" for others.
func scriptKind(path string) string {
	return map[string]string{
		".pig": "a script of Pig", ".sql": "a script of SQL", ".hql": "a script of Hive", ".jar": "a jar",
		".py": "a script of Python", ".scala": "a program in Scala",
	}[strings.ToLower(filepath.Ext(path))]
}

// regularKind is the kind of recording in a regular file, Unknown for everything else. A pipe cannot be read twice.
func regularKind(path string) tape.Kind {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return tape.Unknown
	}
	f, err := infile.OpenRegular(path)
	if err != nil {
		return tape.Unknown
	}
	defer f.Close()
	kind, _, err := tape.Sniff(f)
	if err != nil {
		return tape.Unknown
	}
	return kind
}

// notARecording is the error for a file that is no recording. If the file is a plan, the error names the commands that
// read it.
func notARecording(path string) error {
	if IsPlan(path) {
		return errors.New("this is a plan, not a recording: `paratimer estimate`, `simulate` and `whatif` read it")
	}
	if query := scriptKind(path); query != "" {
		return fmt.Errorf("this is %s, not a recording: start it as usual, and `paratimer attach --tape FILE` records it",
			query)
	}
	return errors.New("neither a tape nor a capture, nor a job history file, Rumen trace or event log of Spark: record one with `paratimer attach --tape FILE` or `--capture FILE`")
}

// IsPlan reports whether a path is that of a regular file with a plan.
func IsPlan(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	_, err := planfile.ReadFile(path, planfile.Options{})
	return err == nil
}

// tapeIn returns the path of a tape or capture in a folder, "" if there is none among its first files.
func tapeIn(folder string) string {
	f, err := os.Open(folder)
	if err != nil {
		return ""
	}
	defer f.Close()
	entries, _ := f.ReadDir(mostFiles) // what can be read is enough for a hint
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if kind := regularKind(path); kind == tape.Tape || kind == tape.Capture {
			return path
		}
	}
	return ""
}

// PlayStdin plays a tape or a capture that comes through a pipe. A tape is read an observation at a time.
func PlayStdin(in io.Reader, opt capture.Options) (watch.Source, error) {
	if err := spark.CheckID(opt.Workflow); err != nil {
		return nil, command.Usage("--sql: %w", err)
	}
	kind, in, err := tape.Sniff(in)
	if err != nil {
		return nil, command.Usage("stdin: %w", err)
	}
	if kind != tape.Tape && kind != tape.Capture {
		return nil, command.Usage("stdin: - reads a tape or a capture; give other recordings as files")
	}
	src, err := playStream(kind, in, opt)
	if err != nil {
		return nil, command.Usage("stdin: %w", err)
	}
	return &fileSource{Source: src}, nil
}
