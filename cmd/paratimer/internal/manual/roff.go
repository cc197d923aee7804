package manual

import (
	"strings"
)

// A Release describes the program in a man page.
type Release struct {
	Version string
	Date    string // of the program, YYYY-MM-DD; "" if unknown
}

// Man returns a command's man page, in the man macros of roff.
func Man(root, c *Command, r Release) string {
	return execute("man.tmpl", map[string]any{"Root": root, "Command": c, "Release": r})
}

// roffText returns a paragraph in lines of the usual width.
func roffText(s string) string {
	lines := strings.Split(Wrap(escape(s), "", ""), "\n")
	for i, line := range lines {
		lines[i] = guarded(line)
	}
	return strings.Join(lines, "\n")
}

// Related returns the pages of the command above c, and of its other commands under the heading of c.
func (c *Command) Related(to *Command) []string {
	if to.Path == c.Path {
		return nil
	}
	above := c
	for _, word := range strings.Fields(to.Path)[1:strings.Count(to.Path, " ")] {
		above = above.Find(word)
	}
	names := []string{above.Page()}
	for _, sub := range above.Visible() {
		if sub.Path != to.Path && sub.Heading == to.Heading {
			names = append(names, sub.Page())
		}
	}
	return names
}

// escape escapes the characters that are special in roff. A dash remains one that can be copied.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ", "`", `\(ga`, "'", `\(aq`, "^", `\(ha`, "~",
		`\(ti`).Replace(s)
}

// guarded prevents a line's first character from starting a request.
func guarded(s string) string {
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, `\(aq`) {
		return `\&` + s
	}
	return s
}

func quoted(s string) string { return `"` + strings.ReplaceAll(escape(s), `"`, `\(dq`) + `"` }
