package spnego

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/units"
)

// A conf is the settings of krb5.conf that a client needs.
type conf struct {
	*profile
	realm     string // default_realm, "" if there is none
	cacheName string // default_ccache_name, its variables not expanded
	keytab    string // default_client_keytab_name
	etypes    []int32
	gokrb5    *config.Config
}

// defaultEtypes are the kinds of encryption if krb5.conf sets none, the preferred first.
var defaultEtypes = []int32{
	etypeID.AES256_CTS_HMAC_SHA1_96, etypeID.AES128_CTS_HMAC_SHA1_96, etypeID.AES256_CTS_HMAC_SHA384_192,
	etypeID.AES128_CTS_HMAC_SHA256_128,
}

// loadConf reads the files in KRB5_CONFIG, else /etc/krb5.conf.
func loadConf(getenv func(string) string) (*conf, error) {
	p, err := readProfile(cmp.Or(getenv("KRB5_CONFIG"), "/etc/krb5.conf"))
	if err != nil {
		return nil, err
	}
	one := func(name string) string { s, _ := p.get(name); return s.value }
	c := &conf{
		profile: p, realm: one("default_realm"), cacheName: one("default_ccache_name"),
		keytab: one("default_client_keytab_name"), etypes: defaultEtypes, gokrb5: config.New(),
	}
	if err := c.chooseEtypes(); err != nil {
		return nil, err
	}
	for _, s := range p.settings {
		if len(s.path) == 2 && s.path[0] == "domain_realm" && c.gokrb5.DomainRealm[s.path[1]] == "" {
			c.gokrb5.DomainRealm[s.path[1]] = s.value
		}
	}
	l := &c.gokrb5.LibDefaults
	lookup, isSet := p.get("dns_lookup_kdc")
	is, known := booleans[strings.ToLower(lookup.value)]
	if isSet && !known {
		return nil, bad(lookup, "it is not true or false")
	}
	l.DNSLookupKDC = is || !isSet // DNS may name KDCs by default
	l.DefaultRealm, l.Canonicalize, l.Forwardable, l.Proxiable, l.NoAddresses = c.realm, true, false, false, true
	l.DefaultTktEnctypeIDs, l.DefaultTGSEnctypeIDs, l.PermittedEnctypeIDs = c.etypes, c.etypes, c.etypes
	return c, nil
}

// booleans are the words for true and false.
var booleans = map[string]bool{
	"n": false, "no": false, "false": false, "f": false, "nil": false, "0": false, "off": false,
	"y": true, "yes": true, "true": true, "t": true, "1": true, "on": true,
}

func bad(s setting, what string) error {
	return hinted(setRight, "Kerberos' configuration: %s: %s = %s: %s", s.at, s.path[len(s.path)-1], short(s.value), what)
}

// families are names for several kinds of encryption.
var families = map[string][]int32{
	"aes": defaultEtypes, "default": defaultEtypes,
	"rc4": {etypeID.RC4_HMAC}, "des3": {etypeID.DES3_CBC_SHA1_KD},
}

// chooseEtypes selects what krb5.conf permits and gokrb5 supports: AES, and RC4 and triple DES if they are named.
func (c *conf) chooseEtypes() error {
	s, ok := c.get("permitted_enctypes")
	if !ok {
		s, ok = c.get("default_tkt_enctypes")
	}
	if !ok {
		return nil
	}
	c.etypes = nil
	for _, word := range strings.Fields(strings.ReplaceAll(strings.ToLower(s.value), ",", " ")) {
		of, isFamily := families[word]
		if id := etypeID.EtypeSupported(word); !isFamily && id != 0 {
			of = []int32{id}
		}
		for _, id := range of {
			if !slices.Contains(c.etypes, id) {
				c.etypes = append(c.etypes, id)
			}
		}
	}
	if len(c.etypes) == 0 {
		return bad(s, "none of these is supported: AES is, and RC4 and triple DES where they are named")
	}
	return nil
}

