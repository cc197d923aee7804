package kubernetes

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// configs writes kubeconfigs and returns the environment in which KUBECONFIG lists them.
func configs(t *testing.T, files ...string) (getenv func(string) string) {
	t.Helper()
	var names []string
	for _, text := range files {
		name := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(name, []byte("{apiVersion: v1, kind: Config, "+text+"}"), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	env := map[string]string{"KUBECONFIG": strings.Join(names, string(filepath.ListSeparator))}
	return func(name string) string { return env[name] }
}

// send sends a request by an access to its server, and returns the body.
func send(ctx context.Context, t *testing.T, access *Access) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, access.Base, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := access.Transport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var name string
	_, err = fmt.Fscan(resp.Body, &name)
	return name, err
}

// TestUsers checks that requests have the credentials of the context's user: a token, a client certificate, or what a
// plugin prints. The context is in one file, what it names in another.
func TestUsers(t *testing.T) {
	t.Parallel()
	ca := fixtures.NewAuthority(t, "lab")
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if peers := r.TLS.PeerCertificates; len(peers) > 0 {
			fmt.Fprintln(w, peers[0].Subject.CommonName)
			return
		}
		fmt.Fprintln(w, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	}))
	s.TLS = &tls.Config{
		Certificates: []tls.Certificate{ca.Issue("api", nil, "127.0.0.1")}, ClientCAs: ca.Pool(),
		ClientAuth: tls.VerifyClientCertIfGiven,
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	cert, key := fixtures.CertFiles(t, t.TempDir(), ca.Issue("watcher", nil))
	const plugin = `{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: sh, args: [-c, %q]}}`
	const credential = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"plugged"}}`
	for user, c := range map[string]struct{ spec, want, wrong string }{
		"token":       {"{token: secret}", "secret", ""},
		"certificate": {fmt.Sprintf("{client-certificate: %s, client-key: %s}", cert, key), "watcher", ""},
		"plugin":      {fmt.Sprintf(plugin, "echo '"+credential+"'"), "plugged", ""},
		"broken":      {fmt.Sprintf(plugin, "exit 7"), "", "exit code 7"},
		"stuck":       {fmt.Sprintf(plugin, "sleep 2"), "", errPlugin.Error()},
		"missing":     {"{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: no-such}}", "", "no-such"},
	} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			getenv := configs(t, fmt.Sprintf("current-context: none, contexts: [{name: lab, context: {cluster: c, user: %s}}]", user),
				fmt.Sprintf("current-context: lab, clusters: [{name: c, cluster: {server: %q, certificate-authority: %s}}], "+
					"users: [{name: %s, user: %s}]", s.URL, ca.File(), user, c.spec))
			access, err := FindAccess("lab", "", getenv)
			if err != nil || access.Base != s.URL || access.Namespace != "default" {
				t.Fatalf("%+v, %v", access, err)
			}
			limit := time.Minute
			if user == "stuck" {
				limit = 10 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			if got, err := send(ctx, t, access); got != c.want || (err != nil) != (c.wrong != "") ||
				err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%q, %v, want %q, %s", got, err, c.want, c.wrong)
			}
		})
	}
}

// TestNoAnswer checks what to do if the server, or a plugin that signs in to it, does not answer.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for _, e := range []*rest.Error{
		{Err: fmt.Errorf("not done within 1m0s: %w", context.DeadlineExceeded)},
		{Text: "getting credentials: exec: executable aws failed with exit code 255"},
	} {
		if advise(e, nil); !strings.Contains(e.Hint, "program of the kubeconfig") || !strings.Contains(e.Hint, "`kubectl get pods`") {
			t.Errorf("%v: %q", e, e.Hint)
		}
	}
}

// TestNoAccess checks the errors of configurations that have no cluster, or not the named context.
func TestNoAccess(t *testing.T) {
	t.Parallel()
	const lab = "contexts: [{name: lab, context: {cluster: c}}], clusters: [{name: c, cluster: {server: 'https://api'}}]"
	for name, c := range map[string]struct{ config, context, want string }{
		"none":           {"contexts: []", "", "set KUBECONFIG to a file as kubectl uses it"},
		"another one":    {lab, "prod", `context "prod" does not exist`},
		"a bad file":     {"contexts: 7", "", "error loading config file"},
		"a dead context": {"current-context: lab, contexts: [{name: lab, context: {cluster: c}}]", "", "cluster"},
	} {
		access, err := FindAccess(c.context, "", configs(t, c.config))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v, want %q", name, access, err, c.want)
		}
	}
}

// TestPort checks which port of a pod is the driver's page, and its address through the proxy.
func TestPort(t *testing.T) {
	t.Parallel()
	for want, spec := range map[int]string{
		4040: `"containers":[{"ports":[{"name":"driver-rpc-port","containerPort":7078}],"env":[{"name":"SPARK_UI_PORT","value":"0"}]}]`,
		4041: `"containers":[{"ports":[]},{"ports":[{"name":"spark-ui","containerPort":4041}],"env":[{"name":"SPARK_UI_PORT","value":"9"}]}]`,
		4042: `"containers":[{"ports":[{"name":"spark-driver-ui-port","containerPort":4042}]}]`,
		4043: `"containers":[{"env":[{"name":"SPARK_UI_PORT","value":"4043"}]}]`,
	} {
		var w pod
		body := `{"metadata":{"name":"a-driver","namespace":"etl"},"spec":{` + spec + `}}`
		if err := rest.Decode("pod", []byte(body), &w, rest.Lists(len(body))); err != nil {
			t.Fatal(err)
		}
		if got := proxied(&w); got != fmt.Sprintf("/api/v1/namespaces/etl/pods/a-driver:%d/proxy", want) {
			t.Errorf("%s, want port %d", got, want)
		}
	}
	c := &Cluster{access: &Access{Namespace: AllNamespaces}}
	if got := c.path("/api/v1", "pods"); got != "/api/v1/pods" {
		t.Errorf("pods of all namespaces: %s", got)
	}
}
