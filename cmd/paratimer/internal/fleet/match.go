package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/naming"
)

// A Match selects the workflows of a rule. An empty pattern matches everything.
type Match struct {
	Name   string `plan:"name" json:"name,omitempty" length:"1-256" title:"a pattern of at most 256 characters, such as \"nightly_*\""`
	User   string `plan:"user" json:"user,omitempty" length:"1-256" title:"a pattern of at most 256 characters, such as \"nightly_*\""`
	Queue  string `plan:"queue" json:"queue,omitempty" length:"1-256" title:"a pattern of at most 256 characters, such as \"nightly_*\""`
	Engine string `plan:"engine" json:"engine,omitempty" words:"MapReduce,Tez,Spark"`

	name, user, queue *regexp.Regexp
}

// A Workflow is the data that rules match a workflow by.
type Workflow struct {
	ID    string // the engine's
	Name  string // without the engine's prefix
	App   string // the name of its application, e.g. PigLatin:nightly_etl.pig; "" if unknown
	User  string
	Queue string // the queue's path
	// Engine runs it: "Tez", "Spark"; "" is MapReduce.
	Engine string
}

// compile compiles the patterns and passes errors on, with the pattern's key.
func (m *Match) compile(fail func(key string, err error)) {
	for _, p := range []struct {
		key, pattern string
		to           **regexp.Regexp
	}{{"name", m.Name, &m.name}, {"user", m.User, &m.user}, {"queue", m.Queue, &m.queue}} {
		var err error
		if *p.to, err = Glob(p.pattern); err != nil {
			fail(p.key, fmt.Errorf("match.%s %q: %w", p.key, p.pattern, err))
		}
	}
}

// Matches reports whether the rule applies to a workflow, by one of its names.
func (m *Match) Matches(w Workflow) bool {
	names := slices.DeleteFunc([]string{w.App, pigName(w)}, func(name string) bool { return name == "" })
	return (m.Engine == "" || m.Engine == cmp.Or(w.Engine, "MapReduce")) && matches(m.user, w.User) &&
		(matches(m.queue, w.Queue) || matches(m.queue, strings.TrimPrefix(w.Queue, "root."))) &&
		slices.ContainsFunc(append(names, w.Name), func(name string) bool { return matches(m.name, name) })
}

// pigID is the prefix of the id of a Pig script's workflow.
const pigID = "pig_"

// pigName returns the application name of a Pig script, as the cluster lists it.
func pigName(w Workflow) string {
	if w.App == "" && strings.HasPrefix(w.ID, pigID) {
		return naming.PigApp(w.Name)
	}
	return naming.PigScript(w.App)
}

func matches(re *regexp.Regexp, s string) bool { return re == nil || re.MatchString(s) }

// wildcards converts a pattern whose characters regexp.QuoteMeta has escaped. A \ takes the next character as it is.
var wildcards = strings.NewReplacer(`\\\\`, `\\`, `\\\*`, `\*`, `\\\?`, `\?`, `\\\[`, `\[`, `\\\]`, `\]`, `\\`, ``,
	`\*`, `.*`, `\?`, `.`, `\[!`, `[^`, `\[\^`, `[^`, `\[\]`, `[\]`, `\[`, `[`, `\]`, `]`)

// Glob converts a pattern to a regular expression, which Go matches in linear time. It is nil for "". In a set such as
// [a-z] or [!0-9], * and ? need a \.
func Glob(pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil
	}
	re, err := regexp.Compile(`(?s)\A` + wildcards.Replace(regexp.QuoteMeta(pattern)) + `\z`)
	if err != nil {
		return nil, errors.New(`a [ that no ] closes, or a range such as [a-z] that goes from the higher to the lower ` +
			`character; write \[ for the character itself`)
	}
	return re, nil
}
