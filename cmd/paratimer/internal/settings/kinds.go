package settings

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A chosen value is one of a few.
type chosen struct {
	text    string
	choices []string
}

// Set implements flag.Value.
func (v *chosen) Set(text string) error {
	if !slices.Contains(v.choices, text) {
		return fmt.Errorf("it is one of %s", strings.Join(v.choices, ", "))
	}
	v.text = text
	return nil
}

// String implements flag.Value.
func (v *chosen) String() string { return v.text }

// A Share is a number or a percentage: 0.9 or 90%.
type Share struct{ Value float64 }

// Set parses 0.9 or 90%.
func (s *Share) Set(text string) error {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil {
		return errors.New("give a number such as 0.9 or 90%")
	}
	if percent {
		v /= 100
	}
	s.Value = v
	return nil
}

// String returns the number.
func (s *Share) String() string { return strconv.FormatFloat(s.Value, 'g', -1, 64) }

func newShare() flag.Value { return &Share{0.9} }

// Lines are values that may contain anything. In the environment they are separated by lines.
type Lines []string

// Set adds the lines of a text.
func (v *Lines) Set(text string) error {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			*v = append(*v, line)
		}
	}
	return nil
}

// String returns the values, a line each.
func (v *Lines) String() string { return strings.Join(*v, "\n") }

func newLines() flag.Value { return new(Lines) }

// Tuples are values that contain commas, at which lists of the command-line library would be split. In the environment
// they are separated by spaces.
type Tuples []string

// Set adds the tuples of a text.
func (t *Tuples) Set(text string) error {
	*t = append(*t, strings.Fields(strings.ReplaceAll(text, ", ", ","))...)
	return nil
}

// String returns the values, separated by spaces.
func (t *Tuples) String() string { return strings.Join(*t, " ") }

func newTuples() flag.Value { return new(Tuples) }
