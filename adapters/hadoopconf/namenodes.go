package hadoopconf

import (
	"cmp"
	"maps"
	"net"
	"path"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
)

// NameNodes are the properties of a configuration that name the default file system and HDFS's NameNodes.
type NameNodes struct {
	properties map[string]string
}

const (
	defaultSystem = "fs.defaultFS"
	namenodeHTTP  = "dfs.namenode.http-address"
	namenodeHTTPS = "dfs.namenode.https-address"
	namenodeOnly  = "dfs.http.policy"
	// namenodePort and namenodeTLSPort are Hadoop 3's defaults for addresses without a port.
	namenodePort, namenodeTLSPort = "9870", "9871"

	// Bounds of what is kept of a configuration, which a job's owner may have written.
	mostProperties  = 100
	longestProperty = 256 // bytes
)

// Set takes a property if it belongs to a NameNode. It does not retain its arguments.
func (n *NameNodes) Set(name, value string) {
	isAddress := strings.HasPrefix(name, namenodeHTTP) || strings.HasPrefix(name, namenodeHTTPS)
	isWanted := isAddress || name == defaultSystem || name == namenodeOnly
	if !isWanted || value == "" || len(name)+len(value) > longestProperty || len(n.properties) >= mostProperties {
		return
	}
	if n.properties == nil {
		n.properties = map[string]string{}
	}
	n.properties[strings.Clone(name)] = strings.Clone(value)
}

// Place returns the bases of the NameNodes that serve a path, and the path there. ok is false if the path is not on
// HDFS, or its file system is unknown.
func (n *NameNodes) Place(name string) (bases []string, file string, ok bool) {
	own, _, ok := authority(n.properties[defaultSystem])
	if ok && strings.HasPrefix(name, "/") {
		name = "hdfs:" + path.Clean(name)
	}
	system, file, ok := authority(name)
	if !ok {
		return nil, "", false
	}
	system = cmp.Or(system, own)
	file = path.Clean(file)
	// Anything that inspects requests would take a path on HDFS that contains the path of a YARN service for that
	// service's.
	if strings.ContainsFunc(file, func(r rune) bool { return r < ' ' || r == 0x7f }) ||
		strings.Contains(file, "/ws/v1/") || strings.Contains(file, "/proxy/") {
		return nil, "", false
	}
	return n.of(system, own), file, system != ""
}

// authority splits an address of HDFS, hdfs://HOST:PORT/PATH or hdfs://NAMESERVICE/PATH.
func authority(address string) (system, file string, ok bool) {
	below, ok := strings.CutPrefix(address, "hdfs:")
	if !ok {
		return "", "", false
	}
	if after, found := strings.CutPrefix(below, "//"); found {
		if i := strings.IndexByte(after, '/'); i >= 0 {
			system, below = after[:i], after[i:]
		} else {
			system, below = after, "/"
		}
		if system != "" && !rest.PlainHost(system) {
			return "", "", false
		}
	}
	return system, below, strings.HasPrefix(below, "/")
}

// of returns the bases of a file system's NameNodes: those that are named for it or else, for the default
// file system, the only one.
func (n *NameNodes) of(system, own string) []string {
	host := hostOf(system)
	out := n.named(func(of string) bool { return of == host || strings.HasPrefix(of, host+".") })
	service := n.service()
	given, isGiven := n.properties[service.key]
	switch {
	case len(out) > 0 || !isGiven || system != own || system == "":
		return out
	case wildcard(given): // it serves every address of the machine in the file system's name
		_, port, _ := net.SplitHostPort(given)
		given = net.JoinHostPort(strings.Trim(host, "[]"), cmp.Or(port, service.port))
	}
	if base, err := baseURL(service, given); err == nil {
		out = append(out, base)
	}
	return out
}

// named returns the bases of the NameNodes that are named for a nameservice, by the order of their names.
func (n *NameNodes) named(isWanted func(of string) bool) (out []string) {
	service := n.service()
	for _, name := range slices.Sorted(maps.Keys(n.properties)) {
		of, isNamed := strings.CutPrefix(name, service.key+".")
		if base, err := baseURL(service, n.properties[name]); isNamed && isWanted(of) && err == nil &&
			!wildcard(n.properties[name]) {
			out = append(out, base)
		}
	}
	return out
}

// service returns HDFS's web service.
func (n *NameNodes) service() service {
	if n.properties[namenodeOnly] == "HTTPS_ONLY" {
		return service{"https", namenodeHTTPS, namenodeTLSPort}
	}
	return service{"http", namenodeHTTP, namenodePort}
}

// nameNodes returns the bases of the NameNodes that the properties name.
func (p *Properties) nameNodes() []string {
	var n NameNodes
	n.Set(namenodeHTTP, "0.0.0.0") // Hadoop's defaults
	n.Set(namenodeHTTPS, "0.0.0.0")
	for name := range p.raw {
		n.Set(name, p.Get(name))
	}
	if out := n.named(func(string) bool { return true }); len(out) > 0 {
		return out
	}
	own, _, _ := authority(n.properties[defaultSystem])
	return n.of(own, own)
}
