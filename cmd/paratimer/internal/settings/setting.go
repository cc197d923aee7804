// Package settings has every setting of the commands in one table, the effective value of each with its origin, and
// the pages that document them: help, man pages, the reference in docs/. It receives the command tree as values, and
// reads neither files nor the environment: the caller passes their content.
package settings

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/units"
)

// A Setting is a value that some commands read: from a flag or --set, else from an environment variable, else from the
// configuration file. It is a flag of the command-line library, and keeps no value itself.
type Setting struct {
	Name     string
	Short    string   // one letter; "" if there is none
	Default  any      // its type is the kind of the setting
	Help     string   // has the placeholder of a value between backquotes
	Env      string   // environment variable; "" if only the command line sets it
	Subject  string   // heading in the help
	Commands []string // those that have it, such as "history add"; nil: all
	KeyOnly  bool     // --set NAME=VALUE sets it; a flag of that name works, but is not documented
	Limits   *Limits  // of numbers and of lengths of time; nil: none
}

// Limits are the least and the largest valid value, of a length of time in seconds. Above: the least one is excluded.
type Limits struct {
	Least, Most float64
	Above       bool
}

// A limited is a default with the limits of what may be typed.
type limited struct {
	value any
	Limits
}

func atLeast(least float64, value any) limited {
	return limited{value, Limits{least, math.Inf(1), false}}
}

func between(least, most float64, value any) limited {
	return limited{value, Limits{least, most, false}}
}

func above0(most float64, value any) limited { return limited{value, Limits{0, most, true}} }

// positive is a number above 0. It is bounded so that products of several are finite.
func positive(value float64) limited { return above0(1e12, value) }

// Kinds of settings beside bool, int, uint64, float64, string, time.Duration, and lists of strings that commas
// separate.
type (
	// OneOf are the valid values, the default first.
	OneOf []string
	// A Share is a number above 0 that may be typed as a percentage: 0.9 or 90%.
	Share float64
	// Several are values that may contain commas. Lines separate them.
	Several string
)

// ParseShare parses 0.9 or 90%.
func ParseShare(text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil {
		return 0, errors.New("it is a number such as 0.9, or a percentage such as 90%")
	}
	if percent {
		v /= 100
	}
	return v, nil
}

// String implements cli.Flag.
func (s *Setting) String() string { return s.Name }

// IsSet implements cli.Flag. The library finds out from the command line.
func (s *Setting) IsSet() bool { return false }

// Names implements cli.Flag.
func (s *Setting) Names() []string {
	if s.Short == "" {
		return []string{s.Name}
	}
	return []string{s.Name, s.Short}
}

// Apply implements cli.Flag: it adds the setting to those that a command line may have.
func (s *Setting) Apply(set *flag.FlagSet) error {
	for _, name := range s.Names() {
		switch v := s.Default.(type) {
		case []string:
			set.Var(cli.NewStringSlice(v...), name, "")
		case OneOf:
			set.Var(&value{s, v[0]}, name, "")
		default:
			set.Var(&value{s, fmt.Sprint(v)}, name, "")
		}
	}
	return nil
}

// A value is the text of a setting, valid for its kind.
type value struct {
	setting *Setting
	text    string
}

// String implements flag.Value.
func (v *value) String() string { return v.text }

// IsBoolFlag makes --name mean --name=true.
func (v *value) IsBoolFlag() bool { return !v.setting.TakesValue() }

// Set implements flag.Value. The error describes valid values.
func (v *value) Set(text string) error {
	var err error
	var number float64
	wanted := ""
	switch d := v.setting.Default.(type) {
	case OneOf:
		if !slices.Contains(d, text) {
			return fmt.Errorf("it is one of %s", strings.Join(d, ", "))
		}
	case Share:
		if number, err = ParseShare(text); err != nil {
			return err
		}
		text = fmt.Sprint(number)
	case Several:
		text = strings.TrimSpace(v.text + "\n" + text)
	case time.Duration:
		if _, err = strconv.ParseFloat(text, 64); err == nil && text != "0" {
			return fmt.Errorf("add a unit: %ss?", text)
		}
		var length time.Duration
		length, err = time.ParseDuration(text)
		number, wanted = length.Seconds(), "a length of time with its unit, such as 90s, 45m or 1h30m"
	case int:
		var n int64
		n, err = strconv.ParseInt(text, 0, 64)
		number, wanted = float64(n), "a whole number"
	case uint64:
		_, err = strconv.ParseUint(text, 0, 64)
		wanted = "a whole number, 0 or more"
	case float64:
		number, err = strconv.ParseFloat(text, 64)
		wanted = "a number, such as 0.5"
	case bool:
		_, err = strconv.ParseBool(text)
		wanted = "true or false"
	}
	if err != nil {
		return errors.New("it is " + wanted)
	}
	if err := v.setting.limit(number); err != nil {
		return err
	}
	v.text = text
	return nil
}

