package spnego

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
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
	if l.DNSLookupKDC, err = c.looksUpKDC(); err != nil {
		return nil, err
	}
	l.DefaultRealm, l.Canonicalize, l.Forwardable, l.Proxiable, l.NoAddresses = c.realm, true, false, false, true
	l.DefaultTktEnctypeIDs, l.DefaultTGSEnctypeIDs, l.PermittedEnctypeIDs = c.etypes, c.etypes, c.etypes
	return c, nil
}

// looksUpKDC returns whether DNS may name KDCs, as it may by default.
func (c *conf) looksUpKDC() (bool, error) {
	s, isSet := c.get("dns_lookup_kdc")
	switch strings.ToLower(s.value) {
	case "n", "no", "false", "f", "nil", "0", "off":
		return false, nil
	case "y", "yes", "true", "t", "1", "on":
		return true, nil
	}
	if isSet {
		return false, bad(s, "it is not true or false")
	}
	return true, nil
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
