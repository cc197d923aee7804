package hadoop

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/paratimer/paratimer/adapters/keypair"
)

// encryption is what a service must prove to us, and what we prove to one that asks, of which wanted is told.
func encryption(o Options, wanted func()) (*tls.Config, error) {
	conf := &tls.Config{InsecureSkipVerify: o.Insecure, MinVersion: tls.VersionTLS12, Time: o.Clock} //nolint:gosec // G402: --insecure asks for it, and every frame says so
	if o.CAFile != "" {
		system, err := x509.SystemCertPool()
		if err != nil {
			system = nil // there are systems without any
		}
		if conf.RootCAs, err = keypair.Pool(o.CAFile, system); err != nil {
			return nil, fmt.Errorf("hadoop: CA file: %w", err)
		}
	}
	switch {
	case o.CertFile == "" && o.KeyFile == "":
		conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			wanted()
			return &tls.Certificate{}, nil // it sends none, and sees how the service takes that
		}
		return conf, nil
	case o.CertFile == "" || o.KeyFile == "":
		return nil, errors.New("hadoop: a client's certificate and its key go together: --cert and --key")
	}
	pair, err := keypair.Open(o.CertFile, o.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("hadoop: client certificate: %w", err)
	}
	conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		wanted()
		return pair.Certificate(), nil
	}
	return conf, nil
}

// exportHint says how the PEM file for --ca-file is made of the trust store that Hadoop's own clients use.
func (s Site) exportHint() string {
	if s.Truststore == "" {
		return "give that authority's certificate, in PEM form, by --ca-file"
	}
	if _, err := os.Stat(s.Truststore); err != nil {
		return "give that authority's certificate by --ca-file; " + s.Truststore + " (ssl-client.xml) should hold it, but it cannot be read: " + err.Error()
	}
	return fmt.Sprintf("Hadoop's clients trust what is in %s: keytool -list -rfc -keystore %s >ca.pem, then --ca-file ca.pem", s.Truststore, s.Truststore)
}
