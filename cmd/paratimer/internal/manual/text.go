package manual

import (
	"fmt"
	"strings"
)

// A Text is the documentation of a command beside its flags.
type Text struct {
	Paragraphs []string
	Examples   []Example
	Notes      []Note // e.g. exit codes, files
}

// An Example is a working command line with its purpose.
type Example struct{ For, Line string }

// A Note is a section of its own. A paragraph "TERM: words", with a term without spaces, is a list item.
type Note struct {
	Heading    string
	Paragraphs []string
}

// ParseTexts parses the texts of commands, by path. "# PATH" begins one, "## HEADING" a note in it. Empty lines
// separate paragraphs. A paragraph with a line "$ COMMAND" has examples, each after its purpose.
func ParseTexts(s string) (map[string]Text, error) {
	all := map[string]Text{}
	path, note := "", -1
	for i, block := range strings.Split(strings.TrimSpace(s), "\n\n") {
		block = strings.TrimSpace(block)
		t, known := all[path]
		switch {
		case strings.HasPrefix(block, "# "):
			path, note = block[2:], -1
			if _, twice := all[path]; twice || strings.Contains(path, "\n") {
				return nil, fmt.Errorf("block %d: %q: twice, or more than a name", i+1, path)
			}
			t = Text{}
		case !known:
			return nil, fmt.Errorf("block %d: it belongs to no command: %q", i+1, block)
		case strings.HasPrefix(block, "## "):
			t.Notes = append(t.Notes, Note{Heading: block[3:]})
			note = len(t.Notes) - 1
		case strings.HasPrefix(block, "$ "), strings.Contains(block, "\n$ "):
			t.Examples = append(t.Examples, examples(block)...)
		case note >= 0:
			t.Notes[note].Paragraphs = append(t.Notes[note].Paragraphs, joined(block))
		default:
			t.Paragraphs = append(t.Paragraphs, joined(block))
		}
		all[path] = t
	}
	return all, nil
}

func examples(block string) []Example {
	var all []Example
	why := ""
	for _, line := range strings.Split(block, "\n") {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, Example{For: why, Line: command})
			why = ""
			continue
		}
		why = strings.TrimSpace(why + " " + line)
	}
	return all
}

func joined(block string) string { return strings.Join(strings.Fields(block), " ") }
