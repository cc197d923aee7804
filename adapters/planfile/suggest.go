package planfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// unknownField returns the message for an unknown field at a path, and the field that it probably stands for.
func unknownField(name string, path, known []string) (why, meant string) {
	slices.Sort(known)
	why = "unknown field " + quote(name)
	if len(path) > 0 {
		why += " in " + pathString(path)
	}
	if meant = Nearest(name, known); meant != "" {
		return fmt.Sprintf("%s; did you mean %s?", why, quote(meant)), meant
	}
	return fmt.Sprintf("%s; known here: %s", why, strings.Join(known, ", ")), ""
}

// similar is the least similarity of a name to what it may stand for.
const similar = 0.8

// Nearest returns the most similar candidate for a misspelt name, or "" if none is similar.
func Nearest(name string, candidates []string) string {
	best, most := "", similar
	plain := func(s string) string { return strings.ToLower(s[:min(len(s), 100)]) }
	for _, c := range candidates {
		// The measure of Jaro and Winkler for names: at most 4 equal letters at the beginning raise it.
		if s := smetrics.JaroWinkler(plain(name), plain(c), 0.7, 4); s > most {
			best, most = c, s
		}
	}
	return best
}
