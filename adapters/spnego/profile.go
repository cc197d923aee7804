package spnego

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// A setting is one line of krb5.conf: its value and its path, which is the section, the names of braces and its own
// name.
type setting struct {
	path  []string
	value string
	at    string // file:line
}

// A profile is the settings of krb5.conf and of the files that it includes, in their order.
// https://web.mit.edu/kerberos/krb5-latest/doc/admin/conf_files/krb5_conf.html
type profile struct {
	settings []setting
	files    int
}

const (
	maxDepth = 10  // includes in includes
	maxFiles = 200 // in all
)

// readProfile reads files that are separated by colons, as in KRB5_CONFIG. Absent files are skipped, unless all are
// absent.
func readProfile(names string) (*profile, error) {
	p := &profile{}
	for _, name := range filepath.SplitList(names) {
		if !exists(name) {
			continue
		}
		if err := p.read(name, 0); err != nil {
			return nil, &Error{
				Text: "Kerberos' configuration: " + err.Error(),
				Hint: "set it right, or set KRB5_CONFIG to another file", Err: err,
			}
		}
	}
	if p.files == 0 {
		return nil, &Error{
			Text: "there is no Kerberos configuration: " + names,
			Hint: "take krb5.conf from a machine of the cluster, and set KRB5_CONFIG to it",
		}
	}
	return p, nil
}

func (p *profile) read(name string, depth int) error {
	if p.files++; p.files > maxFiles || depth > maxDepth {
		return fmt.Errorf("%s: too many files include each other", name)
	}
	b, err := readFile(name)
	if err != nil {
		return fmt.Errorf("%s: %s", name, why(err))
	}
	var path []string // the section, then braces
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		line = uncomment(line)
		at := fmt.Sprintf("%s:%d", name, n)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case word == "include", word == "includedir":
			if err := p.include(word, strings.TrimSpace(rest), at, depth); err != nil {
				return err
			}
		case word == "module":
			return fmt.Errorf("%s: settings of a module cannot be read", at)
		case line[0] == '[':
			section, _, closed := strings.Cut(line[1:], "]")
			if !closed || len(path) > 1 {
				return fmt.Errorf("%s: a section stands where none can: %s", at, short(line))
			}
			path = []string{strings.TrimSpace(section)}
		case strings.TrimSuffix(line, "*") == "}":
			if len(path) < 2 {
				return fmt.Errorf("%s: a } without {", at)
			}
			path = path[:len(path)-1]
		default:
			tag, value, ok := strings.Cut(line, "=")
			tag = strings.TrimSuffix(strings.TrimSpace(tag), "*")
			value = strings.TrimSpace(value)
			if !ok || tag == "" || len(path) == 0 || len(path) > maxDepth {
				return fmt.Errorf("%s: neither a section nor NAME = VALUE: %s", at, short(line))
			}
			full := append(slices.Clone(path), tag)
			if value == "{" {
				path = full
				continue
			}
			p.settings = append(p.settings, setting{full, strings.Trim(value, `"`), at})
		}
	}
	if len(path) > 1 {
		return fmt.Errorf("%s: a { is not closed: %s", name, path[len(path)-1])
	}
	return nil
}

var (
	trailing = regexp.MustCompile(`\s[#;].*`)
	included = regexp.MustCompile(`^[A-Za-z0-9_-]+$|^[^.].*\.conf$`)
)

// uncomment trims a line. MIT has comments on lines of their own only, but people write others too.
func uncomment(line string) string {
	line = strings.TrimSpace(strings.ReplaceAll(line, "\t", " "))
	if line == "" || line[0] == '#' || line[0] == ';' {
		return ""
	}
	return strings.TrimSpace(trailing.ReplaceAllString(line, ""))
}

// include reads a file or, for a folder, the files that MIT reads, in the order of their names.
func (p *profile) include(kind, name, at string, depth int) error {
	if !filepath.IsAbs(name) {
		return fmt.Errorf("%s: %s takes an absolute path, not %q", at, kind, name)
	}
	if kind == "include" {
		if err := p.read(name, depth+1); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		return nil
	}
	entries, err := os.ReadDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // packages' defaults name folders that few systems have
	}
	if err != nil {
		return fmt.Errorf("%s: includedir %s: %s", at, name, why(err))
	}
	for _, e := range entries {
		if e.IsDir() || !included.MatchString(e.Name()) {
			continue
		}
		if err := p.read(filepath.Join(name, e.Name()), depth+1); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	return nil
}

// get returns the setting with this path; if there are several, the first, as with MIT.
func (p *profile) get(path ...string) (setting, bool) {
	i := slices.IndexFunc(p.settings, func(s setting) bool { return slices.Equal(s.path, path) })
	if i < 0 {
		return setting{}, false
	}
	return p.settings[i], true
}

// all returns each value with this path.
func (p *profile) all(path ...string) (out []string) {
	for _, s := range p.settings {
		if slices.Equal(s.path, path) {
			out = append(out, s.value)
		}
	}
	return out
}

// short returns foreign text as errors quote it: the first line, cut to 60 characters.
func short(s string) string { return input.OneLine(s, 60) }
