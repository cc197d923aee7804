package recording

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/naming"
)

// redacted replaces a value that is not recorded.
const redacted = "REDACTED"

var (
	// Properties with secrets, and properties that repeat the user's script or command line.
	secretName = regexp.MustCompile(`(?i)passw|secret|token|credential|key|auth`)
	scriptName = regexp.MustCompile(
		`^(pig\.script|pig\.command\.line|pig\.cmd\.args.*|pig\.client\.sys\.props|hive\.query\.string|hive\.query\..*|.*\.env|.*admin\.user\.env)$`)
	// Properties that the adapter reads. They contain names, and may be long.
	readName = regexp.MustCompile(
		`^(mapreduce\.workflow\..*|pig\.input\.dirs|pig\.alias|mapreduce\.input\.fileinputformat\.inputdir|mapreduce\.input\.multipleinputs\.dir\.formats|pig\.script\.submitted\.timestamp)$`)
	// In any text: credentials in an address, and name=value pairs. The group is the secret.
	inAddress = regexp.MustCompile(`://([^/\s:@"]+:[^/\s@"]+)@`)
	inPair    = regexp.MustCompile(
		`(?i)[\w.-]*(?:passw\w*|secret\w*|token|credential\w*|access\.?key|signature|delegation|user\.name|hadoop\.auth)=([^\s&;,"'\\]+)`)
	// The name of a Hive job as JSON. It begins with the query.
	ofStage = regexp.MustCompile(`"(?:[^"\\]|\\.)*\(Stage-\d+\)"`)
)

// maxValue bounds property values. Pig serializes megabytes of unused data into configurations.
const maxValue = 1000

func scrubText(s string) string {
	s = scrubSecrets(s, redact)
	if strings.Contains(s, "(Stage-") {
		s = ofStage.ReplaceAllStringFunc(s, scrubStage)
	}
	return s
}

func redact(string) string { return redacted }

// scrubSecrets replaces the secrets in a text. The patterns take seconds for a task list of megabytes, which contains
// neither character.
func scrubSecrets(s string, by func(secret string) string) string {
	if strings.Contains(s, "@") {
		s = replaceGroup(s, inAddress, func(groups []string) string { return by(groups[0]) })
	}
	if strings.Contains(s, "=") {
		s = replaceGroup(s, inPair, func(groups []string) string { return by(groups[0]) })
	}
	return s
}

// replaceGroup replaces the last group of each match.
func replaceGroup(s string, pattern *regexp.Regexp, by func(groups []string) string) string {
	var out strings.Builder
	from := 0
	for _, m := range pattern.FindAllStringSubmatchIndex(s, -1) {
		var groups []string
		for i := 2; i < len(m); i += 2 {
			groups = append(groups, s[m[i]:m[i+1]])
		}
		last := m[len(m)-2]
		out.WriteString(s[from:last])
		out.WriteString(by(groups))
		from = m[len(m)-1]
	}
	return out.String() + s[from:]
}

// scrubStage removes the query's quoted texts from the name of a Hive job.
func scrubStage(name string) string {
	var plain string
	if json.Unmarshal([]byte(name), &plain) != nil {
		return name
	}
	out, _ := json.Marshal(naming.JobTitle(plain)) // a string has no error
	return string(out)
}

// scrubBody returns the recorded part of a response. It removes secrets from a configuration, and does not record a
// configuration that it cannot parse.
func scrubBody(path string, body []byte) string {
	if isLogFile(path) {
		return scrubLog(path, string(body))
	}
	if !strings.HasSuffix(strings.TrimSuffix(path, "/"), "/conf") {
		return scrubText(string(body))
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "(a conf that is not JSON is not recorded: its secrets cannot be found)"
	}
	scrubConf(v)
	out, _ := json.Marshal(v) // it was JSON before
	return string(out)
}

// scrubConf redacts properties, which are objects with a name and a value, at any depth.
func scrubConf(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			scrubConf(e)
		}
	case map[string]any:
		name, isProperty := v["name"].(string)
		if value, ok := v["value"]; ok && isProperty {
			v["value"] = scrubValue(name, value)
			delete(v, "source")
			return
		}
		for _, e := range v {
			scrubConf(e)
		}
	}
}

func scrubValue(name string, value any) any {
	s, isText := value.(string)
	switch {
	case isText && name == "mapreduce.workflow.name": // for Hive this is the whole query
		return naming.Unquoted(s)
	case readName.MatchString(name):
		if isText {
			return replaceGroup(s, inAddress, func([]string) string { return redacted })
		}
		return value
	case secretName.MatchString(name), scriptName.MatchString(name):
		return redacted
	case isText && len(s) > maxValue:
		return strings.ToValidUTF8(s[:maxValue], "") + "...(cut)"
	case isText:
		return naming.JobTitle(scrubText(s))
	}
	return value
}

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
			return literal.ReplaceAllStringFunc(value, func(l string) string {
				edge := len(l) - len(strings.TrimLeft(l, `\`)) + 1 // the quote, which may be escaped
				return l[:edge] + crossOut(l[edge:len(l)-edge]) + l[len(l)-edge:]
			})
		case naming.IsHiveStage(value):
			return crossName(value)
		case name == "dagInfo", secretName.MatchString(name), scriptName.MatchString(name):
			return crossOut(value)
		}
		return value
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
