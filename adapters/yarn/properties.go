package yarn

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	maxSiteBytes = 16 << 20 // of one file
	maxExpand    = 20       // substitutions in one value, as Hadoop's Configuration
	maxValue     = 1 << 20  // bytes of one expanded value
)

// Properties are the merged contents of *-site.xml files, as Hadoop's Configuration sees them.
type Properties struct {
	raw    map[string]string
	final  map[string]bool
	getenv func(string) string
}

// NewProperties returns an empty set. getenv resolves ${env.NAME}.
func NewProperties(getenv func(string) string) *Properties {
	return &Properties{raw: map[string]string{}, final: map[string]bool{}, getenv: getenv}
}

// property is <property>, or its short form <property name="…" value="…" final="…"/> (Hadoop 3). An absent value is not
// the same as an empty one.
type property struct {
	Name       string  `xml:"name"`
	Value      *string `xml:"value"`
	Final      string  `xml:"final"`
	ShortName  string  `xml:"name,attr"`
	ShortValue *string `xml:"value,attr"`
	ShortFinal string  `xml:"final,attr"`
}

// included refuses XInclude, which is not supported.
type included struct{}

func (included) UnmarshalXML(*xml.Decoder, xml.StartElement) error {
	return errors.New("XInclude is not supported: put the included properties into the file, or give the addresses by flags")
}

// Read adds the properties of one file, called name in errors. A later file overrides an earlier one, except for
// properties that the earlier one marks final. Errors contain the file and the line.
func (p *Properties) Read(name string, r io.Reader) error {
	var file struct {
		XMLName    xml.Name
		Properties []property `xml:"property"`
		Included   included   `xml:"include"`
	}
	limited := &io.LimitedReader{R: r, N: maxSiteBytes + 1}
	d := xml.NewDecoder(limited)
	err := d.Decode(&file)
	switch root := file.XMLName.Local; {
	case limited.N <= 0:
		err = fmt.Errorf("longer than %d MiB: not a configuration file", maxSiteBytes>>20)
	case errors.Is(err, io.EOF):
		err = errors.New("no <configuration> in it")
	case err == nil && root != "configuration":
		err = fmt.Errorf("<%s> where <configuration> was expected", root)
	}
	if err != nil {
		line, _ := d.InputPos()
		return fmt.Errorf("%s:%d: %w", name, line, err)
	}
	final := map[string]bool{}
	for _, one := range file.Properties {
		name, value := strings.TrimSpace(cmp.Or(one.ShortName, one.Name)), cmp.Or(one.ShortValue, one.Value)
		if name == "" || value == nil || p.final[name] {
			continue
		}
		p.raw[name] = *value
		if strings.EqualFold(strings.TrimSpace(cmp.Or(one.ShortFinal, one.Final)), "true") {
			final[name] = true
		}
	}
	maps.Copy(p.final, final) // not before: a file may set a property again
	return nil
}

// Get returns a property's value, trimmed and with variables expanded, "" if it is not set.
func (p *Properties) Get(name string) string { return strings.TrimSpace(p.expand(p.raw[name])) }

// expand replaces ${name} by the property of that name, ${env.NAME}, ${env.NAME:-default} and ${env.NAME-default}
// by the environment, and a few Java system properties. Unknown, circular or too long variables stay as they are.
func (p *Properties) expand(v string) string {
	for range maxExpand {
		at := variable.FindStringSubmatchIndex(v)
		if at == nil {
			return v
		}
		value, ok := p.lookup(v[at[2]:at[3]])
		if !ok || strings.Contains(value, v[at[0]:at[1]]) || len(v)+len(value) > maxValue {
			return v
		}
		v = v[:at[0]] + value + v[at[1]:]
	}
	return v
}

// variable matches ${…} without another one inside.
var variable = regexp.MustCompile(`\$\{([^{}]+)\}`)

// systemProperties are Java's, by the environment's variables.
var systemProperties = map[string]string{"user.name": "USER", "user.home": "HOME", "user.dir": "PWD"}

func (p *Properties) lookup(name string) (value string, ok bool) {
	if env, isEnv := strings.CutPrefix(name, "env."); isEnv {
		env, byDefault, hasDefault := strings.Cut(env, "-")
		value = cmp.Or(p.getenv(strings.TrimSuffix(env, ":")), byDefault)
		return value, value != "" || hasDefault
	}
	if value, ok = p.raw[name]; ok {
		return value, true
	}
	if name == "java.io.tmpdir" {
		return os.TempDir(), true
	}
	if variable := systemProperties[name]; variable != "" {
		value = p.getenv(variable)
	}
	return value, value != ""
}

// siteFiles are read in this order, as YarnConfiguration and JobConf do.
var siteFiles = []string{"core-site.xml", "mapred-site.xml", "yarn-site.xml"}

// ReadDir reads a configuration folder's core-, mapred- and yarn-site.xml. Absent files are skipped. It is
// an error if all of them or the folder are absent.
func ReadDir(dir string, getenv func(string) string) (*Properties, error) {
	p := NewProperties(getenv)
	found := 0
	for _, name := range siteFiles {
		path := filepath.Join(dir, name)
		f, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("hadoop configuration: %w", err)
		}
		err = p.Read(path, f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("hadoop configuration: %w", err)
		}
		found++
	}
	if found == 0 {
		return nil, fmt.Errorf("hadoop configuration: %s has none of %s", dir, strings.Join(siteFiles, ", "))
	}
	return p, nil
}

// FindDir returns the configuration folder that the environment names: HADOOP_CONF_DIR, YARN_CONF_DIR, else
// HADOOP_HOME/etc/hadoop; by is the variable's name. It does not check that the folder exists.
func FindDir(getenv func(string) string) (dir, by string) {
	for _, name := range []string{"HADOOP_CONF_DIR", "YARN_CONF_DIR"} {
		if d := getenv(name); d != "" {
			return d, name
		}
	}
	if d := getenv("HADOOP_HOME"); d != "" {
		return filepath.Join(d, "etc", "hadoop"), "HADOOP_HOME"
	}
	return "", ""
}
