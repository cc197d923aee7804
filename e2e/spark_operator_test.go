//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// started runs spark-submit in cluster mode by `paratimer run`, which finds the application by the id that it prints.
// spark-submit itself ends with 0 also if the driver fails.
func (l *lab) started(name string, code int, end string, program ...string) {
	l.t.Helper()
	p := l.start(name, l.paratimer(append([]string{
		"run", "--kubernetes", "--", "env", "PARATIMER_LAB=" + l.root, script("spark/spark.sh"), "submit", "--name", name,
		"--conf", "spark.ui.port=24040", "rdd",
	}, program...)...))
	got := p.wait()
	if out := unfolded(p.stderr); got != code || !strings.Contains(out, name+": Spark application") || !strings.Contains(out, end) {
		l.t.Errorf("%s: exit code %d, want %d and %q: see %s", name, got, code, end, p.stderr)
	}
}

// unfolded returns the words of a file with a space between them: lines for people are folded.
func unfolded(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(string(b)), " ")
}

// api sends a request to the API server as its administrator.
func (l *lab) api(path string, options ...string) string {
	l.t.Helper()
	return l.output("spark/kube.sh", append([]string{"api", path}, options...)...)
}

const (
	operatedPath = "/apis/sparkoperator.k8s.io/v1beta2/namespaces/etl/sparkapplications"
	podPath      = "/api/v1/namespaces/etl/pods"
)

// apply creates a SparkApplication that runs a program of rdd.py. It returns when its driver is listed.
func (l *lab) apply(name, restart string, program ...string) {
	l.t.Helper()
	l.api(operatedPath, "--data-binary", fmt.Sprintf(`{apiVersion: sparkoperator.k8s.io/v1beta2, kind: SparkApplication,
		metadata: {name: %s}, spec: {type: Python, mode: cluster, sparkVersion: 3.5.6, image: lab,
		mainApplicationFile: "local://%s", arguments: ["%s"], sparkConf: {spark.ui.port: "24041"}, restartPolicy: {%s},
		driver: {memory: 512m}, executor: {instances: 2, memory: 512m}}}`, name, script("spark/rdd.py"),
		strings.Join(program, `", "`), restart))
	l.await("the driver of "+name, func() bool {
		return strings.Contains(string(l.run("list", 0, "list", "--kubernetes")), name)
	})
}

// kubelet stops the start of pods, or goes on with it.
func (l *lab) kubelet(signal syscall.Signal) {
	l.t.Helper()
	file, err := os.ReadFile(filepath.Join(l.root, "spark", "pid", "kubelet"))
	l.must(err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(file)))
	l.must(err)
	l.must(syscall.Kill(pid, signal))
}

// operated watches applications of the Spark operator: one that waits and then succeeds, and one whose pod is deleted.
func (l *lab) operated() {
	l.kubelet(syscall.SIGSTOP)
	l.apply("waiting", "type: Never", "waves", "1")
	status := string(l.run("status", 0, "status", "waiting", "--kubernetes", "--output", "json"))
	if !strings.Contains(status, `"name":"waiting","state":"submitted"`) {
		l.t.Errorf("the status of a driver that waits: %.300s", status)
	}
	w := l.attach("waiting", "waiting", "--kubernetes")
	waits := l.start("wait", l.paratimer("wait", "waiting", "--kubernetes"))
	w.awaitFrame("a driver that waits", func(f *frame) bool { return f.Workflow.State == "submitted" })
	l.kubelet(syscall.SIGCONT)
	w.ends(0, "succeeded")
	waits.succeed()

	l.unseen("failing", "type: Never", `"state": "FAILED"`, "driver container failed with ExitCode: 1, Reason: Error")
	l.unseen("again", "type: OnFailure, onFailureRetries: 1, onFailureRetryInterval: 1", `"executionAttempts": 2`,
		"the Spark operator has deleted the driver, to start the application again")

	l.apply("deleted", "type: Never", "waves", "5")
	gone := l.attach("deleted", "deleted", "--kubernetes")
	gone.awaitFrame("a task of it", func(f *frame) bool { return len(f.Jobs) == 1 && f.Jobs[0].running() > 0 })
	l.api(podPath+"/deleted-driver", "--request", "DELETE")
	gone.ends(1, "failed")
	if got := deref(gone.last().Jobs[0].Diagnosis); got != "driver pod not found" {
		l.t.Errorf("a driver that was deleted has failed because of %q", got)
	}
	l.note("Spark on Kubernetes: the Spark operator", *w.last().Elapsed,
		"controller 2.5.2 and its CRDs: `list`, `status`, `attach` and `wait` of a driver that waits, to its end; state and error of its `SparkApplication` after the driver's pod was deleted, while it ran and after it had failed; one that the operator starts again")
}

// unseen watches an application that fails while its watcher is stopped. Its SparkApplication has the text until before
// the watcher goes on, and its driver's pod is deleted.
func (l *lab) unseen(name, restart, until, why string) {
	l.t.Helper()
	l.kubelet(syscall.SIGSTOP)
	l.apply(name, restart, "none")
	cmd := l.paratimer("attach", name, "--kubernetes")
	p := l.start(name, cmd)
	l.await("the watcher of "+name, func() bool { return strings.Contains(p.printed(), name+": Spark application") })
	l.must(cmd.Process.Signal(syscall.SIGSTOP))
	l.kubelet(syscall.SIGCONT)
	l.await(until, func() bool { return strings.Contains(l.api(operatedPath+"/"+name), until) })
	l.api(podPath+"/"+name+"-driver", "--request", "DELETE")
	l.must(cmd.Process.Signal(syscall.SIGCONT))
	if code := p.wait(); code != 1 || !strings.Contains(unfolded(p.stdout), "failed: "+why) {
		l.t.Errorf("%s: exit code %d, want %q\n%s", name, code, why, tail(p.stdout))
	}
}
