package rules

import (
	"cmp"
	"errors"
	"regexp"
	"strings"

	"github.com/paratimer/paratimer/adapters/pig"
)

// A Match selects the workflows of a rule. An empty pattern matches everything.
type Match struct {
	Name   string `plan:"name" length:"1-256" title:"a pattern of at most 256 characters, such as \"nightly_*\""`
	User   string `plan:"user" length:"1-256" title:"a pattern of at most 256 characters, such as \"nightly_*\""`
	Queue  string `plan:"queue" length:"1-256" title:"a pattern of at most 256 characters, such as \"nightly_*\""`
	Engine string `plan:"engine" words:"MapReduce,Tez,Spark"`

	name, user, queue *regexp.Regexp
}

// A Workflow is the data that rules match a workflow by.
type Workflow struct {
	ID    string // the engine's
	Name  string // without the engine's prefix
	App   string // the name of its application, e.g. PigLatin:nightly_etl.pig; "" if unknown
	User  string
	Queue string // the queue's path
	// Engine is what runs it: "Tez", "Spark"; "" is MapReduce.
	Engine string
}

type part struct{ key, pattern string }

// parts returns the patterns that are given.
func (m *Match) parts() []part {
	var out []part
	for _, p := range []part{{"name", m.Name}, {"user", m.User}, {"queue", m.Queue}} {
		if p.pattern != "" {
			out = append(out, p)
		}
	}
	return out
}

func (m *Match) compile() {
	m.name, _ = glob(m.Name) // check reports errors
	m.user, _ = glob(m.User)
	m.queue, _ = glob(m.Queue)
}

// Matches reports whether the rule applies to a workflow.
func (m *Match) Matches(w Workflow) bool {
	return (m.Engine == "" || m.Engine == cmp.Or(w.Engine, "MapReduce")) &&
		m.MatchesApp(w.User, w.Queue, w.Name, w.App, pigName(w))
}

// MatchesApp reports whether the rule applies to a workflow of a user and queue under one of its names.
func (m *Match) MatchesApp(user, queue string, names ...string) bool {
	if !matches(m.user, user) || !matches(m.queue, queue) && !matches(m.queue, strings.TrimPrefix(queue, "root.")) {
		return false
	}
	for i, n := range names {
		if (n != "" || i == 0) && matches(m.name, n) {
			return true
		}
	}
	return false
}

// pigID is the prefix of the id of a Pig script's workflow.
const pigID = "pig_"

// pigName returns the application name of a Pig script, as the cluster lists it.
func pigName(w Workflow) string {
	if w.App == "" && strings.HasPrefix(w.ID, pigID) {
		return pig.App(w.Name)
	}
	return pig.Script(w.App)
}

func matches(re *regexp.Regexp, s string) bool { return re == nil || re.MatchString(s) }

// glob converts a pattern to a regular expression, which Go matches in linear time. It is nil for "".
func glob(pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil
	}
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case '*':
			b.WriteString(`.*`)
		case '?':
			b.WriteString(`.`)
		case '\\':
			if i++; i == len(runes) {
				return nil, errors.New(`a \ at the end takes nothing as it is; double it`)
			}
			b.WriteString(regexp.QuoteMeta(string(runes[i])))
		case '[':
			n, set, err := class(runes[i:])
			if err != nil {
				return nil, err
			}
			b.WriteString(set)
			i += n - 1
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	re, err := regexp.Compile(b.String() + `\z`)
	if err != nil {
		return nil, errors.New("a range such as [a-z] goes from the lower to the higher character")
	}
	return re, nil
}

// class parses a set such as [a-z] or [!0-9] at the beginning of a pattern. It returns how many runes it used.
func class(runes []rune) (n int, set string, err error) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if i < len(runes) && (runes[i] == '!' || runes[i] == '^') {
		b.WriteByte('^')
		i++
	}
	for begin := i; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == ']' && i > begin:
			b.WriteByte(']')
			return i + 1, b.String(), nil
		case r == '-' && i > begin && i+1 < len(runes) && runes[i+1] != ']':
			b.WriteByte('-')
		case r == '\\' && i+1 < len(runes):
			i++
			b.WriteString(`\` + hex(runes[i]))
		default:
			b.WriteString(`\` + hex(r))
		}
	}
	return 0, "", errors.New("a [ that no ] closes; write \\[ for the character itself")
}

// hex escapes a character, so that it has no special meaning in an expression.
func hex(r rune) string {
	const digits = "0123456789abcdef"
	out := ""
	for v := r; v > 0 || out == ""; v >>= 4 {
		out = string(digits[v&15]) + out
	}
	return "x{" + out + "}"
}
