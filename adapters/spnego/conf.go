package spnego

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
)

// A conf is the settings of krb5.conf that a client needs.
type conf struct {
	*profile
	realm     string // default_realm, "" if there is none
	dnsKDC    bool   // KDCs that krb5.conf does not name may be looked up in DNS
	fallback  bool   // if the KDC does not know a service by its name, its canonical name is tried
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
	c := &conf{profile: p, dnsKDC: true, fallback: true, gokrb5: config.New(), etypes: defaultEtypes}
	one := func(name string) string { s, _ := p.get("libdefaults", name); return s.value }
	c.realm, c.cacheName, c.keytab = one("default_realm"), one("default_ccache_name"), one("default_client_keytab_name")
	if c.dnsKDC, err = c.flag("dns_lookup_kdc", true); err != nil {
		return nil, err
	}
	if s, ok := p.get("libdefaults", "dns_canonicalize_hostname"); ok && s.value != "fallback" {
		if c.fallback, err = c.flag("dns_canonicalize_hostname", true); err != nil {
			return nil, err
		}
	}
	if err := c.chooseEtypes(); err != nil {
		return nil, err
	}
	l := &c.gokrb5.LibDefaults
	for name, to := range map[string]*time.Duration{
		"ticket_lifetime": &l.TicketLifetime,
		"renew_lifetime":  &l.RenewLifetime,
	} {
		if err := c.duration(name, to); err != nil {
			return nil, err
		}
	}
	l.DefaultRealm, l.Canonicalize, l.Forwardable, l.Proxiable, l.NoAddresses = c.realm, true, false, false, true
	l.DefaultTktEnctypeIDs, l.DefaultTGSEnctypeIDs, l.PermittedEnctypeIDs = c.etypes, c.etypes, c.etypes
	return c, nil
}

func bad(s setting, what string) error {
	return &Error{
		Text: fmt.Sprintf("Kerberos' configuration: %s: %s = %s: %s", s.at, s.path[len(s.path)-1], short(s.value),
			what),
		Hint: "set it right, or set KRB5_CONFIG to another file",
	}
}

func (c *conf) flag(name string, def bool) (bool, error) {
	s, ok := c.get("libdefaults", name)
	if !ok {
		return def, nil
	}
	switch strings.ToLower(s.value) {
	case "true", "t", "yes", "y", "on", "1":
		return true, nil
	case "false", "f", "no", "n", "off", "0", "nil":
		return false, nil
	}
	return def, bad(s, "it is true or false")
}

// duration parses 600, 10h, 1d12h, 24:00 and 24:00:00.
func (c *conf) duration(name string, to *time.Duration) error {
	s, ok := c.get("libdefaults", name)
	if !ok {
		return nil
	}
	v := strings.ReplaceAll(s.value, " ", "")
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		*to = time.Duration(n) * time.Second
		return nil
	}
	var total time.Duration
	if h, rest, ok := strings.Cut(v, ":"); ok {
		m, sec, _ := strings.Cut(rest, ":")
		v = h + "h" + m + "m" + cmp.Or(sec, "0") + "s"
	}
	if days, rest, ok := strings.Cut(v, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 15)
		if err != nil {
			return bad(s, "it is not a time")
		}
		total, v = time.Duration(n)*24*time.Hour, cmp.Or(rest, "0s")
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 || total+d > 100*365*24*time.Hour {
		return bad(s, "it is not a time")
	}
	*to = total + d
	return nil
}

// families are names for several kinds of encryption.
var families = map[string][]int32{
	"aes": defaultEtypes, "default": defaultEtypes,
	"rc4": {etypeID.RC4_HMAC}, "des3": {etypeID.DES3_CBC_SHA1_KD},
}

// chooseEtypes selects what krb5.conf permits and gokrb5 supports: AES, and RC4 and triple DES if they are named.
func (c *conf) chooseEtypes() error {
	s, ok := c.get("libdefaults", "permitted_enctypes")
	if !ok {
		if s, ok = c.get("libdefaults", "default_tkt_enctypes"); !ok {
			return nil
		}
	}
	var ids []int32
	for _, word := range strings.FieldsFunc(strings.ToLower(s.value), func(r rune) bool {
		return r == ' ' ||
			r == ','
	}) {
		drop := strings.HasPrefix(word, "-")
		of, known := families[strings.Trim(word, "+-")]
		if !known {
			if id := etypeID.EtypeSupported(strings.Trim(word, "+-")); id != 0 {
				of = []int32{id}
			}
		}
		for _, id := range of {
			switch held := slices.Contains(ids, id); {
			case drop:
				ids = slices.DeleteFunc(ids, func(other int32) bool { return other == id })
			case !held:
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return bad(s, "none of these is supported: AES is, and RC4 and triple DES where they are named")
	}
	c.etypes = ids
	return nil
}

// serviceRealm returns the realm of a host by [domain_realm], "" if there is none.
func (c *conf) serviceRealm(host string) string {
	for name := strings.ToLower(host); name != ""; {
		if s, ok := c.get("domain_realm", name); ok {
			return s.value
		}
		rest := strings.TrimPrefix(name, ".")
		i := strings.IndexByte(rest, '.')
		if i < 0 {
			return ""
		}
		if strings.HasPrefix(name, ".") {
			name = rest[i:]
		} else {
			name = name[i:]
		}
	}
	return ""
}

// expand replaces the variables of default_ccache_name and of keytabs.
func expand(name string, getenv func(string) string) string {
	uid := strconv.Itoa(os.Getuid())
	return strings.NewReplacer("%{uid}", uid, "%{euid}", uid, "%{USERID}", uid, "%{null}", "",
		"%{username}", getenv("USER"), "%{TEMP}", cmp.Or(getenv("TMPDIR"), "/tmp")).Replace(name)
}
