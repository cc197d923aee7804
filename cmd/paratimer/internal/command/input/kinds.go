package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/jobfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// mostFiles is the number of files in a folder that are checked for a recording.
const mostFiles = 100

// NotAPlan returns the usage error for a file that could not be read as a plan, a profile or a job file. If the file is
// known to be something else, the error names its kind and the commands that read it.
func NotAPlan(path, wanted string, err error) error {
	if other := WrongKind(path, wanted); other != nil {
		return other
	}
	if !likeAPlan(path) {
		return command.Usage("%s is not a %s: a plan, a profile or a job file is YAML or JSON with the keys `version` and `jobs`, "+
			"and `paratimer attach --record FILE` makes a recording", path, wanted)
	}
	return command.Usage("cannot read the %s: %w", wanted, err)
}

// planKey matches a line with a key that every plan, profile and job file has.
var planKey = regexp.MustCompile(`(?m)^[\s{,]*["']?(version|jobs)["']?\s*:`)

// likeAPlan reports whether a file looks like a plan, so that its parser should report the error. It returns true
// for a pipe, which cannot be read twice, and for a file that cannot be opened, which has its own error.
func likeAPlan(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(f, head) // a short file is no error
	return n == 0 || planKey.Match(head[:n])
}

// WrongKind returns the usage error for a file that is a recording, a plan or another known kind, but not the
// wanted kind. It returns nil for a file of the wanted kind or of no known kind.
func WrongKind(path, wanted string) error {
	if kind := KindOf(path); kind != recording.Unknown {
		return command.Usage("%s is a recording (%s), not a %s: `paratimer replay` plays it, and `paratimer history profile` makes a profile of it",
			path, kind, wanted)
	}
	if what, then := otherKind(path); what != "" && what != "a "+wanted {
		return command.Usage("%s is %s, not a %s: %s", path, what, wanted, then)
	}
	return nil
}

// otherKind describes a regular file that is not a recording, and its use; "" if it is of no known kind.
func otherKind(path string) (what, then string) {
	info, err := os.Stat(path)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return "", ""
	case info.Size() == 0:
		return "an empty file", "was it written to the end?"
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".csv":
		return "a table of runs", "`paratimer ernest fit` reads it"
	case ".html", ".pdf", ".svg":
		return "a page", "a browser shows it"
	default:
		if script := scripts[ext]; script != "" {
			return script, "start it as usual, and `paratimer attach` follows it"
		}
	}
	if IsPlan(path) {
		return "a plan", "`paratimer plan` and `whatif` read it"
	}
	if _, _, err := jobfile.ReadFile(path, nil); err == nil {
		return "a job file", "`paratimer model` reads it"
	}
	if _, err := rules.ReadFile(path, nil, time.UTC); err == nil {
		return "a rule file", "`paratimer watch --rules` and `paratimer rules` read it"
	}
	return "", ""
}

// scripts names files for other programs, by extension.
var scripts = map[string]string{
	".pig": "a script of Pig", ".sql": "a script of SQL", ".hql": "a script of Hive", ".jar": "a jar",
	".py": "a script of Python", ".scala": "a program in Scala",
}

// KindOf returns the kind of recording in a regular file, else Unknown. A pipe is not read, since it cannot be
// read twice.
func KindOf(path string) recording.Kind {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return recording.Unknown
	}
	f, err := infile.OpenRegular(path)
	if err != nil {
		return recording.Unknown
	}
	defer f.Close()
	kind, _, err := recording.Sniff(f)
	if err != nil {
		return recording.Unknown
	}
	return kind
}

// notARecording returns the error for a file that is not a recording. If the file is of another known kind, the
// error names the commands that read it.
func notARecording(path string) error {
	if what, then := otherKind(path); what != "" {
		return fmt.Errorf("this is %s, not a recording: %s", what, then)
	}
	return errors.New("neither a recording nor a job history file, Rumen trace or event log of Spark: record one with `paratimer attach --record FILE`")
}

// IsPlan reports whether a path is a regular file with a plan.
func IsPlan(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	_, err := planfile.ReadFile(path, planfile.Options{})
	return err == nil
}

// recordingIn returns the path of a recording in a folder; "" if there is none among its first files.
func recordingIn(folder string) string {
	f, err := os.Open(folder)
	if err != nil {
		return ""
	}
	defer f.Close()
	entries, _ := f.ReadDir(mostFiles) // for a hint, the readable entries are enough
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if kind := KindOf(path); kind == recording.OfObservations || kind == recording.OfAnswers {
			return path
		}
	}
	return ""
}

// PlayStdin plays a recording from a pipe. Observations are read one at a time.
func PlayStdin(in io.Reader, opt recording.Options) (watch.Source, error) {
	if err := spark.CheckID(opt.Workflow); err != nil {
		return nil, command.Usage("--sql: %w", err)
	}
	kind, in, err := recording.Sniff(in)
	if err != nil {
		return nil, command.Usage("stdin: %w", err)
	}
	if kind != recording.OfObservations && kind != recording.OfAnswers {
		return nil, command.Usage("stdin: - reads a recording; give histories and event logs as files")
	}
	src, err := playStream(kind, in, opt)
	if err != nil {
		return nil, command.Usage("stdin: %w", err)
	}
	return &fileSource{Source: src}, nil
}
