package manual

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// Reference returns the whole tree as Markdown, one section per command. Flags with the same meaning in several
// commands are described once, at the end.
func Reference(root *Command) string {
	return execute("reference.tmpl", map[string]any{"Root": root, "Shared": sharedSettings(root)})
}

// unusualEnv returns the environment variable of a setting, unless it is the usual one.
func unusualEnv(s *settings.Setting) string {
	if s.Env == settings.Variable(s.Name) {
		return ""
	}
	return s.Env
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}

// cell returns Markdown for a cell of a table.
func cell(s string) string { return strings.ReplaceAll(markdown(s), "|", `\|`) }

// markdown escapes markup. Words between backquotes stay code.
func markdown(s string) string {
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;").Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// own returns the settings that are described with the command, by subject.
func own(c *Command) []section[settings.Setting] {
	alone := *c
	alone.Flags = slices.DeleteFunc(slices.Clone(c.Flags), (*settings.Setting).IsShared)
	return alone.FlagSections()
}

// sharedNames returns the names of the command's other settings. A subject stands for all of its settings.
func sharedNames(root, c *Command) []string {
	var out []string
	for _, group := range sharedSettings(root) {
		has := slices.DeleteFunc(slices.Clone(group.All), func(s *settings.Setting) bool {
			return !slices.Contains(c.Flags, s)
		})
		if len(has) == len(group.All) && group.Heading != "" {
			out = append(out, "*"+group.Heading+"*")
			continue
		}
		for _, s := range has {
			out = append(out, code(s.Spellings()[len(s.Spellings())-1]))
		}
	}
	return out
}

// sharedSettings returns the settings of several commands by subject, those without one first.
func sharedSettings(root *Command) []section[settings.Setting] {
	var all []*settings.Setting
	for _, c := range root.All() {
		for _, s := range c.Flags {
			if s.IsShared() && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y *settings.Setting) int {
		return cmp.Or(strings.Compare(x.Subject, y.Subject), strings.Compare(x.Name, y.Name))
	})
	return sectioned(all, "", func(s *settings.Setting) string { return s.Subject })
}
