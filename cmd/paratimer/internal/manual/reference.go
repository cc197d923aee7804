package manual

import (
	"cmp"
	"slices"
	"strings"
)

// Reference returns the whole tree as Markdown, one section per command. Flags with the same meaning in several
// commands are described once, at the end.
func Reference(root *Command) string {
	return execute("reference.tmpl", map[string]any{"Root": root, "Shared": sharedFlags(root)})
}

// UnusualEnv returns the environment variables of a flag, unless its name is the usual one.
func (f *Flag) UnusualEnv() string {
	env := strings.Join(f.Env, ", ")
	if env == "PARATIMER_"+strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")) {
		return ""
	}
	return env
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

// shared are the flags that several commands describe with the same words, by name. If there are several
// descriptions of a name, it is the most common one; commands with another one have a row of their own.
type shared map[string]*Flag

// sharedFlags returns the flags of a tree that at least two commands share.
func sharedFlags(root *Command) shared {
	count := map[string]int{}
	out := shared{}
	for _, c := range root.All() {
		for i := range c.Flags {
			f := &c.Flags[i]
			count[meaning(f)]++
			if best := out[f.Name]; best == nil || count[meaning(f)] > count[meaning(best)] {
				out[f.Name] = f
			}
		}
	}
	for name, f := range out {
		if count[meaning(f)] < 2 {
			delete(out, name)
		}
	}
	return out
}

// meaning returns everything that a reader sees of a flag.
func meaning(f *Flag) string {
	return strings.Join([]string{f.Spelled(), f.Does, f.Default, strings.Join(f.Env, ",")}, "\x00")
}

// has reports whether a flag is described among the shared ones.
func (s shared) has(f *Flag) bool {
	same, found := s[f.Name]
	return found && meaning(same) == meaning(f)
}

// Others returns the flags of a command that are not described among the shared ones, by subject.
func (s shared) Others(c *Command) []section[Flag] {
	var out []section[Flag]
	for _, g := range c.FlagSections() {
		if g.All = slices.DeleteFunc(g.All, s.has); len(g.All) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// Names returns the names of a command's shared flags. A subject replaces its flags if the command has all of them
// and they are at least three.
func (s shared) Names(c *Command) []string {
	var flags []*Flag
	has := map[string]int{}
	for _, g := range c.FlagSections() {
		for _, f := range g.All {
			if s.has(f) {
				flags = append(flags, f)
				has[s[f.Name].Heading]++
			}
		}
	}
	whole := map[string]bool{}
	for _, g := range s.Sections() {
		whole[g.Heading] = len(g.All) >= 3 && has[g.Heading] == len(g.All)
	}
	var out []string
	for _, f := range flags {
		name := code("--" + f.Name)
		if h := s[f.Name].Heading; h != "" && whole[h] {
			name = "*" + h + "*"
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Sections returns the shared flags by subject, those without one first. Subjects and flags are sorted by name.
func (s shared) Sections() []section[Flag] {
	all := make([]Flag, 0, len(s))
	for _, f := range s {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(x, y Flag) int {
		return cmp.Or(strings.Compare(x.Heading, y.Heading), strings.Compare(x.Name, y.Name))
	})
	if len(all) == 0 {
		return nil
	}
	return sectioned(all, "", func(f *Flag) string { return f.Heading })
}
