#!/usr/bin/env bash
# A real Kubernetes API server on one machine, built from the Go modules of Kubernetes and etcd. There is no scheduler and
# no kubelet: spark.sh up --kubernetes runs the pods as processes (kubelet.py), and the Spark operator's controller.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$(dirname "$HERE")/hadoop/lab.sh"
RUN=$LAB/kube
# shellcheck disable=SC2034 # lab.sh uses these two
MARK=PARATIMER_RUN=$RUN UP='kube.sh up'
KUBERNETES=1.37.2 ETCD=3.7.0 OPERATOR=2.5.2
BIN=$LAB/kube-$KUBERNETES OPERATED=$LAB/spark-operator-$OPERATOR

usage() {
	cat >&2 <<END
usage: kube.sh VERB

  fetch     build kube-apiserver $KUBERNETES, etcd $ETCD and the Spark operator $OPERATOR (once; 15 minutes on two cores)
  up        start a fresh cluster and wait until it answers
  down      kill everything that belongs to it
  status    print what runs; exit 0 up, 1 partly, 3 down
  env       print the settings of the run for eval
  api PATH [OPTION]...
            send a request as admin; options of curl, such as --data-binary YAML to create something

The namespace etl has a Role as in the Helm chart. The contexts of \$KUBECONFIG are admin (a token, all rights), watcher (a client
certificate, the Role), plugin (a program that prints watcher's token) and stranger (no rights).
END
	exit 2
}

# The operator's go.mod replaces modules, so it is built where the module is.
fetch_operator() {
	local module
	[[ ! -f $OPERATED/stamp ]] || return 0
	need go "install Go"
	echo "kube.sh: building the Spark operator $OPERATOR in $OPERATED (5 minutes)" >&2
	rm -rf "$OPERATED"
	mkdir -p "$OPERATED"
	module=$(go mod download -json "github.com/kubeflow/spark-operator/v2@v$OPERATOR" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	CGO_ENABLED=0 go build -C "$module" -ldflags '-s -w' -o "$OPERATED/spark-operator" ./cmd/operator >"$OPERATED/build.log" 2>&1 || {
		tail -n 5 "$OPERATED/build.log" >&2
		die "the Spark operator does not build: see $OPERATED/build.log"
	}
	cp "$module"/config/crd/bases/*.yaml "$OPERATED"
	touch "$OPERATED/stamp"
}

fetch_kubernetes() {
	[[ ! -f $BIN/stamp ]] || return 0
	need go "install Go"
	local proxy=${GOPROXY:-https://proxy.golang.org} module name
	echo "kube.sh: building kube-apiserver $KUBERNETES and etcd $ETCD in $BIN (10 minutes)" >&2
	rm -rf "$BIN"
	mkdir -p "$BIN"/{kube-apiserver,etcd}
	cd "$BIN"
	cat >kube-apiserver/main.go <<-'END'
		package main

		import (
			"os"

			"k8s.io/component-base/cli"
			"k8s.io/kubernetes/cmd/kube-apiserver/app"
		)

		func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
	END
	cat >etcd/main.go <<-'END'
		package main

		import (
			"os"

			"go.etcd.io/etcd/server/v3/etcdmain"
		)

		func main() { etcdmain.Main(os.Args) }
	END
	{
		printf 'module lab\n\nrequire k8s.io/kubernetes v%s\nrequire go.etcd.io/etcd/server/v3 v%s\n' "$KUBERNETES" "$ETCD"
		# Kubernetes replaces its own modules by folders of its repository. They are modules with versions as well.
		curl -sSf "${proxy%%,*}/k8s.io/kubernetes/@v/v$KUBERNETES.mod" |
			sed -n "s|^\t*\(k8s.io/[^ ]*\) => ./staging/.*|replace \1 => \1 v0.${KUBERNETES#*.}|p"
	} >go.mod
	for name in etcd kube-apiserver; do
		{ go mod tidy && CGO_ENABLED=0 go build -ldflags '-s -w' -o "bin/$name" "./$name"; } >"$name.log" 2>&1 || {
			tail -n 5 "$name.log" >&2
			die "$name does not build: see $BIN/$name.log"
		}
	done
	touch stamp
}

fetch() {
	fetch_kubernetes
	fetch_operator
}

# certify NAME SUBJECT [EXTENSION] makes a key and a certificate of the lab's authority.
certify() {
	openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -subj "$2" -out "$1.csr" 2>/dev/null
	openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out "$1.crt" \
		-extfile <(echo "${3:-}") 2>/dev/null
}

# daemon NAME COMMAND...: starts in the background, notes the pid
daemon() {
	local name=$1
	shift
	env "${MARK?}" setsid "$@" </dev/null >"$RUN/log/$name.log" 2>&1 8>&- 9>&- &
	echo $! >"$RUN/pid/$name"
	disown
}

# api PATH [OPTION]... with options of curl. The API server reads YAML as well as JSON.
api() {
	answer --fail-with-body --cacert "$RUN/ca.crt" -H 'Authorization: Bearer admin' -H 'Content-Type: application/yaml' \
		"$PARATIMER_KUBE_SERVER$1" "${@:2}"
}

# create PATH YAML
create() { api "$1" --data-binary "$2" >"$RUN/log/answer.log" || die "$1: $(<"$RUN/log/answer.log")"; }

up() {
	local ip file until=$((SECONDS + 120))
	need openssl "install it"
	need curl "install it"
	lock
	[[ -z $(marked "$MARK") ]] || die "a cluster is running in $RUN: use it, or run kube.sh down first"
	fetch
	# The proxy of an API server refuses pods at loopback addresses.
	ip=$(hostname -I | awk '{print $1}')
	[[ -n $ip ]] || die "this machine has no address but loopback ones"
	rm -rf "$RUN"
	mkdir -p "$RUN"/{log,pid}
	cd "$RUN"
	lock_ports
	pick_ports api=26443 etcd=22379 peer=22380
	PARATIMER_KUBE_SERVER=https://$ip:${PORT[api]}
	openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -subj /CN=lab -days 30 -out ca.crt 2>/dev/null
	certify server /CN=api "subjectAltName=IP:$ip"
	certify watcher /CN=watcher
	openssl genrsa -out accounts.key 2048 2>/dev/null
	printf '%s\n' admin,admin,admin,system:masters watcher,watcher,watcher stranger,stranger,stranger >tokens.csv
	daemon etcd "$BIN/bin/etcd" --data-dir "$RUN/etcd" --listen-client-urls "http://127.0.0.1:${PORT[etcd]}" \
		--advertise-client-urls "http://127.0.0.1:${PORT[etcd]}" --listen-peer-urls "http://127.0.0.1:${PORT[peer]}"
	daemon api "$BIN/bin/kube-apiserver" --etcd-servers "http://127.0.0.1:${PORT[etcd]}" --secure-port "${PORT[api]}" \
		--advertise-address "$ip" --tls-cert-file server.crt --tls-private-key-file server.key --client-ca-file ca.crt \
		--token-auth-file tokens.csv --authorization-mode RBAC --service-cluster-ip-range 10.96.0.0/16 \
		--service-account-issuer https://lab --service-account-key-file accounts.key \
		--service-account-signing-key-file accounts.key --disable-admission-plugins ServiceAccount
	until api /readyz >"$RUN/log/answer.log"; do
		((SECONDS < until)) || {
			stop
			die "the API server is not ready after 120 s: see $RUN/log"
		}
		sleep 0.5
	done
	local rbac=/apis/rbac.authorization.k8s.io/v1/namespaces/etl of='apiGroup: rbac.authorization.k8s.io'
	create /api/v1/namespaces '{metadata: {name: etl}}'
	create /api/v1/namespaces/etl/serviceaccounts '{metadata: {name: paratimer}}'
	create $rbac/roles '{metadata: {name: paratimer}, rules: [
		{apiGroups: [""], resources: [pods], verbs: [get, list]},
		{apiGroups: [""], resources: [pods/proxy], verbs: [get]},
		{apiGroups: [sparkoperator.k8s.io], resources: [sparkapplications], verbs: [list]}]}'
	create $rbac/rolebindings "{metadata: {name: paratimer}, roleRef: {$of, kind: Role, name: paratimer}, subjects: [
		{kind: ServiceAccount, name: paratimer, namespace: etl}, {$of, kind: User, name: watcher}]}"
	for file in "$OPERATED"/*.yaml; do
		create /apis/apiextensions.k8s.io/v1/customresourcedefinitions "@$file"
	done
	# They are served a little later, and the operator does not wait.
	for file in v1beta2/sparkapplications v1beta2/scheduledsparkapplications v1alpha1/sparkconnects; do
		until api "/apis/sparkoperator.k8s.io/${file%/*}" | grep -q "\"${file#*/}\""; do
			((SECONDS < until)) || die "the API server does not serve $file"
			sleep 0.5
		done
	done
	cat >kubeconfig <<-END
		apiVersion: v1
		kind: Config
		current-context: watcher
		clusters:
		- {name: lab, cluster: {server: "$PARATIMER_KUBE_SERVER", certificate-authority: "$RUN/ca.crt"}}
		users:
		- {name: admin, user: {token: admin}}
		- {name: stranger, user: {token: stranger}}
		- {name: watcher, user: {client-certificate: "$RUN/watcher.crt", client-key: "$RUN/watcher.key"}}
		- {name: plugin, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: cat, args: ["$RUN/credential.json"],
		    interactiveMode: Never}}}
		contexts:
		- {name: admin, context: {cluster: lab, user: admin, namespace: etl}}
		- {name: stranger, context: {cluster: lab, user: stranger, namespace: etl}}
		- {name: watcher, context: {cluster: lab, user: watcher, namespace: etl}}
		- {name: plugin, context: {cluster: lab, user: plugin, namespace: etl}}
	END
	sed 's/^current-context: .*/current-context: admin/' kubeconfig >kubeconfig-admin
	echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "watcher"}}' >credential.json
	cat >env <<-END
		PARATIMER_LAB='$LAB'
		KUBECONFIG='$RUN/kubeconfig'
		PARATIMER_KUBE_SERVER=$PARATIMER_KUBE_SERVER
		PARATIMER_KUBE_ADDRESS=$ip
		PARATIMER_KUBE_OPERATOR='$OPERATED/spark-operator'
	END
	echo "kube.sh: Kubernetes $KUBERNETES up at $PARATIMER_KUBE_SERVER" >&2
}

down() {
	lock
	stop
}

status() {
	daemons
}

verb=${1:-}
shift || usage
case $verb in
fetch) lock && fetch ;;
api) load_run && api "$@" ;;
env) load_run && sed 's/^/export /' "$RUN/env" ;;
up | down | status) "$verb" ;;
*) usage ;;
esac
