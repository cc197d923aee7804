package models

import (
	"fmt"
	"os"
	"strings"
)

// kept returns a section copied from an earlier document, because its input data are missing. It prints a notice.
func kept(title, document, missing string) section {
	return section{title, func(p printer) error {
		text, err := os.ReadFile(document)
		if err != nil {
			return fmt.Errorf("%s is missing, and so is an earlier document: %w", missing, err)
		}
		_, rest, found := strings.Cut(string(text), "\n## "+title+"\n\n")
		if !found {
			return fmt.Errorf("%s is missing, and %s has no section %q", missing, document, title)
		}
		old, _, _ := strings.Cut(rest, "\n## ")
		fmt.Fprintf(os.Stderr, "models: SKIPPED %q, as %s is missing: the section is that of %s\n", title, missing,
			document)
		p("%s", strings.TrimRight(old, "\n"))
		return nil
	}}
}