// limit returns an error if a number is outside the setting's limits.
func (s *Setting) limit(number float64) error {
	l := s.Limits
	_, isLength := s.Default.(time.Duration)
	_, isShare := s.Default.(Share)
	switch {
	case l == nil || number >= l.Least && number <= l.Most && !(l.Above && number == l.Least):
		return nil
	case isLength:
		return fmt.Errorf("it is %v or more", time.Duration(l.Least*float64(time.Second)))
	case isShare:
		return fmt.Errorf("it is more than 0, and %g at most, such as 0.9 or 90%%", l.Most)
	case l.Above:
		return fmt.Errorf("it is more than 0, and %g at most", l.Most)
	case math.IsInf(l.Most, 1):
		return fmt.Errorf("it is %g or more", l.Least)
	}
	return fmt.Errorf("it is %g to %g", l.Least, l.Most)
}

// TakesValue reports whether the flag has a value.
func (s *Setting) TakesValue() bool {
	_, isSwitch := s.Default.(bool)
	return !isSwitch
}

// metasyntactic matches a placeholder of a value between backquotes. Other words between backquotes are commands.
var metasyntactic = regexp.MustCompile("`([^`a-z]+|JOB:m3@195s|SHELL COMMAND)`")

// Value returns the placeholder of the setting's value, such as FILE: the last word of its name if its help has none;
// "" for a switch.
func (s *Setting) Value() string {
	if !s.TakesValue() {
		return ""
	}
	if m := metasyntactic.FindStringSubmatch(s.Help); m != nil {
		return m[1]
	}
	return strings.ToUpper(s.Name[strings.LastIndexByte(s.Name, '-')+1:])
}

// Does returns the help without marks, with the choices.
func (s *Setting) Does() string {
	does := metasyntactic.ReplaceAllString(s.Help, "$1")
	if choices, ok := s.Default.(OneOf); ok {
		does += ": " + strings.Join(choices, ", ")
	}
	return does
}

// DefaultText returns the default, unless the help contains it. Zero means "not set", except for seeds and speeds.
func (s *Setting) DefaultText() string {
	text := ""
	switch v := s.Default.(type) {
	case bool, []string:
	case OneOf:
		text = v[0]
	case time.Duration:
		text = units.Full(v)
	default:
		text = fmt.Sprint(v)
	}
	isUnset := text == units.Full(0) || text == "0" && s.Name != "speed" && s.Name != "seed"
	if isUnset || strings.Contains(s.Help, "(default") {
		return ""
	}
	return text
}

// Says returns what the setting does, with its default.
func (s *Setting) Says() string {
	if s.DefaultText() == "" {
		return s.Does()
	}
	return s.Does() + " (default: " + s.DefaultText() + ")"
}

// Spellings returns the flag's names with their dashes, short ones first; of a setting without a flag, its name.
func (s *Setting) Spellings() []string {
	switch {
	case s.KeyOnly:
		return []string{s.Name}
	case s.Short != "":
		return []string{"-" + s.Short, "--" + s.Name}
	}
	return []string{"--" + s.Name}
}

// Typed returns the name as it is typed, with its dashes.
func (s *Setting) Typed() string { return s.Spellings()[len(s.Spellings())-1] }

// Spelled returns the setting as it is typed, such as "-o, --out FILE" and "repost=TIME".
func (s *Setting) Spelled() string {
	switch {
	case s.KeyOnly && s.TakesValue():
		return s.Name + "=" + s.Value()
	case s.KeyOnly:
		return s.Name + "=true"
	}
	return strings.TrimSpace(strings.Join(s.Spellings(), ", ") + " " + s.Value())
}
