package models

import (
	"fmt"
	"os"
	"strings"
)

// live returns the rows about Ernest in the document of `make e2e-all`, which measures a real Hadoop.
func live(document string) section {
	return section{"Ernest: on a real cluster", func(p printer) error {
		text, err := os.ReadFile(document)
		if err != nil {
			return err
		}
		var rows []string
		for l := range strings.Lines(string(text)) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(l), "|"), "|")
			if len(cells) > 6 && strings.HasPrefix(strings.TrimSpace(cells[0]), "Ernest") {
				rows = append(rows, line(strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]),
					strings.TrimSpace(cells[5]), strings.TrimSpace(cells[6])))
			}
		}
		if len(rows) == 0 {
			fmt.Fprintf(os.Stderr, "models: %s has no row of Ernest: the section says so\n", document)
			p("No run is written down in %s.", document)
		} else {
			head(p, "scenario", "total s", "load", "what was seen")
			for _, r := range rows {
				p("%s", r)
			}
		}
		p("")
		p("%s", liveWords)
		return nil
	}}
}
