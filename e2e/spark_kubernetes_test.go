//go:build e2e

package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// inPod runs a command where the files of a service account are, as in a pod.
const inPod = `mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io/serviceaccount && cd /run/secrets/kubernetes.io/serviceaccount &&
printf %s "$TOKEN" >token && cp "$KUBE/ca.crt" ca.crt && printf etl >namespace && exec "$@"`

// TestSparkKubernetes finds applications of spark-submit by a real API server, whose pods run as processes: by a client
// certificate, a plugin and a service account with the rights of the chart. It watches one to its end, and one whose
// driver is killed.
func TestSparkKubernetes(t *testing.T) {
	l := newLab(t, "a real Kubernetes", "java", "javac", "python3", "curl", "go", "openssl")
	if out, err := exec.CommandContext(l.ctx, script("spark/kube.sh"), "fetch").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: Kubernetes does not build: %s", out)
	}
	env := l.begin("spark/kube.sh")
	t.Setenv("KUBECONFIG", env["KUBECONFIG"])
	l.takeSpark("--kubernetes")
	at := func(args ...string) []string { return append(args, "--kubernetes") }
	if out := string(l.run("idle", 0, at("list", "--output", "json")...)); !strings.Contains(out, `"applications":[]`) {
		t.Errorf("without applications: %s", out)
	}
	one := append(adaptive(false), "--conf", "spark.ui.port=24040")
	job := l.application("nightly", append(one, sqlSmall...)...)
	var all struct {
		Applications []struct{ ID, Name, User, URL, Queue string }
	}
	l.await("the driver's pod", func() bool {
		l.must(json.Unmarshal(l.run("list", 0, at("list", "--output", "json")...), &all))
		return len(all.Applications) == 1
	})
	a := all.Applications[0]
	if a.Name != "nightly" || a.User == "" || a.Queue != "etl" || !strings.HasPrefix(a.ID, "spark-") ||
		!strings.HasSuffix(a.URL, "-driver:24040/proxy") {
		t.Errorf("listed: %+v", a)
	}
	// The watcher is there before the driver's page is.
	w := l.attach("attach", "nightly", at("--spark-history", l.spark.history)...)
	waits := l.start("wait", l.paratimer(at("wait", "nightly", "--no-history")...))
	for _, context := range []string{"plugin", "admin"} {
		if out := l.run(context, 0, at("list", "--context", context)...); !strings.Contains(string(out), "nightly") {
			t.Errorf("as %s: %s", context, out)
		}
	}
	p := l.start("stranger", l.paratimer(at("list", "--context", "stranger")...))
	if code := p.wait(); code != 3 || !strings.Contains(tail(p.stderr), "verb list, resource pods") {
		t.Errorf("without rights: exit code %d\n%s", code, tail(p.stderr))
	}
	l.await("the driver's page", func() bool {
		p := l.start("doctor", l.paratimer(at("doctor")...))
		return p.wait() == 0 && strings.Contains(p.printed(), "spark job page")
	})
	l.inPod(env, a.ID)
	w.ends(0, "succeeded")
	job.succeed()
	if code := waits.wait(); code != 0 {
		t.Errorf("wait without a history server: exit code %d\n%s", code, tail(waits.stderr))
	}
	if id := deref(w.last().Workflow.ID); id != a.ID {
		t.Errorf("attach has watched %s, want %s", id, a.ID)
	}
	truth := w.checkOutput(0)
	for _, s := range w.last().Jobs[0].Stages {
		if s.Total != nil && *s.Total > 0 && !strings.HasPrefix(s.URL, l.spark.history+"/history/"+a.ID+"/stages/stage/?id=") {
			t.Errorf("the page of %s is %q", s.Name, s.URL)
		}
	}

	l.application("doomed", append(one, sqlSmall...)...)
	l.await("the second driver's pod", func() bool {
		l.must(json.Unmarshal(l.run("list", 0, at("list", "--output", "json")...), &all))
		return len(all.Applications) == 1 && all.Applications[0].ID != a.ID
	})
	killed := l.attach("attach-doomed", "doomed", at()...)
	l.await("a task of it", func() bool {
		_, frames := l.readFrames(killed.stdout)
		n := len(frames)
		return n > 0 && len(frames[n-1].Jobs) == 1 && frames[n-1].Jobs[0].running() > 0
	})
	l.output("spark/spark.sh", "kill-driver")
	killed.ends(1, "failed")
	if out := tail(killed.stdout); !strings.Contains(out, "the driver's container ended with exit code") {
		t.Errorf("a driver that was killed: %s", out)
	}
	l.part("run", func(l *lab) {
		l.started("submitted", 0, "succeeded after", "waves", "1")
		l.started("broken", 1, "failed: the driver's container ended with exit code 1", "none")
	})
	l.part("operator", (*lab).operated)
	known := w.score("own", "--profile", w.ofLog("succeeded", truth))
	l.addRow("Spark on Kubernetes: an API server, a real spark-submit in cluster mode", w.score("bare"), &known, "",
		"kube-apiserver 1.37.2; pods run as processes; `list`, `attach` before the driver's page is there, `wait` without a history server, `doctor`; by a client certificate, a plugin, a service account, and without rights; by `run` of spark-submit, which ends with 1 if the driver fails; a driver killed: failed, with its exit code; the profile is the run's own")
}

// inPod lists an application by the service account of a pod that has the rights of the chart.
func (l *lab) inPod(env map[string]string, id string) {
	l.t.Helper()
	if exec.CommandContext(l.ctx, "unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/run").Run() != nil {
		l.t.Log("SKIPPED: no namespace of mounts can be had here: the service account was not tried")
		return
	}
	folder := l.root + "/kube"
	out := l.api("/api/v1/namespaces/etl/serviceaccounts/paratimer/token", "--data-binary",
		"{apiVersion: authentication.k8s.io/v1, kind: TokenRequest}")
	var token struct{ Status struct{ Token string } }
	l.must(json.Unmarshal([]byte(out), &token))
	cmd := l.paratimer("list", "--kubernetes")
	host, port, _ := strings.Cut(strings.TrimPrefix(env["PARATIMER_KUBE_SERVER"], "https://"), ":")
	cmd.Env = append(cmd.Env, "KUBECONFIG=", "HOME=/none", "KUBERNETES_SERVICE_HOST="+host, "KUBERNETES_SERVICE_PORT="+port,
		"TOKEN="+token.Status.Token, "KUBE="+folder)
	cmd.Args = append([]string{"unshare", "--map-root-user", "--mount", "sh", "-c", inPod, "sh", binary}, cmd.Args[1:]...)
	path, err := exec.LookPath("unshare")
	l.must(err)
	cmd.Path = path
	p := l.start("in-pod", cmd)
	if code := p.wait(); code != 0 || !strings.Contains(p.printed(), id) {
		l.t.Errorf("in a pod: exit code %d\n%s%s", code, p.printed(), tail(p.stderr))
	}
}
