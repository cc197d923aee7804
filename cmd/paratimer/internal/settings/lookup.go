package settings

import (
	"slices"
	"strings"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/units"
)

// Values of --estimators that are not names of estimators.
const (
	// OwnEstimators are ParaTimer's scenarios.
	OwnEstimators = "own"
	// AllEstimators are those and the others, for comparison.
	AllEstimators = "all"
)

// EstimatorNames returns the names of all estimators, ParaTimer's own first, standard before all.
func EstimatorNames() []string {
	all := slices.Concat(estimators.Scenarios(), paper.Others())
	return units.Each(all, func(s estimators.Scenario) string { return s.Name })
}

// Offers returns values that completion offers.
func (s *Setting) Offers() []string {
	if s.Name == "estimators" {
		return append([]string{OwnEstimators, AllEstimators}, EstimatorNames()...)
	}
	choices, _ := s.Default.(OneOf)
	return choices
}

// Variable returns the usual environment variable of a setting. PARATIMER_GOLDEN, PARATIMER_RECORDINGS and
// PARATIMER_FOREIGN belong to the tests: no setting has these names.
func Variable(name string) string {
	return "PARATIMER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// all has the settings of the tables.
var all = units.Each(slices.Concat(liveRows, runRows), settingOf)

// settingOf returns the setting of a row of the tables.
func settingOf(r row) *Setting {
	name, letter, _ := strings.Cut(r.name, ", ")
	s := &Setting{Name: strings.TrimRight(name, "=!"), Short: letter, Default: r.value, Help: r.help}
	if l, ok := r.value.(limited); ok {
		s.Default, s.Limits = l.value, &l.Limits
	}
	s.KeyOnly = strings.HasSuffix(name, "=")
	if !strings.HasSuffix(name, "!") {
		s.Env = Variable(s.Name)
	}
	if s.Name == "collect" { // PARATIMER_COLLECT is where taps send to. It must not make watchers listen there.
		s.Env = Variable("collect-address")
	}
	subject, commands, ok := strings.Cut(r.on, ": ")
	if !ok {
		subject, commands = "", r.on
	}
	s.Subject = subject
	if commands != "" {
		s.Commands = strings.Split(commands, ", ")
	}
	return s
}

// All returns every setting, by name.
func All() []*Setting {
	byName := func(a, b *Setting) int { return strings.Compare(a.Name, b.Name) }
	return slices.SortedStableFunc(slices.Values(all), byName)
}

// Of returns the settings of a command, such as "history add"; of "", those of every command.
func Of(command string) (of []*Setting) {
	for _, s := range all {
		if slices.Contains(s.Commands, command) || command == "" && s.Commands == nil {
			of = append(of, s)
		}
	}
	return of
}

// Lookup returns the setting of a command with a name, which may have dashes before it and =value after it. It returns
// nil if there is none.
func Lookup(command, arg string) *Setting { return named(Of(command), arg) }

// Any returns a setting of any command by its name, as Lookup does; nil if there is none. Settings of every command
// come first.
func Any(arg string) *Setting { return named(all, arg) }

func named(settings []*Setting, arg string) *Setting {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, s := range settings {
		if slices.Contains(s.Names(), name) {
			return s
		}
	}
	return nil
}

// Owners returns the commands that have a setting with a name.
func Owners(name string) []string {
	var out []string
	for _, s := range all {
		if s.Name == name {
			out = append(out, s.Commands...)
		}
	}
	return out
}

// Names returns the names of all settings that a file may set, sorted.
func Names() []string {
	settable := slices.DeleteFunc(All(), func(s *Setting) bool { return !s.Settable() })
	return slices.Compact(units.Each(settable, func(s *Setting) string { return s.Name }))
}

// Settable reports whether a file may have the setting.
func (s *Setting) Settable() bool { return s.Env != "" && s.Name != "config" }
