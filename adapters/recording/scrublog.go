package recording

import (
	"regexp"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/hive"
)

// The files of a Tez master contain its whole configuration and the text of its queries. Secrets in them are replaced
// by X, letter by letter, because the pieces of a file are put together by their lengths.

// lazy compiles a pattern at its first use. Patterns with long repeats would delay each start of the program by
// milliseconds.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

var (
	// A property in JSON, or in JSON within a JSON string. The end of a piece may cut off the value.
	inJSON   = lazy(`"([^"\\]{1,200})":"((?:[^"\\]|\\.)*)`)
	inNested = lazy(`\\"([^"\\]{1,200})\\":\\"((?:[^"\\]|\\\\\\.|\\\\[^"])*)`)
	// A literal of a query, within JSON.
	literal = regexp.MustCompile(`'[^']*'|\\"(?:[^"\\]|\\\\.)*\\"`)
	// The rest of a line in a log up to the end of a name that Hive derived from a query.
	inLines = lazy(`(?m): [^\n]{0,300}?\(Stage-\d+\)`)
	// The rest of a value that began in the previous piece, and the header that a NodeManager adds to a piece.
	restOfValue = regexp.MustCompile(`^[^"\n\x01]*`)
	logContents = lazy(`(?s)^.{0,900}?Log ?Contents:\n`)
)

// isLogFile reports whether a path, perhaps with the prefix of a gateway, is that of a container's log file.
func isLogFile(path string) bool {
	return strings.Contains(path, "/ws/v1/node/containers/") && strings.Contains(path, "/logs/")
}

// scrubLog returns a piece of a log file without secrets and scripts, in the same length.
func scrubLog(path, s string) string {
	if strings.Contains(path, "/logs/history.txt") {
		head := logContents().FindString(s)
		rest := s[len(head):]
		if !strings.HasPrefix(rest, "{") {
			rest = restOfValue.ReplaceAllStringFunc(rest, crossOut)
		}
		s = head + crossValues(crossValues(rest, inNested()), inJSON())
	}
	if strings.Contains(s, "(Stage-") {
		s = inLines().ReplaceAllStringFunc(s, crossName)
	}
	return scrubSecrets(s, crossOut)
}

// crossValues replaces the values of secret properties and of properties with a script, and literals in the text of a
// query.
func crossValues(s string, property *regexp.Regexp) string {
	return replaceGroup(s, property, func(groups []string) string {
		name, value := groups[0], groups[1]
		switch {
		case name == "description":
			return crossLiterals(value)
		case hive.IsStage(value):
			return crossName(value)
		case name == "dagInfo", secretName.MatchString(name), scriptName.MatchString(name):
			return crossOut(value)
		}
		return value
	})
}

// crossLiterals replaces each character of quoted texts by X.
func crossLiterals(s string) string {
	return literal.ReplaceAllStringFunc(s, func(l string) string {
		edge := 1
		if l[0] == '\\' {
			edge = 2
		}
		return l[:edge] + crossOut(l[edge:len(l)-edge]) + l[len(l)-edge:]
	})
}

// crossName replaces what follows the first literal in a name that Hive derived from a query, or follows the cut in its
// middle, where a literal may have begun.
func crossName(s string) string {
	end := max(strings.LastIndex(s, "(Stage-"), 0)
	from := strings.IndexAny(s[:end], `'"\`)
	if cut := strings.Index(s[:end], "..."); cut >= 0 && (from < 0 || cut < from) {
		from = cut
	}
	if from < 0 {
		return s
	}
	return s[:from] + crossOut(s[from:end]) + s[end:]
}

func crossOut(s string) string { return strings.Repeat("X", len(s)) }
