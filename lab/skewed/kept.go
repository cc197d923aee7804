package skewed

import (
	"fmt"
	"os"
	"strings"
)

// kept returns a section copied from an earlier document, because its input data are missing. It prints a notice.
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
