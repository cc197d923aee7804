package manual

import (
	"fmt"
	"strings"
)

// A Release describes the program in a man page.
type Release struct {
	Version string
	Date    string // of the program, YYYY-MM-DD; "" if unknown
}

// Man returns a command's man page, in the man macros of roff.
func Man(root, c *Command, r Release) string {
	p := &page{}
	p.line(".TH %s 1 %s %s %s", quoted(strings.ToUpper(c.Page())), `"`+r.Date+`"`, quoted("paratimer "+r.Version),
		quoted("ParaTimer Manual"))
	p.heading("NAME")
	p.b.WriteString(escape(c.Page()) + " \\- " + escape(c.Does) + "\n") // one line, for programs that parse it
	p.heading("SYNOPSIS")
	p.line(".B %s", quoted(c.Path))
	p.text(strings.TrimPrefix(c.synopsis(), c.Path+" "))
	p.heading("DESCRIPTION")
	if len(c.Text.Paragraphs) == 0 {
		p.text(sentence(c.Does))
	}
	for i, par := range c.Text.Paragraphs {
		if i > 0 {
			p.line(".PP")
		}
		p.text(par)
	}
	p.commands(c)
	if len(c.Flags) > 0 {
		p.heading("OPTIONS")
		p.flags(c)
	}
	if c.Path != root.Path {
		p.line(".SS %s", quoted("Of every command"))
		for i := range root.Flags {
			p.flag(&root.Flags[i])
		}
	}
	for _, n := range c.Text.Notes {
		p.heading(strings.ToUpper(n.Heading))
		for i, par := range n.Paragraphs {
			p.note(par, i)
		}
	}
	if len(c.Text.Examples) > 0 {
		p.heading("EXAMPLES")
		for i, e := range c.Text.Examples {
			if i > 0 {
				p.line(".PP")
			}
			if e.For != "" {
				p.text(sentence(e.For))
				p.line(".PP")
			}
			p.b.WriteString(".RS 4\n.nf\n" + guarded(escape(e.Line)) + "\n.fi\n.RE\n")
		}
	}
	p.seeAlso(root, c)
	return p.b.String()
}

// A page is a roff document under construction.
type page struct{ b strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *page) heading(s string) { p.line(".SH %s", quoted(s)) }

// text writes a paragraph in lines of the usual width.
func (p *page) text(s string) {
	for _, line := range strings.Split(Wrap(escape(s), "", ""), "\n") {
		p.b.WriteString(guarded(line) + "\n")
	}
}

func (p *page) commands(c *Command) {
	if len(c.Commands) == 0 {
		return
	}
	p.heading("COMMANDS")
	for _, s := range c.sections() {
		if len(c.sections()) > 1 {
			p.line(".SS %s", quoted(s.heading))
		}
		for _, sub := range s.all {
			p.line(".TP\n.BR %s (1)", quoted(sub.Page()))
			p.text(sub.Does)
		}
	}
}

func (p *page) flags(c *Command) {
	for _, s := range c.flagSections() {
		if s.heading != "Flags" {
			p.line(".SS %s", quoted(s.heading))
		}
		for _, f := range s.all {
			p.flag(f)
		}
	}
}

func (p *page) flag(f *Flag) {
	p.line(".TP")
	names := f.Spellings()
	for i, s := range names {
		names[i] = `\fB` + escape(s) + `\fR`
	}
	spelled := strings.Join(names, ", ")
	if f.Value != "" {
		spelled += ` \fI` + escape(f.Value) + `\fR`
	}
	p.line("%s", spelled)
	p.text(f.says())
	if len(f.Env) > 0 {
		p.line(".br")
		p.text("Environment: " + strings.Join(f.Env, ", "))
	}
}

// note writes a paragraph, or a term and its meaning.
func (p *page) note(par string, i int) {
	if term, means, ok := term(par); ok {
		p.line(".TP\n.B %s", quoted(term))
		p.text(means)
		return
	}
	if i > 0 {
		p.line(".PP")
	}
	p.text(par)
}

func (p *page) seeAlso(root, c *Command) {
	var names []string
	if c.Path != root.Path {
		above := root.Find(strings.Fields(c.Path)[1 : len(strings.Fields(c.Path))-1])
		names = append(names, above.Page())
		for i := range above.Commands {
			if sub := &above.Commands[i]; sub.Path != c.Path && sub.Heading == c.Heading {
				names = append(names, sub.Page())
			}
		}
	}
	if len(names) == 0 {
		return
	}
	p.heading("SEE ALSO")
	for i, n := range names {
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		p.line(".BR %s (1)%s", quoted(n), comma)
	}
}

// term splits "TERM: words"; a term has no space.
func term(par string) (term, means string, ok bool) {
	term, means, ok = strings.Cut(par, ": ")
	return term, means, ok && !strings.ContainsAny(term, " ")
}

func sentence(s string) string {
	s = strings.ToUpper(s[:1]) + s[1:]
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, ":") {
		return s
	}
	return s + "."
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
