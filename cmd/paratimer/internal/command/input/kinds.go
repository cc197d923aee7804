package input

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
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
	f, err := infile.OpenRegular(path)
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
	if what, then := kindOfFile(path); what != "" && what != "a "+wanted {
		return command.Usage("%s is %s, not a %s: %s", path, what, wanted, then)
	}
	return nil
}

// kindOfFile describes a regular file, and its use; "" if it is of no known kind.
func kindOfFile(path string) (what, then string) {
	info, err := os.Stat(path)
	switch {
	case err != nil || !info.Mode().IsRegular(): // a pipe cannot be read twice
		return "", ""
	case info.Size() == 0:
		return "an empty file", "was it written to the end?"
	}
	if kind := KindOf(path); kind != recording.Unknown {
		return fmt.Sprintf("a recording (%s)", kind),
			"`paratimer replay` plays it, and `paratimer history profile` makes a profile of it"
	}
	if known, ok := extensions[strings.ToLower(filepath.Ext(path))]; ok {
		return known[0], known[1]
	}
	if _, err := planfile.ReadFile(path, planfile.Options{}); err == nil {
		return "a plan", "`paratimer plan` and `whatif` read it"
	}
	if _, err := training.ReadJobFile(path, nil); err == nil {
		return "a job file", "`paratimer model` reads it"
	}
	if _, err := fleet.ReadRules(path, nil, time.UTC); err == nil {
		return "a rule file", "`paratimer watch --rules` reads it"
	}
	return "", ""
}

// extensions are those of files for other commands and programs: what they are, and their use.
var extensions = map[string][2]string{
	".csv": {"a table of runs", "`paratimer ernest fit` reads it"},
	".pdf": {"a page", browser}, ".svg": {"a picture", browser}, ".html": {"an HTML page", browser},
	".pig": {"a script of Pig", startIt}, ".sql": {"a script of SQL", startIt}, ".hql": {"a script of Hive", startIt},
	".jar": {"a jar", startIt}, ".py": {"a script of Python", startIt}, ".scala": {"a program in Scala", startIt},
}

const (
	startIt = "start it as usual, and `paratimer attach` follows it"
	browser = "a browser shows it"
)

// KindOf returns the kind of recording in a regular file, else Unknown.
func KindOf(path string) recording.Kind {
	f, err := infile.OpenRegular(path)
	if err != nil {
		return recording.Unknown
	}
	defer f.Close()
	kind, _, _ := recording.Sniff(f) // Unknown if it fails
	return kind
}

// pastError returns the error of a place without finished runs. It has a hint if one of a folder's first files is a
// recording.
func pastError(f engine.PastError) error {
	entries, _ := os.ReadDir(f.Place.Name) // the readable entries are enough
	for _, e := range entries[:min(len(entries), mostFiles)] {
		if path := filepath.Join(f.Place.Name, e.Name()); isOurs(KindOf(path)) {
			return fmt.Errorf("this is a folder with recordings: give its files, such as %s", path)
		}
	}
	return f.Err
}

// IsRecording reports whether a file has recorded runs: a recording, or an engine's own history. Any folder may.
// exists is false if there is no such file, and the name is not that of a file.
func IsRecording(path string) (is, exists bool, err error) {
	_, err = os.Stat(path)
	switch {
	case err != nil && isPath(path):
		return false, false, command.Usage("cannot read it: %w", err)
	case err != nil:
		return false, false, nil // it names a query
	case engine.IsPast(recording.LocalPlace(path)):
		return true, true, nil
	}
	f, err := infile.Open(path)
	if err != nil {
		return false, true, command.Usage("cannot read it: %w", err)
	}
	defer f.Close()
	kind, _, err := recording.Sniff(f)
	if err != nil {
		return false, true, command.Usage("%s: %w", path, err)
	}
	return kind != recording.Unknown, true, nil
}

// isPath reports whether a name is that of a file, not of a query.
func isPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) ||
		slices.Contains(strings.Fields(".tape .yaml .yml .json .jsonl .gz .zst .zstd .lz4 .zip .jhist"), filepath.Ext(name))
}
