package main

import (
	"fmt"
	"os"
	"strings"
)

// kept is a section as an earlier document has it, for where what it is made of is missing. That is said out loud.
func kept(title, document, missing string) experiment {
	return experiment{title: title, write: func(p printer, _ []result) error {
		text, err := os.ReadFile(document)
		if err != nil {
			return fmt.Errorf("%s are missing, and so is an earlier document: %w", missing, err)
		}
		_, rest, found := strings.Cut(string(text), "\n## "+title+"\n\n")
		if !found {
			return fmt.Errorf("%s are missing, and %s has no section %q", missing, document, title)
		}
		section, _, _ := strings.Cut(rest, "\n## ")
		fmt.Fprintf(os.Stderr, "skewed: SKIPPED %q, as %s are missing: the section is that of %s\n", title, missing,
			document)
		p("%s", strings.TrimRight(section, "\n"))
		return nil
	}}
}
