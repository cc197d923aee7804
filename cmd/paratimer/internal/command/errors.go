package command

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tty"
	"github.com/paratimer/paratimer/units"
)

var (
	// ErrTimeout means that the time of --timeout has passed.
	ErrTimeout = errors.New("the time limit has passed")
	// ErrInterrupted means that a signal has ended the command.
	ErrInterrupted = tty.ErrInterrupted
	// ErrQueryFailed means that the query failed or was killed, or that a job became slower.
	ErrQueryFailed error = Exit{1}
)

// An Exit ends the program with an exit code. The command has already reported why.
type Exit struct{ Code int }

func (e Exit) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// A UsageError is an error of the caller: a wrong flag, or a file that cannot be read as the expected kind.
type UsageError struct{ error }

// Unwrap returns the wrapped error.
func (e UsageError) Unwrap() error { return e.error }

// Usage returns a UsageError with a text that is formatted as by fmt.Errorf.
func Usage(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// UnknownCommand returns an error that suggests a command, or else lists them. The library would suggest the
// nearest name to any word, however far, and only with its own errors and help.
func UnknownCommand(word, of string, names []string) error {
	if ours := guessed[strings.TrimSpace(of+" "+word)]; ours != "" {
		return Usage("%q is not a command; try %s", word, ours)
	}
	if of != "" {
		of = " of " + of
	}
	switch near := planfile.Nearest(word, names); {
	case near != "":
		return Usage("%q is not a command%s; did you mean %s?", word, of, near)
	case len(names) == 0:
		return Usage("%q is not a command%s: it has none", word, of)
	}
	return Usage("%q is not a command%s; the commands are %s", word, of, strings.Join(names, ", "))
}

// guessed are commands of other programs and of earlier versions, with ours for the same purpose.
var guessed = map[string]string{
	"ls":     "`paratimer list` for what runs, or `paratimer history list` for past runs",
	"top":    "`paratimer watch`, which follows all queries of a cluster",
	"ps":     "`paratimer list`",
	"kill":   "`yarn application -kill ID`: ParaTimer only watches",
	"stop":   "`yarn application -kill ID`: ParaTimer only watches",
	"start":  "`paratimer run -- COMMAND`",
	"show":   "`paratimer report`, `paratimer history show`, or `paratimer config` for settings",
	"follow": "`paratimer attach`", "monitor": "`paratimer attach`", "tail": "`paratimer attach`",
	"eta":     "`paratimer attach`",
	"predict": "`paratimer plan` for a plan, or `paratimer attach` for a query that runs",
	"explain": "`paratimer report` for a past run, or `paratimer attach` for one that runs",
	"spark":   "`paratimer attach --spark URL`, with the address of the driver's web page",
	"hive":    "`paratimer attach`, which finds queries of Hive, on Tez too",
	"tez":     "`paratimer attach`, which finds DAGs of Tez as it does jobs",
	"pig":     "`paratimer attach`, which finds scripts of Pig that run",
	"yarn":    "`paratimer watch`, which follows all queries of a cluster",
	"logs":    "`paratimer report`, or --log-file of the other commands",
	"cancel":  "`yarn application -kill ID`: ParaTimer only watches",
	"diff":    "`paratimer compare`", "play": "`paratimer replay`",
	"test":   "`paratimer doctor` for a cluster, or `paratimer watch --test RECORDING --rules FILE` for rules",
	"rules":  "`paratimer watch --rules FILE` with --check, or with --test RECORDING",
	"notify": "`paratimer doctor --notify`",

	"ernest choose":  "`paratimer ernest predict --offer name=…,csv=…`",
	"ernest rows":    "`paratimer ernest fit FILE...`, which reads recordings, histories and event logs itself",
	"ernest score":   "`paratimer ernest predict FILE --ran MACHINES,SCALE,SECONDS`",
	"history export": "`paratimer history profile`",
}

// Errors of Go's flag package about invalid flags.
var (
	unknownFlag = regexp.MustCompile(`^flag provided but not defined: -(.+)$`)
	wrongValue  = regexp.MustCompile(`^invalid (?:boolean )?value "(.*)" for (?:flag )?-?-([^ :]+): `)
	noValue     = regexp.MustCompile(`^flag needs an argument: -(.+)$`)
)

// explain returns what is wrong with a flag, and what would be valid.
func explain(c *cli.Context, err error) string {
	text := err.Error()
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		return noSuchFlag(c, m[1])
	}
	text = noValue.ReplaceAllString(text, "--$1 needs a value")
	return wrongValue.ReplaceAllString(text, "--$2 $1: ")
}

// noSuchFlag returns the error text for an unknown flag: a similar flag, or the commands that have it.
func noSuchFlag(c *cli.Context, name string) string {
	if out := settings.Lookup(fullName(c), "output"); out != nil && slices.Contains([]string{"o", "json", "format"}, name) {
		if formats, ok := out.Default.(settings.OneOf); ok {
			return fmt.Sprintf("there is no flag %s here: --output is one of %s", "--"[:min(len(name), 2)]+name,
				strings.Join(formats, ", "))
		}
	}
	if ours := cmp.Or(guessedFlags[fullName(c)+" --"+name], guessedFlags[name]); ours != "" {
		return fmt.Sprintf("there is no flag --%s here: %s", name, ours)
	}
	flags := slices.DeleteFunc(slices.Concat(settings.Of(fullName(c)), settings.Of("")),
		func(s *settings.Setting) bool { return s.KeyOnly })
	owners := settings.Owners(name)
	if n := len(owners); n > 0 && n <= 6 {
		return fmt.Sprintf("there is no flag --%s here: it belongs to %s", name, strings.Join(owners, ", "))
	}
	if near := planfile.Nearest(name, units.Each(flags, (*settings.Setting).String)); near != "" {
		return fmt.Sprintf("there is no flag --%s: did you mean --%s?", name, near)
	}
	if len(owners) > 0 {
		return fmt.Sprintf("there is no flag --%s here: others have it", name)
	}
	return fmt.Sprintf("there is no flag --%s", name)
}

// guessedFlags are flags that people expect, or that earlier versions had, with hints.
var guessedFlags = map[string]string{
	"origin":                    "the origin of a value is shown without it",
	"tape":                      "it is an older name of --record",
	"score --all":               "it is an older name of --estimators all",
	"outside-bounds":            "it is an older name of --drift",
	"ernest predict --deadline": "it is an older name of --within",

	"v":       "--version is in full, and --log-level debug shows more",
	"verbose": "--log-level debug shows more", "debug": "--log-level debug shows more",
	"tez":    "DAGs of Tez are found by --rm, as jobs are",
	"tez-ui": "DAGs of Tez are found by --rm, as jobs are",
	"hive":   "queries of Hive are found by --rm, as jobs are; give the query's id as argument",
	"job":    "give the job's id as argument", "app": "give the application's id as argument",
	"id": "give the id as argument", "name": "give the name as argument",
	"master":   "give --rm URL of the ResourceManager, or --spark URL of the driver's web page",
	"interval": "--every sets how often to look",
	"port":     "--metrics and --listen take a port",
}
