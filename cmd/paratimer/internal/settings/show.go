package settings

import (
	"regexp"
	"slices"
	"strings"
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
var hidden = []string{"collect-token", "webhook", "exec", "command", "webhook-secret", "password", "serve-token", "token"}

// Concealed returns the value without secrets, and its addresses without passwords and queries.
func (v Value) Concealed() Value {
	if slices.Contains(hidden, v.Name) {
		v.Secret, v.Values = v.Values != nil, nil
		return v
	}
	v.Values = slices.Clone(v.Values)
	for i, text := range v.Values {
		if strings.Contains(text, "://") {
			text = fragment.ReplaceAllString(user.ReplaceAllString(text, "://...@"), "")
			v.Values[i] = query.ReplaceAllString(text, "?...")
		}
		if v.Name == "rm" || v.Name == "jhs" {
			v.Values[i] = nameless.ReplaceAllString(v.Values[i], "$1...@")
		}
	}
	return v
}

// Parts of an address: the user with a password, also without a scheme; the query; the fragment.
var (
	user     = regexp.MustCompile(`://[^,]*@`)
	nameless = regexp.MustCompile(`(^|,)[^,/]*@`)
	query    = regexp.MustCompile(`\?[^,]*`)
	fragment = regexp.MustCompile(`#[^,]*`)
)