// expand replaces the variables of default_ccache_name and of keytabs.
func expand(name string, getenv func(string) string) string {
	uid := strconv.Itoa(os.Getuid())
	return strings.NewReplacer("%{uid}", uid, "%{euid}", uid, "%{USERID}", uid, "%{null}", "",
		"%{username}", getenv("USER"), "%{TEMP}", cmp.Or(getenv("TMPDIR"), "/tmp")).Replace(name)
}

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
	maxFiles = 200
	maxDepth = 10 // includes in includes, braces in braces
)

// setRight is the hint about a fault of krb5.conf.
const setRight = "set it right, or set KRB5_CONFIG to another file"

// readProfile reads files that are separated by colons, as in KRB5_CONFIG. Absent files are skipped, unless all are
// absent.
func readProfile(names string) (*profile, error) {
	p := &profile{}
	for _, name := range filepath.SplitList(names) {
		if !exists(name) {
			continue
		}
		if err := p.read(name, 0); err != nil {
			return nil, hinted(setRight, "Kerberos' configuration: %v", err)
		}
	}
	if p.files == 0 {
		return nil, hinted("take krb5.conf from a machine of the cluster, and set KRB5_CONFIG to it",
			"there is no Kerberos configuration: %s", names)
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
		tag, value, isSetting := strings.Cut(line, "=")
		tag, value = strings.TrimSpace(tag), strings.TrimSpace(value)
		switch {
		case line == "":
		case word == "include", word == "includedir":
			files, err := included(word, strings.TrimSpace(rest))
			for i := 0; i < len(files) && err == nil; i++ {
				err = p.read(files[i], depth+1)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
		case line[0] == '[':
			section, _, closed := strings.Cut(line[1:], "]")
			if !closed || len(path) > 1 {
				return fmt.Errorf("%s: a section is not allowed here: %s", at, short(line))
			}
			path = []string{strings.TrimSpace(section)}
		case line == "}":
			if len(path) < 2 {
				return fmt.Errorf("%s: a } without {", at)
			}
			path = path[:len(path)-1]
		case !isSetting || tag == "" || len(path) == 0 || len(path) > maxDepth:
			return fmt.Errorf("%s: neither a section nor NAME = VALUE: %s", at, short(line))
		case value == "{":
			path = append(slices.Clone(path), tag)
		default:
			p.settings = append(p.settings, setting{append(slices.Clone(path), tag), strings.Trim(value, `"`), at})
		}
	}
	if len(path) > 1 {
		return fmt.Errorf("%s: a { is not closed: %s", name, path[len(path)-1])
	}
	return nil
}

var (
	trailing = regexp.MustCompile(`\s[#;].*`)
	inFolder = regexp.MustCompile(`^[A-Za-z0-9_-]+$|^[^.].*\.conf$`)
)

// uncomment trims a line. MIT has comments on lines of their own only, but people write others too.
func uncomment(line string) string {
	line = strings.TrimSpace(strings.ReplaceAll(line, "\t", " "))
	if line == "" || line[0] == '#' || line[0] == ';' {
		return ""
	}
	return strings.TrimSpace(trailing.ReplaceAllString(line, ""))
}

// included returns the files of an include or includedir: of a folder, those that MIT reads, in the order of their
// names.
func included(kind, name string) (files []string, err error) {
	if !filepath.IsAbs(name) {
		return nil, fmt.Errorf("%s takes an absolute path, not %q", kind, name)
	}
	if kind == "include" {
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // packages' defaults name folders that few systems have
		return nil, fmt.Errorf("includedir %s: %s", name, why(err))
	}
	entries = input.Only(entries, func(e fs.DirEntry) bool { return !e.IsDir() && inFolder.MatchString(e.Name()) })
	return units.Each(entries, func(e fs.DirEntry) string { return filepath.Join(name, e.Name()) }), nil
}

// all returns the settings with this path.
func (p *profile) all(path ...string) []setting {
	return input.Only(p.settings, func(s setting) bool { return slices.Equal(s.path, path) })
}

// get returns the first setting of libdefaults with a name, as MIT does. ok is false if there is none.
func (p *profile) get(name string) (s setting, ok bool) {
	for _, s := range p.all("libdefaults", name) {
		return s, true
	}
	return s, false
}

// short returns foreign text as errors quote it: the first line, cut to 60 characters.
func short(s string) string { return input.OneLine(s, 60) }
