// Package settings has every setting of the commands in one table, and the effective value of each with its origin. It
// reads neither files nor the environment: the caller passes their content.
package settings

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/units"
)

// A Setting is a value that some commands read: from a flag or --set, else from an environment variable, else from the
// configuration file. It is a flag of the command-line library, and keeps no value itself.
type Setting struct {
	Name     string
	Default  any      // its type is the kind of the setting; a func() flag.Value returns a value of another kind
	Help     string   // has the placeholder of a value between backquotes
	Short    string   // one letter; "" if there is none
	Choices  []string // values that completion offers; nil: any
	Open     bool     // values other than Choices are valid, too
	Most     float64  // greatest valid value of a number above 0; 0: any number is valid
	Env      string   // environment variable; "" if only the command line sets it
	Subject  string   // heading in the help
	Commands []string // those that have it, such as "history add"; nil: all
	KeyOnly  bool     // no flag: --set NAME=VALUE sets it
	// Placeholder stands for a value in the help; "" if it is in Help between backquotes.
	Placeholder string
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
		if s.Choices != nil && !s.Open {
			set.Var(&chosen{s.Default.(string), s.Choices}, name, "")
			continue
		}
		switch v := s.Default.(type) {
		case bool:
			set.Bool(name, v, "")
		case int:
			set.Int(name, v, "")
		case uint64:
			set.Uint64(name, v, "")
		case float64:
			set.Float64(name, v, "")
		case string:
			set.String(name, v, "")
		case time.Duration:
			set.Duration(name, v, "")
		case []string:
			set.Var(cli.NewStringSlice(v...), name, "")
		case []int:
			set.Var(cli.NewIntSlice(v...), name, "")
		case func() flag.Value:
			set.Var(v(), name, "")
		default:
			return fmt.Errorf("setting %s: a default of type %T", name, v)
		}
	}
	return nil
}

// Wanted describes valid values of the setting's kind; "" if any text is valid.
func (s *Setting) Wanted() string {
	if s.Choices != nil && !s.Open {
		return "one of " + strings.Join(s.Choices, ", ")
	}
	switch s.Default.(type) {
	case time.Duration:
		return "a length of time with its unit, such as 90s, 45m or 1h30m"
	case int:
		return "a whole number"
	case []int:
		return "whole numbers, such as 4 or 2,4,8"
	case uint64:
		return "a whole number, 0 or more"
	case float64:
		return "a number, such as 0.5"
	case bool:
		return "true or false"
	}
	if s.Name == "risk" {
		return "a number such as 0.9, or a percentage such as 90%"
	}
	return ""
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
	if s.Placeholder != "" {
		return s.Placeholder
	}
	if m := metasyntactic.FindStringSubmatch(s.Help); m != nil {
		return m[1]
	}
	return strings.ToUpper(s.Name[strings.LastIndexByte(s.Name, '-')+1:])
}

// Does returns the help without marks, with the choices.
func (s *Setting) Does() string {
	does := metasyntactic.ReplaceAllString(s.Help, "$1")
	if s.Choices != nil && !s.Open {
		does += ": " + strings.Join(s.Choices, ", ")
	}
	return does
}

// DefaultText returns the default, unless the help contains it. Zero means "not set", except for seeds and speeds.
func (s *Setting) DefaultText() string {
	if strings.Contains(s.Help, "(default") {
		return ""
	}
	text := ""
	switch v := s.Default.(type) {
	case bool, []string, []int, nil:
	case time.Duration:
		text = units.Full(v)
		if v == 0 {
			text = ""
		}
	case func() flag.Value:
		text = v().String()
	default:
		text = fmt.Sprint(v)
	}
	if text == "0" && s.Name != "speed" && s.Name != "seed" {
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

// Spelled returns the setting as it is typed, such as "-o, --out FILE" and "repost=TIME".
func (s *Setting) Spelled() string {
	if s.KeyOnly {
		return s.Name + "=" + s.valueOfKey()
	}
	return strings.TrimSpace(strings.Join(s.Spellings(), ", ") + " " + s.Value())
}

func (s *Setting) valueOfKey() string {
	if s.TakesValue() {
		return s.Value()
	}
	return "true"
}
