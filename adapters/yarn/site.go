package yarn

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

	"github.com/paratimer/paratimer/units"
)

// A Site is the addresses of a cluster's services, and their kind of authentication.
type Site struct {
	RMs        []Manager // in the order in which they are tried
	Proxy      string    // base URL of a separate web proxy, "" if the ResourceManagers serve it
	JHS        string    // base URL of the job history server
	JHSGuessed bool      // the address is a guess; a named host that the proxy's redirects lead to comes first
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
	r := &siteReader{Properties: p, Site: Site{Auth: cmp.Or(p.Get("hadoop.http.authentication.type"), "simple")}}
	web := r.service("yarn.http.policy", "yarn.resourcemanager.webapp", "8088", "8090")
	ids := []string{""}
	if strings.EqualFold(p.Get("yarn.resourcemanager.ha.enabled"), "true") {
		if ids = commaList(p.Get("yarn.resourcemanager.ha.rm-ids")); len(ids) == 0 {
			return Site{}, errors.New(
				"hadoop configuration: yarn.resourcemanager.ha.enabled is true but yarn.resourcemanager.ha.rm-ids is empty: name the ids, or give --rm")
		}
	}
	for _, id := range ids {
		r.RMs = append(r.RMs, Manager{ID: id, URL: r.manager(web, id)})
	}
	if a := p.Get("yarn.web-proxy.address"); a != "" {
		r.Proxy = r.base(service{web.scheme, "yarn.web-proxy.address", "9099"}, a)
	}
	r.history(r.service("mapreduce.jobhistory.http.policy", "mapreduce.jobhistory.webapp", historyPort, historyTLSPort))
	if r.err != nil {
		return Site{}, fmt.Errorf("hadoop configuration: %w", r.err)
	}
	return r.Site, nil
}

// A siteReader reads a site from properties. err is the first error.
type siteReader struct {
	*Properties
	Site
	err error
}

// A service is the scheme, the property of the address, and the default port of a web service.
type service struct{ scheme, key, port string }

// service returns a service under its http policy.
func (r *siteReader) service(policy, prefix, port, tlsPort string) service {
	switch v := r.Get(policy); v {
	case "", "HTTP_ONLY", "HTTP_AND_HTTPS":
		return service{"http", prefix + ".address", port}
	case "HTTPS_ONLY":
		return service{"https", prefix + ".https.address", tlsPort}
	default:
		r.err = cmp.Or(r.err, fmt.Errorf("%s is %q, not HTTP_ONLY or HTTPS_ONLY", policy, v))
		return service{}
	}
}

// manager returns the base of the ResourceManager id ("" if there is only one).
func (r *siteReader) manager(of service, id string) string {
	suffix := ""
	if id != "" {
		suffix = "." + id
	}
	of.key += suffix
	if a := r.Get(of.key); a != "" && !strings.Contains(a, "${") {
		return r.base(of, a)
	}
	hostname := "yarn.resourcemanager.hostname" + suffix
	host := r.Get(hostname)
	switch {
	case host != "":
	case id != "":
		r.err = cmp.Or(r.err, fmt.Errorf("neither %s nor %s has the address of ResourceManager %s", of.key, hostname, id))
	default:
		host = "localhost"
		r.Notes = append(r.Notes, "no yarn.resourcemanager.hostname: the ResourceManager is assumed on this machine")
	}
	of.key = hostname
	return r.base(of, host)
}

// history sets the address of the job history server. Like Hadoop, it uses the host of mapreduce.jobhistory.address
// if the web address has none.
func (r *siteReader) history(of service) {
	a := r.Get(of.key)
	if a != "" && !wildcard(a) {
		r.JHS = r.base(of, a)
		return
	}
	if _, given, err := net.SplitHostPort(a); err == nil && given != "" {
		of.port = given
	}
	of.key = "mapreduce.jobhistory.address"
	if a := r.Get(of.key); a != "" && !wildcard(a) {
		r.JHS = r.base(of, net.JoinHostPort(hostOf(a), of.port))
		return
	}
	if rm, err := url.Parse(r.RMs[0].URL); err == nil {
		r.JHS, r.JHSGuessed = of.scheme+"://"+net.JoinHostPort(rm.Hostname(), of.port), true
	}
	r.Notes = append(r.Notes, "no mapreduce.jobhistory.webapp.address: the history server is assumed at "+r.JHS)
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

// base makes the base URL of a service from host[:port]. A service bound to the wildcard address is assumed on this
// machine.
func (r *siteReader) base(of service, address string) string {
	host, given, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	if wildcard(host) {
		host = "localhost"
	}
	u, err := url.Parse(of.scheme + "://" + net.JoinHostPort(host, cmp.Or(given, of.port)))
	if err != nil || u.Path != "" || u.RawQuery != "" || u.User != nil || u.Hostname() == "" {
		r.err = cmp.Or(r.err, fmt.Errorf("%s is not host:port", of.key)) // it may hold a password
		return ""
	}
	return u.String()
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
		port := map[string]string{"http": historyPort, "https": historyTLSPort}[u.Scheme]
		history = cmp.Or(history, u.Scheme+"://"+net.JoinHostPort(u.Hostname(), port))
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
	return fmt.Errorf("%s is not an address like http://host:port: it has a user, a password or a query: give --user NAME and --set password-file=FILE instead", flag)
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
	all := append(append(s.managers(), s.Proxy, s.JHS), s.Web...)
	return slices.DeleteFunc(all, func(base string) bool { return base == "" })
}

func (s Site) managers() []string { return units.Each(s.RMs, func(m Manager) string { return m.URL }) }

// Check returns an error if the site has no ResourceManager.
func (s Site) Check() error {
	if len(s.RMs) == 0 {
		return errors.New("no ResourceManager: set HADOOP_CONF_DIR, or give --rm http://host:8088")
	}
	return nil
}
