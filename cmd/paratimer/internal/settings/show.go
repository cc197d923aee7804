package settings

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// Where a value is from.
const (
	Flag        = "flag"
	Environment = "environment"
	File        = "file"
	Default     = "default"
)

// A Value is the effective value of a setting.
type Value struct {
	Name     string   `json:"name"`
	Values   []string `json:"values"` // several if it may be repeated; null: none is set
	Secret   bool     `json:"secret"` // its values are not shown
	Origin   string   `json:"origin"`
	Source   *string  `json:"source"`   // the flag, the variable, or file:line
	Commands []string `json:"commands"` // those that have it; empty: all
	// Differs means that its default differs between commands.
	Differs bool `json:"default_differs"`
}

// hidden are settings with a value that may be, or contain, a secret.
var hidden = []string{"collect-token", "webhook", "exec", "command", "webhook-secret", "password", "serve-token"}

// Concealed returns the setting without secrets, and its addresses without passwords and queries.
func (s Value) Concealed() Value {
	if s.Values == nil {
		return s
	}
	s.Values = slices.Clone(s.Values)
	for i, v := range s.Values {
		if slices.Contains(hidden, s.Name) {
			s.Secret = true
			s.Values[i] = ""
		} else {
			s.Values[i] = Place(v)
			if s.Name == "rm" || s.Name == "jhs" {
				s.Values[i] = nameless.ReplaceAllString(s.Values[i], "$1...@")
			}
		}
	}
	if s.Secret {
		s.Values = nil
	}
	return s
}

// nameless matches the user in an address without a scheme.
var nameless = regexp.MustCompile(`(^|,)[^,/]*@`)

// Place removes passwords and queries from one or more addresses. Other values stay as they are.
func Place(v string) string {
	parts := strings.Split(v, ",")
	for i, p := range parts {
		if !strings.Contains(p, "://") {
			continue
		}
		u, err := url.Parse(strings.TrimSpace(p))
		if err != nil {
			parts[i] = "(an address that cannot be read)"
			continue
		}
		if u.User != nil {
			u.User = url.User("...")
		}
		if u.RawQuery != "" {
			u.RawQuery = "..."
		}
		u.Fragment = ""
		parts[i] = u.String()
	}
	return strings.Join(parts, ",")
}

// A List is what `paratimer config` prints.
type List struct {
	File     *string  `json:"file"` // the file that was read; null: none
	Settings []Value  `json:"settings"`
	Notes    []string `json:"notes"` // errors and surprises
}

// JSON writes the list as one object.
func (l List) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(l)
}

// Text writes a setting a line: those that are set, then the defaults, then those without a value. With origin it
// adds where each comes from.
func (l List) Text(w io.Writer, origin bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	groups := [3][]Value{}
	for _, s := range l.Settings {
		g := 0
		if s.Origin == Default {
			if g = 1; s.Values == nil && !s.Differs {
				g = 2
			}
		}
		groups[g] = append(groups[g], s)
	}
	if len(groups[0]) == 0 {
		fmt.Fprintln(t, "nothing is set; these are the defaults:")
	}
	apart := false
	for _, g := range groups {
		if apart && len(g) > 0 {
			fmt.Fprintln(t)
		}
		apart = len(g) > 0
		for _, s := range g {
			line := s.Name + "\t" + s.value()
			if origin {
				line += "\t" + s.from()
			}
			fmt.Fprintln(t, line)
		}
	}
	return t.Flush()
}

func (s Value) value() string {
	switch {
	case s.Secret:
		return "(set, not shown)"
	case s.Differs:
		return "(by command)"
	case s.Values == nil:
		return "-"
	}
	return strings.Join(s.Values, ", ")
}

func (s Value) from() string {
	if s.Source == nil {
		return s.Origin
	}
	return s.Origin + " " + *s.Source
}
