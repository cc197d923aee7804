package yarn

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func readProps(t *testing.T, env map[string]string, files ...string) *Properties {
	t.Helper()
	p := NewProperties(func(k string) string { return env[k] })
	for _, f := range files {
		if err := p.Read("x-site.xml", strings.NewReader("<?xml version=\"1.0\"?>\n<configuration>"+f+
			"</configuration>")); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func prop(name, value string) string {
	return "<property><name>" + name + "</name><value>" + value + "</value></property>\n"
}

func TestExpansion(t *testing.T) {
	p := readProps(t, map[string]string{"USER": "alice", "EMPTY": "", "DIR": "/d"},
		prop("host", "rm.example.com")+prop("a", "${host}:8088")+prop("b", "http://${a}/${user.name}")+
			prop("unknown", "${no.such}/x")+prop("self", "x${self}")+prop("ping", "${pong}")+prop("pong", "${ping}")+
			prop("env", "${env.DIR}/${env.NONE:-deep}/${env.EMPTY:-full}/${env.NONE-or}/${env.NONE}")+
			prop("which", "st")+prop("nested", "${ho${which}}")+prop("open", "${host")+prop("none", "${}")+
			prop("grow", "${grow2}${grow2}")+prop("grow2", "${grow3}${grow3}")+prop("grow3", strings.Repeat("x", 10))+
			prop(" spaced ", "\n  v  \n")+prop("amp", "a&amp;b&lt;"))
	for name, want := range map[string]string{
		"a": "rm.example.com:8088", "b": "http://rm.example.com:8088/alice", "unknown": "${no.such}/x",
		"self": "x${self}", "env": "/d/deep/full/or/${env.NONE}", "nested": "rm.example.com",
		"open": "${host", "none": "${}", "grow": strings.Repeat("x", 40), "spaced": "v", "amp": "a&b<", "absent": "",
	} {
		if got := p.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if got := p.Get("ping"); got != "${ping}" && got != "${pong}" {
		t.Errorf("a circle ends as %q", got)
	}
}

func TestExpansionIsBounded(t *testing.T) {
	bomb := prop("v0", strings.Repeat("x", maxValue/8))
	for i := range 30 {
		bomb += prop(fmt.Sprintf("v%d", i+1), fmt.Sprintf("${v%d}${v%d}", i, i))
	}
	p := readProps(t, nil, bomb)
	for _, name := range []string{"v3", "v4", "v30"} {
		if got := len(p.Get(name)); got > maxValue+100 {
			t.Errorf("%s has %d bytes", name, got)
		}
	}
}

func TestFinalHoldsAgainstLaterFiles(t *testing.T) {
	final := func(name, value string) string {
		return "<property><name>" + name + "</name><value>" + value + "</value><final> true </final></property>"
	}
	p := readProps(t, nil,
		final("a", "1")+prop("b", "1")+prop("c", "1"),
		prop("a", "2")+final("b", "2")+prop("c", "2")+
			"<property><name>d</name></property><property><value>v</value></property>",
		prop("a", "3")+prop("b", "3")+prop("c", "3")+`<property name="e" value="short" final="true"/>`,
		prop("e", "4"))
	for name, want := range map[string]string{"a": "1", "b": "2", "c": "3", "d": "", "e": "short"} {
		if got := p.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestUnreadableFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "no <configuration>",
		"hello":                              "no <configuration>",
		"<html></html>":                      "x-site.xml:1: <html>",
		"<configuration>\n<property>":        "x-site.xml:2:",
		"<configuration>\n<property></name>": "x-site.xml:2:",
		`<configuration xmlns:xi="http://www.w3.org/2001/XInclude">` + "\n" +
			`<xi:include href="y.xml"/></configuration>`: "x-site.xml:2: XInclude",
		`<!DOCTYPE c [<!ENTITY x "y">]><configuration><property><name>a</name><value>&x;</value></property></configuration>`: "entity",
	} {
		err := NewProperties(noEnv).Read("x-site.xml", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	big := strings.NewReader("<configuration>" + strings.Repeat(" ", maxSiteBytes+10) + "</configuration>")
	if err := NewProperties(noEnv).Read("big", big); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("too big: %v", err)
	}
	if err := NewProperties(noEnv).Read("x", iotest.ErrReader(os.ErrPermission)); err == nil ||
		!strings.Contains(err.Error(), "permission") {
		t.Errorf("read error: %v", err)
	}
}

func TestSites(t *testing.T) {
	rm := func(urls ...string) (all []Manager) {
		for _, u := range urls {
			id, u, ok := strings.Cut(u, "=")
			if !ok {
				id, u = "", id
			}
			all = append(all, Manager{ID: id, URL: u})
		}
		return all
	}
	ha := prop("yarn.resourcemanager.ha.enabled", "true") + prop("yarn.resourcemanager.ha.rm-ids", "rm1, rm2")
	for name, c := range map[string]struct {
		props string
		want  Site
	}{
		"no settings": {"", Site{
			RMs: rm("http://localhost:8088"), JHS: "http://localhost:19888", JHSGuessed: true,
			Auth: "simple",
		}},
		"hostname": {
			prop("yarn.resourcemanager.hostname", "m1"),
			Site{RMs: rm("http://m1:8088"), JHS: "http://m1:19888", JHSGuessed: true, Auth: "simple"},
		},
		"addresses": {
			prop("yarn.resourcemanager.hostname", "m1") + prop("yarn.resourcemanager.webapp.address",
				"${yarn.resourcemanager.hostname}:18088") +
				prop("mapreduce.jobhistory.webapp.address", "h1:29888") + prop("hadoop.http.authentication.type",
				"kerberos"),
			Site{RMs: rm("http://m1:18088"), JHS: "http://h1:29888", Auth: "kerberos"},
		},
		"bound to all": {
			prop("yarn.resourcemanager.webapp.address", "0.0.0.0:8088") + prop("mapreduce.jobhistory.webapp.address",
				"0.0.0.0:29888") +
				prop("mapreduce.jobhistory.address", "h1:10020"),
			Site{RMs: rm("http://localhost:8088"), JHS: "http://h1:29888", Auth: "simple"},
		},
		"unexpanded": {
			prop("yarn.resourcemanager.webapp.address", "${no.such}:8088") + prop("yarn.resourcemanager.hostname",
				"m1"),
			Site{RMs: rm("http://m1:8088"), JHS: "http://m1:19888", JHSGuessed: true, Auth: "simple"},
		},
		"ha": {
			ha + prop("yarn.resourcemanager.webapp.address.rm1", "m1:8089") + prop("yarn.resourcemanager.hostname.rm2",
				"m2") + prop("mapreduce.jobhistory.address", "h1:10020"),
			Site{RMs: rm("rm1=http://m1:8089", "rm2=http://m2:8088"), JHS: "http://h1:19888", Auth: "simple"},
		},
		"ha off": {
			prop("yarn.resourcemanager.ha.rm-ids", "rm1,rm2") + prop("yarn.resourcemanager.hostname", "m1"),
			Site{RMs: rm("http://m1:8088"), JHS: "http://m1:19888", JHSGuessed: true, Auth: "simple"},
		},
		"tls": {
			ha + prop("yarn.http.policy", "HTTPS_ONLY") + prop("mapreduce.jobhistory.http.policy", "HTTPS_ONLY") +
				prop("yarn.resourcemanager.webapp.https.address.rm1", "m1:8091") +
				prop("yarn.resourcemanager.webapp.address.rm2", "wrong:1") +
				prop("yarn.resourcemanager.hostname.rm2", "m2") + prop("mapreduce.jobhistory.webapp.https.address",
				"h1"),
			Site{RMs: rm("rm1=https://m1:8091", "rm2=https://m2:8090"), JHS: "https://h1:19890", Auth: "simple"},
		},
		"proxy": {
			prop("yarn.resourcemanager.hostname", "m1") + prop("yarn.web-proxy.address", "p1:9099"),
			Site{
				RMs: rm("http://m1:8088"), Proxy: "http://p1:9099", JHS: "http://m1:19888", JHSGuessed: true,
				Auth: "simple",
			},
		},
		"ipv6": {
			prop("yarn.resourcemanager.webapp.address", "[fd00::1]:8088") + prop("mapreduce.jobhistory.webapp.address",
				"[fd00::2]:19888"),
			Site{RMs: rm("http://[fd00::1]:8088"), JHS: "http://[fd00::2]:19888", Auth: "simple"},
		},
	} {
		got, err := readProps(t, nil, c.props).Site()
		got.Notes = nil
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", name, got, err, c.want)
		}
	}
	for props, want := range map[string]string{
		prop("yarn.resourcemanager.ha.enabled", "true"): "rm-ids",
		ha:                                "hostname.rm1",
		prop("yarn.http.policy", "MAYBE"): "MAYBE",
		prop("yarn.resourcemanager.webapp.address", "m1:80/x?y"): "not host:port",
		prop("mapreduce.jobhistory.http.policy", "x"):            "mapreduce.jobhistory.http.policy",
		prop("mapreduce.jobhistory.webapp.address", "a b:1"):     "not host:port",
		prop("yarn.web-proxy.address", "user@p:1"):               "yarn.web-proxy.address",
	} {
		if s, err := readProps(t, nil, props).Site(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", props, s, err)
		}
	}
}

func TestSiteOfFlags(t *testing.T) {
	for _, c := range []struct{ rm, jhs, wantRM, wantJHS string }{
		{"m1", "", "http://m1:8088", "http://m1:19888"},
		{"m1:1234", "h1", "http://m1:1234", "http://h1:19888"},
		{"https://m1/", "", "https://m1:8090", "https://m1:19890"},
		{"http://gw/yarn", "http://gw/history", "http://gw/yarn", "http://gw/history"},
		{"http://rm:8088/cluster", "", "http://rm:8088", "http://rm:19888"},
		{"rm:8088/cluster/apps/RUNNING", "", "http://rm:8088", "http://rm:19888"},
		{"http://rm:8088/ws/v1/cluster/info", "", "http://rm:8088", "http://rm:19888"},
		{"[fd00::1]:8088", "", "http://[fd00::1]:8088", "http://[fd00::1]:19888"},
	} {
		s, err := RMSite(c.rm, c.jhs)
		if err != nil || s.RMs[0].URL != c.wantRM || s.JHS != c.wantJHS || s.JHSGuessed != (c.jhs == "") {
			t.Errorf("%q %q: %+v, %v", c.rm, c.jhs, s, err)
		}
	}
	if s, err := RMSite("http://a:1,http://b:2", ""); err != nil || len(s.RMs) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range []string{"", " , ", "ftp://x", "http://", "http://u:p@h", "http://h?x", "::"} {
		if s, err := RMSite(bad, ""); err == nil || !strings.Contains(err.Error(), "--rm") {
			t.Errorf("%q: %+v, %v", bad, s, err)
		}
	}
	if _, err := RMSite("m1", "ftp://h"); err == nil || !strings.Contains(err.Error(), "--jhs") {
		t.Errorf("bad --jhs: %v", err)
	}
}

func TestFolders(t *testing.T) {
	env := map[string]string{"HADOOP_HOME": "/h", "YARN_CONF_DIR": "/y", "HADOOP_CONF_DIR": "/c"}
	get := func(k string) string { return env[k] }
	for _, want := range []string{"/c HADOOP_CONF_DIR", "/y YARN_CONF_DIR", filepath.Join("/h", "etc", "hadoop") +
		" HADOOP_HOME", " "} {
		dir, by := FindDir(get)
		if dir+" "+by != want {
			t.Errorf("found %q by %q, want %q", dir, by, want)
		}
		delete(env, by)
	}
	dir := t.TempDir()
	if _, err := ReadDir(dir, noEnv); err == nil || !strings.Contains(err.Error(), "core-site.xml") {
		t.Errorf("empty folder: %v", err)
	}
	write := func(name, props string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("<configuration>"+props+"</configuration>"),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("yarn-site.xml", prop("yarn.resourcemanager.hostname", "${master}"))
	write("core-site.xml", prop("master", "m1"))
	p, err := ReadDir(dir, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := p.Site(); err != nil || s.RMs[0].URL != "http://m1:8088" || len(s.Notes) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	write("mapred-site.xml", "<oops")
	if _, err := ReadDir(dir, noEnv); err == nil || !strings.Contains(err.Error(), "mapred-site.xml:1") {
		t.Errorf("broken file: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadDir(filepath.Join(dir, "y"), noEnv); err == nil {
		t.Error("absent folder: no error")
	}
}

func FuzzSite(f *testing.F) {
	f.Add("<configuration><property><name>yarn.resourcemanager.hostname</name><value>${env.A:-b}${x}</value><final>true</final></property></configuration>")
	f.Add(`<configuration><property name="yarn.resourcemanager.ha.enabled" value="true"/><property name="yarn.resourcemanager.ha.rm-ids" value="a,b"/></configuration>`)
	f.Add("<configuration><configuration><property/></configuration></configuration>")
	f.Fuzz(func(t *testing.T, text string) {
		p := NewProperties(func(k string) string { return k })
		if p.Read("f", strings.NewReader(text)) != nil {
			return
		}
		for name := range p.raw {
			if n := len(p.Get(name)); n > maxValue+len(text) {
				t.Errorf("%d bytes", n)
			}
		}
		s, err := p.Site()
		if err == nil && s.Check() != nil {
			t.Errorf("a site without ResourceManager: %+v", s)
		}
	})
}

// TestGatewayAddresses: the addresses that follow from --rm.
func TestGatewayAddresses(t *testing.T) {
	for _, c := range []struct{ rm, wantRM, wantJHS string }{
		{
			"https://knox:8443/gateway/default", "https://knox:8443/gateway/default/yarn",
			"https://knox:8443/gateway/default/jobhistory",
		},
		{
			"https://knox:8443/gateway/default/yarn/", "https://knox:8443/gateway/default/yarn",
			"https://knox:8443/gateway/default/jobhistory",
		},
		{"https://knox/a/b/yarn", "https://knox/a/b/yarn", "https://knox/a/b/jobhistory"},
		{"https://front/cluster7", "https://front/cluster7", "https://front:19890"},
		{"http://rm", "http://rm:8088", "http://rm:19888"},
	} {
		s, err := RMSite(c.rm, "")
		if err != nil || s.RMs[0].URL != c.wantRM || s.JHS != c.wantJHS || !s.JHSGuessed {
			t.Errorf("%s: %+v, %v", c.rm, s, err)
		}
	}
	if _, err := RMSite("https://knox:8443/gateway/default/resourcemanager", ""); err == nil ||
		!strings.Contains(err.Error(), "give https://knox:8443/gateway/default/yarn") {
		t.Errorf("the service without masters: %v", err)
	}
}

func noEnv(string) string { return "" }
