// Package hadoopconf finds the services of a Hadoop cluster: in the site files of a configuration folder, or in
// addresses that a user gives.
package hadoopconf

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	trust  string // the Java trust store in ssl-client.xml, "" if unknown
}

// NewProperties returns an empty set. getenv resolves ${env.NAME}; nil resolves it to "".
func NewProperties(getenv func(string) string) *Properties {
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	return &Properties{raw: map[string]string{}, final: map[string]bool{}, getenv: getenv}
}

// property is <property>; an absent value is not the same as an empty one.
type property struct {
	Name  string  `xml:"name"`
	Value *string `xml:"value"`
	Final string  `xml:"final"`
}

// Read adds the properties of one file, called name in errors. A later file overrides an earlier one, except for
// properties that the earlier one marks final. Errors contain the file and the line.
func (p *Properties) Read(name string, r io.Reader) error {
	limited := &io.LimitedReader{R: r, N: maxSiteBytes + 1}
	d := xml.NewDecoder(limited)
	fail := func(format string, args ...any) error {
		line, _ := d.InputPos()
		return fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...))
	}
	var file []property
	for depth, root := 0, false; ; {
		tok, err := d.Token()
		switch {
		case limited.N <= 0:
			return fail("longer than %d MiB: not a configuration file", maxSiteBytes>>20)
		case errors.Is(err, io.EOF) && root:
			p.add(file)
			return nil
		case errors.Is(err, io.EOF):
			return fail("no <configuration> in it")
		case err != nil:
			return fail("%v", err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			switch {
			case depth == 0 && t.Name.Local != "configuration":
				return fail("<%s> where <configuration> was expected", t.Name.Local)
			case t.Name.Local == "include":
				return fail("XInclude is not supported: put the included properties into the file, or give the addresses by flags")
			case depth == 1 && t.Name.Local == "property":
				var one property
				if err := d.DecodeElement(&one, &t); err != nil {
					return fail("%v", err)
				}
				attributes(&one, t.Attr)
				file = append(file, one)
				continue
			case depth == 1: // a nested <configuration> and the like
				if err := d.Skip(); err != nil {
					return fail("%v", err)
				}
				continue
			}
			depth, root = depth+1, true
		case xml.EndElement:
			depth--
		}
	}
}

// attributes takes the short form <property name="…" value="…" final="…"/> (Hadoop 3).
func attributes(p *property, attrs []xml.Attr) {
	for _, a := range attrs {
		switch a.Name.Local {
		case "name":
			p.Name = a.Value
		case "value":
			v := a.Value
			p.Value = &v
		case "final":
			p.Final = a.Value
		}
	}
}

func (p *Properties) add(file []property) {
	locked := map[string]bool{}
	for _, one := range file {
		name := strings.TrimSpace(one.Name)
		if name == "" || one.Value == nil || p.final[name] {
			continue
		}
		p.raw[name] = *one.Value
		if strings.EqualFold(strings.TrimSpace(one.Final), "true") {
			locked[name] = true
		}
	}
	for name := range locked {
		p.final[name] = true
	}
}

// Get returns a property's value, trimmed and with variables expanded, "" if it is not set.
func (p *Properties) Get(name string) string { return strings.TrimSpace(p.expand(p.raw[name])) }

// expand replaces ${name} by the property of that name, ${env.NAME}, ${env.NAME:-default} and ${env.NAME-default}
// by the environment, and a few Java system properties. Unknown, circular or too long variables stay as they are.
func (p *Properties) expand(v string) string {
	for range maxExpand {
		from, to := innermost(v)
		if from < 0 {
			return v
		}
		value, ok := p.lookup(v[from+2 : to])
		if !ok || strings.Contains(value, v[from:to+1]) || len(v)+len(value) > maxValue {
			return v
		}
		v = v[:from] + value + v[to+1:]
	}
	return v
}

// innermost returns the ends of the first ${…} without another one inside, -1 if there is none.
func innermost(v string) (from, to int) {
	for rest := 0; ; {
		end := strings.IndexByte(v[rest:], '}')
		if end < 0 {
			return -1, -1
		}
		to = rest + end
		if from = strings.LastIndex(v[:to], "${"); from >= rest && to > from+2 {
			return from, to
		}
		rest = to + 1
	}
}

func (p *Properties) lookup(name string) (string, bool) {
	if env, ok := strings.CutPrefix(name, "env."); ok {
		if n, def, ok := strings.Cut(env, ":-"); ok {
			if v := p.getenv(n); v != "" {
				return v, true
			}
			return def, true
		}
		n, def, ok := strings.Cut(env, "-")
		v := p.getenv(n)
		if v == "" && ok {
			v = def
		}
		return v, v != "" || ok
	}
	if v, ok := p.raw[name]; ok {
		return v, true
	}
	switch name {
	case "user.name":
		name = "USER"
	case "user.home":
		name = "HOME"
	case "user.dir":
		name = "PWD"
	case "java.io.tmpdir":
		return os.TempDir(), true
	default:
		return "", false
	}
	v := p.getenv(name)
	return v, v != ""
}

// siteFiles are read in this order, as YarnConfiguration and JobConf do.
var siteFiles = []string{"core-site.xml", "mapred-site.xml", "yarn-site.xml", "hdfs-site.xml"}

// ReadDir reads a configuration folder's core-, mapred-, yarn- and hdfs-site.xml. Absent files are skipped. It is
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
	p.trust = trustStore(dir, p, getenv)
	if found == 0 {
		return nil, fmt.Errorf("hadoop configuration: %s holds none of %s", dir, strings.Join(siteFiles, ", "))
	}
	return p, nil
}

// trustStore returns the path of the Java trust store of Hadoop's own clients, "" if unknown. It keeps nothing else
// of ssl-client.xml, which contains passwords. The path is for advice only, so an unreadable file is no error.
func trustStore(dir string, p *Properties, getenv func(string) string) string {
	name := p.Get("hadoop.ssl.client.conf")
	if name == "" {
		name = "ssl-client.xml"
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	ssl := NewProperties(getenv)
	if ssl.Read(name, f) != nil {
		return ""
	}
	return ssl.Get("ssl.client.truststore.location")
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
