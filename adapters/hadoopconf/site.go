package hadoopconf

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A Site is the addresses of a cluster's services, and their kind of authentication.
type Site struct {
	RMs        []Manager // in the order in which they are tried
	Proxy      string    // base URL of a separate web proxy, "" if the ResourceManagers serve it
	JHS        string    // base URL of the job history server
	JHSGuessed bool      // the address is a guess; a named host that the proxy's redirects lead to comes first
	NameNodes  []string  // base URLs of HDFS's NameNodes, if the configuration names any
	Auth       string    // hadoop.http.authentication.type: "simple" (also by default), "kerberos" or a class
	Web        []string  // base URLs of services beside Hadoop that flags name, such as a Spark history server
	Notes      []string  // assumptions, for people
}

// A Manager is a ResourceManager.
type Manager struct {
	ID  string // its id if there are several, else ""
	URL string // base, e.g. "http://rm1:8088"
}

const (
	historyPort    = "19888"
	historyTLSPort = "19890"
)

// Site reads the addresses from the properties, with Hadoop's defaults.
func (p *Properties) Site() (Site, error) {
	s := Site{Auth: cmp.Or(p.Get("hadoop.http.authentication.type"), "simple")}
	scheme, key, port, err := p.policy("yarn.http.policy", "yarn.resourcemanager.webapp", "8088", "8090")
	if err != nil {
		return Site{}, err
	}
	ids := []string{""}
	if strings.EqualFold(p.Get("yarn.resourcemanager.ha.enabled"), "true") {
		if ids = commaList(p.Get("yarn.resourcemanager.ha.rm-ids")); len(ids) == 0 {
			return Site{}, errors.New(
				"hadoop configuration: yarn.resourcemanager.ha.enabled is true but yarn.resourcemanager.ha.rm-ids is empty: name the ids, or give --rm")
		}
	}
	for _, id := range ids {
		u, err := p.manager(&s, scheme, key, port, id)
		if err != nil {
			return Site{}, err
		}
		s.RMs = append(s.RMs, Manager{ID: id, URL: u})
	}
	if a := p.Get("yarn.web-proxy.address"); a != "" {
		if s.Proxy, err = baseURL(scheme, a, "9099", "yarn.web-proxy.address"); err != nil {
			return Site{}, err
		}
	}
	if err := p.history(&s); err != nil {
		return Site{}, err
	}
	s.NameNodes = p.nameNodes()
	return s, nil
}

// policy returns scheme, address property and default port of a service under its http policy.
func (p *Properties) policy(name, prefix, port, tlsPort string) (scheme, key, defPort string, err error) {
	switch v := p.Get(name); v {
	case "", "HTTP_ONLY", "HTTP_AND_HTTPS":
		return "http", prefix + ".address", port, nil
	case "HTTPS_ONLY":
		return "https", prefix + ".https.address", tlsPort, nil
	default:
		return "", "", "", fmt.Errorf("hadoop configuration: %s is %q, not HTTP_ONLY or HTTPS_ONLY", name, v)
	}
}

// manager returns the base of the ResourceManager id ("" if there is only one).
func (p *Properties) manager(s *Site, scheme, key, port, id string) (string, error) {
	suffix := ""
	if id != "" {
		suffix = "." + id
	}
	if a := p.Get(key + suffix); a != "" && !strings.Contains(a, "${") {
		return baseURL(scheme, a, port, key+suffix)
	}
	host := p.Get("yarn.resourcemanager.hostname" + suffix)
	switch {
	case host != "":
	case id != "":
		return "", fmt.Errorf(
			"hadoop configuration: neither %s nor yarn.resourcemanager.hostname%s says where ResourceManager %s is",
			key+suffix, suffix, id)
	default:
		host = "localhost"
		s.Notes = append(s.Notes, "no yarn.resourcemanager.hostname: the ResourceManager is assumed on this machine")
	}
	return baseURL(scheme, host, port, "yarn.resourcemanager.hostname"+suffix)
}

// history sets the address of the job history server. Like Hadoop, it uses the host of mapreduce.jobhistory.address
// if the web address has none.
func (p *Properties) history(s *Site) error {
	scheme, key, port, err := p.policy("mapreduce.jobhistory.http.policy", "mapreduce.jobhistory.webapp", historyPort,
		historyTLSPort)
	if err != nil {
		return err
	}
	if a := p.Get(key); a != "" && !wildcard(a) {
		s.JHS, err = baseURL(scheme, a, port, key)
		return err
	} else if _, given, err := net.SplitHostPort(a); err == nil && given != "" {
		port = given
	}
	if a := p.Get("mapreduce.jobhistory.address"); a != "" && !wildcard(a) {
		s.JHS, err = baseURL(scheme, net.JoinHostPort(hostOf(a), port), port, "mapreduce.jobhistory.address")
		return err
	}
	rm, err := url.Parse(s.RMs[0].URL)
	if err != nil {
		return fmt.Errorf("hadoop configuration: %w", err)
	}
	s.JHS, s.JHSGuessed = scheme+"://"+net.JoinHostPort(rm.Hostname(), port), true
	s.Notes = append(s.Notes, "no mapreduce.jobhistory.webapp.address: the history server is assumed at "+s.JHS)
	return nil
}

