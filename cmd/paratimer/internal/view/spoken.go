package view

import (
	"regexp"
	"strings"
	"time"

	"github.com/paratimer/paratimer/units"
)

// spoken formats a remaining time for screen readers: units in words, and no symbols, which are read aloud by their
// names or not at all.
func (s shown) spoken() string {
	text, between := spell(units.Short(s.mid)), "between "+spell(units.Short(s.low))+" and "+spell(units.Short(s.high))
	switch {
	case s.kind == shownNothing:
		return "not known yet how much is left"
	case s.kind == shownFloor:
		text = "at least " + text
	case s.kind == shownCeiling:
		text = "up to " + text
	case s.kind == shownBetween:
		text = between
	case s.mid >= time.Second:
		text = "about " + text
	}
	text += " left"
	if s.kind == shownRange {
		text += ", " + between
	}
	switch s.doubt {
	case "":
		return text
	case "rough":
		return text + ", roughly"
	}
	return text + ", in a " + s.doubt
}

var (
	amount = regexp.MustCompile(`[+-]?<?\b(?:\d+h(?:\d+m)?(?:\d+s)?|\d+m(?:\d+s)?|\d+s)\b`)
	part   = regexp.MustCompile(`(\d+)([hms])`)
	words  = map[string]string{"h": "hour", "m": "minute", "s": "second"}
)

// spell writes a brief length of time in words: "1m30s" is "1 minute 30 seconds", "+5s" is "5 seconds later".
func spell(brief string) string {
	sign := ""
	switch {
	case strings.HasPrefix(brief, "+"):
		sign = " later"
	case strings.HasPrefix(brief, "-"):
		sign = " earlier"
	}
	if strings.Contains(brief, "<") {
		return "less than a second" + sign
	}
	var out []string
	for _, w := range part.FindAllStringSubmatch(brief, -1) {
		unit := words[w[2]]
		if w[1] != "1" {
			unit += "s"
		}
		out = append(out, w[1]+" "+unit)
	}
	return strings.Join(out, " ") + sign
}

// spellOut spells all lengths of time and percentages in a text of the program.
func spellOut(text string) string {
	text = amount.ReplaceAllStringFunc(text, spell)
	return strings.ReplaceAll(text, " %", " percent")
}
