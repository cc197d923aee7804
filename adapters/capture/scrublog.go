package capture

import (
	"regexp"
	"strings"
)

// The files of a master of Tez hold its whole configuration and the text of its queries. What is left out of them is
// crossed out, letter by letter: the pieces of a file are put together by their lengths.

var (
	// A property in JSON, or in JSON within a text of JSON. The value may be cut off by the end of a piece.
	inJSON   = regexp.MustCompile(`"([^"\\]{1,200})":"((?:[^"\\]|\\.)*)`)
	inNested = regexp.MustCompile(`\\"([^"\\]{1,200})\\":\\"((?:[^"\\]|\\\\\\.|\\\\[^"])*)`)
	// A literal of a query, within JSON.
	literal = regexp.MustCompile(`'[^']*'|\\"(?:[^"\\]|\\\\.)*\\"`)
	// The rest of a value whose beginning is in the piece before, and what a NodeManager puts before a piece.
	restOfValue = regexp.MustCompile(`^[^"\n\x01]*`)
	logContents = regexp.MustCompile(`(?s)^.{0,900}?Log ?Contents:\n`)
)

// isLogFile reports whether a path is that of a container's log file.
func isLogFile(path string) bool {
	return strings.Contains(path, logPath) && strings.Contains(path, "/logs/")
}

// scrubLog returns a piece of a log file without secrets and scripts, as long as it was.
func scrubLog(path, s string) string {
	if strings.Contains(path, "/logs/history.txt") {
		head := logContents.FindString(s)
		rest := s[len(head):]
		if !strings.HasPrefix(rest, "{") {
			rest = restOfValue.ReplaceAllStringFunc(rest, crossOut)
		}
		s = head + crossValues(crossValues(rest, inNested), inJSON)
	}
	if strings.Contains(s, "@") {
		s = inAddress.ReplaceAllStringFunc(s, func(m string) string { return "://" + crossOut(m[3:len(m)-1]) + "@" })
	}
	if strings.Contains(s, "=") {
		s = inPair.ReplaceAllStringFunc(s, func(m string) string {
			at := strings.IndexByte(m, '=') + 1
			return m[:at] + crossOut(m[at:])
		})
	}
	return s
}

// crossValues crosses out the values of secret properties and of those with a script, and literals in the text of a
// query.
func crossValues(s string, property *regexp.Regexp) string {
	var out strings.Builder
	from := 0
	for _, m := range property.FindAllStringSubmatchIndex(s, -1) {
		name, value := s[m[2]:m[3]], s[m[4]:m[5]]
		switch {
		case name == "description":
			value = literal.ReplaceAllStringFunc(value, func(l string) string {
				edge := 1
				if l[0] == '\\' {
					edge = 2
				}
				return l[:edge] + crossOut(l[edge:len(l)-edge]) + l[len(l)-edge:]
			})
		case name == "dagInfo", secretName.MatchString(name), scriptName.MatchString(name):
			value = crossOut(value)
		}
		out.WriteString(s[from:m[4]])
		out.WriteString(value)
		from = m[5]
	}
	out.WriteString(s[from:])
	return out.String()
}

func crossOut(s string) string { return strings.Repeat("X", len(s)) }