// hostOf returns the host of an address with or without a port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

// wildcard reports whether an address names no host.
func wildcard(address string) bool {
	host := hostOf(address)
	return host == "" || host == "0.0.0.0" || host == "::"
}

// baseURL makes a base URL from host[:port]. A service bound to the wildcard address is assumed on this machine.
func baseURL(scheme, address, port, key string) (string, error) {
	host, given, err := net.SplitHostPort(address)
	switch {
	case err != nil:
		host = strings.Trim(address, "[]")
	case given != "":
		port = given
	}
	if wildcard(host) {
		host = "localhost"
	}
	u, err := url.Parse(scheme + "://" + net.JoinHostPort(host, port))
	if err != nil || u.Path != "" || u.RawQuery != "" || u.User != nil || u.Hostname() == "" {
		return "", fmt.Errorf("hadoop configuration: %s is not host:port", key) // it may hold a password
	}
	return u.String(), nil
}

func commaList(v string) []string {
	return strings.FieldsFunc(v, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// RMSite returns the site of --rm URL[,URL] and --jhs URL, without a configuration folder. An address without a
// scheme is http. If jhs is "", its address is guessed. The address of a gateway's topology, such as
// https://knox:8443/gateway/default, is enough: Knox serves a ResourceManager with its proxy at /yarn below it, and
// the history server at /jobhistory (services YARNUI and JOBHISTORYUI).
func RMSite(rm, jhs string) (Site, error) {
	s := Site{Auth: "simple"}
	if err := cmp.Or(plain("--rm", rm), plain("--jhs", jhs)); err != nil {
		return Site{}, err
	}
	for _, r := range commaList(rm) {
		u, err := given("--rm", r, "8088", "8090")
		if err != nil {
			return Site{}, err
		}
		u.Path = pageOfCluster.ReplaceAllString(u.Path, "")
		history, err := gateway(u)
		if err != nil {
			return Site{}, err
		}
		if history == "" {
			port := historyPort
			if u.Scheme == "https" {
				port = historyTLSPort
			}
			history = u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
		}
		s.RMs, s.JHS, s.JHSGuessed = append(s.RMs, Manager{URL: u.String()}), cmp.Or(s.JHS, history), true
	}
	if jhs != "" {
		u, err := given("--jhs", jhs, historyPort, historyTLSPort)
		if err != nil {
			return Site{}, err
		}
		s.JHS, s.JHSGuessed = u.String(), false
	}
	return s, s.Check()
}

// pageOfCluster matches the end of the path of a ResourceManager's page, as people copy it from a browser.
var pageOfCluster = regexp.MustCompile(`/(?:ws/v1/)?cluster(?:/.*)?$`)

// gateway completes the address of a gateway's topology, and returns the base of the history server beside a
// ResourceManager at /yarn; "" if there is no gateway.
func gateway(u *url.URL) (history string, err error) {
	above, service := path.Split(strings.TrimSuffix(u.Path, "/"))
	switch {
	case path.Base(above) == "gateway":
		above, u.Path = u.Path+"/", u.Path+"/yarn"
	case service == "resourcemanager":
		return "", fmt.Errorf(
			"--rm %s: this service of Knox (RESOURCEMANAGER) hides the masters of applications: give %s (service YARNUI)", u, u.Scheme+"://"+u.Host+above+"yarn")
	case service != "yarn":
		return "", nil
	}
	return u.Scheme + "://" + u.Host + above + "jobhistory", nil
}

// plain returns an error if addresses in a flag contain more than an address, such as a password. The error does
// not repeat it.
func plain(flag, v string) error {
	if !strings.ContainsAny(v, "@?#") {
		return nil
	}
	return fmt.Errorf("%s is not an address like http://host:port: it holds a user, a password or a query; a user goes to --user, a password to --password-file", flag)
}

// given parses an address in a flag. Without port and path the port is the service's default.
func given(flag, v, port, tlsPort string) (*url.URL, error) {
	full := v
	if !strings.Contains(v, "://") {
		full = "http://" + v
	}
	u, err := url.Parse(strings.TrimSuffix(full, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("%s %q is not an address like http://host:%s", flag, v, port)
	}
	if u.Scheme == "https" {
		port = tlsPort
	}
	if u.Port() == "" && u.Path == "" {
		u.Host = net.JoinHostPort(u.Hostname(), port)
	}
	return u, nil
}

// Bases returns all addresses of the site.
func (s Site) Bases() []string {
	var all []string
	for _, rm := range s.RMs {
		all = append(all, rm.URL)
	}
	all = append(append(all, s.Proxy, s.JHS), s.Web...)
	return slices.DeleteFunc(all, func(base string) bool { return base == "" })
}

// Check returns an error if the site has no ResourceManager.
func (s Site) Check() error {
	if len(s.RMs) == 0 {
		return errors.New("no ResourceManager: set HADOOP_CONF_DIR, or give --rm http://host:8088")
	}
	return nil
}
