# HTTPS alone for the ResourceManager, the NodeManagers, the history server and the masters of applications.
# tls=strict has the proxy refuse a master that does not prove to be the application's (the ResourceManager's own CA signs for it).
# What is signed by which CA is in $RUN/tls: ca.pem, and for each of good, wrongname, expired, future and stranger a NAME.p12 and
# NAME.pem; client.pem and client-key.pem are for those who ask. Daemons serve server.p12, and read it again when it changes:
# `cp wrongname.p12 server.p12` is how a test breaks it.
# shellcheck shell=bash disable=SC2154

TLS=$RUN/tls
TLS_PASSWORD=lab-secret

tls_ports() {
	echo "rm_tls=8090 jhs_tls=19890 nm_tls=8044"
}

tls_issue() { # tls_issue NAME CA SUBJECT SAN USAGE NOT-BEFORE NOT-AFTER
	openssl req -new -newkey rsa:2048 -nodes -keyout "$TLS/$1-key.pem" -subj "/O=ParaTimer lab/CN=$3" -out "$TLS/$1.csr" 2>/dev/null
	printf 'basicConstraints=CA:FALSE\nextendedKeyUsage=%s\n%s\n' "$5" "${4:+subjectAltName=$4}" >"$TLS/$1.ext"
	# `openssl x509` of Debian's 3.0 cannot say since when; `openssl ca` can.
	openssl ca -batch -config "$TLS/ca.cnf" -in "$TLS/$1.csr" -cert "$TLS/$2.pem" -keyfile "$TLS/$2-key.pem" -extfile "$TLS/$1.ext" \
		-startdate "$6" -enddate "$7" -out "$TLS/$1.pem" -notext 2>"$TLS/$1.log" || die "openssl does not sign $1: see $TLS/$1.log"
	openssl pkcs12 -export -name "$1" -in "$TLS/$1.pem" -inkey "$TLS/$1-key.pem" -certfile "$TLS/$2.pem" \
		-passout "pass:$TLS_PASSWORD" -out "$TLS/$1.p12"
}

tls_certificates() {
	local ca now before after
	need openssl "install it; it makes the lab's certificates"
	mkdir -p "$TLS/issued"
	: >"$TLS/index"
	cat >"$TLS/ca.cnf" <<-END
		[ca]
		default_ca = lab
		[lab]
		database = $TLS/index
		new_certs_dir = $TLS/issued
		rand_serial = yes
		unique_subject = no
		default_md = sha256
		policy = any
		[any]
		organizationName = supplied
		commonName = supplied
	END
	now=$(date +%s)
	before=$(date -u -d "@$((now - 86400))" +%Y%m%d%H%M%SZ)
	after=$(date -u -d "@$((now + 86400))" +%Y%m%d%H%M%SZ)
	for ca in ca other-ca; do
		openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout "$TLS/$ca-key.pem" -out "$TLS/$ca.pem" \
			-subj "/O=ParaTimer lab/CN=$ca of the lab" 2>/dev/null
	done
	tls_issue good ca localhost DNS:localhost,IP:127.0.0.1 serverAuth "$before" "$after"
	tls_issue wrongname ca elsewhere DNS:elsewhere.example serverAuth "$before" "$after"
	tls_issue expired ca localhost DNS:localhost,IP:127.0.0.1 serverAuth 20200101000000Z "$before"
	tls_issue future ca localhost DNS:localhost,IP:127.0.0.1 serverAuth "$after" 20490101000000Z
	tls_issue stranger other-ca localhost DNS:localhost,IP:127.0.0.1 serverAuth "$before" "$after"
	tls_issue client ca "the watcher" '' clientAuth "$before" "$after"
	cp "$TLS/good.p12" "$TLS/server.p12"
	keytool -importcert -noprompt -alias ca -file "$TLS/ca.pem" -storetype PKCS12 -keystore "$TLS/trust.p12" \
		-storepass "$TLS_PASSWORD" 2>/dev/null || die "keytool does not make a truststore"
}

tls_conf() { # tls_conf [strict]
	local conf=$RUN/conf file policy=NONE node
	[[ -z $1 || $1 == strict ]] || die "--with tls takes no value, or strict: not '$1'"
	[[ $1 != strict ]] || policy=STRICT
	PATH=$JAVA_HOME/bin:$PATH tls_certificates
	for file in server client; do
		{
			echo "ssl.$file.truststore.location $TLS/trust.p12"
			echo "ssl.$file.truststore.password $TLS_PASSWORD"
			echo "ssl.$file.truststore.type pkcs12"
			echo "ssl.$file.truststore.reload.interval 1000"
			if [[ $file == server ]]; then
				echo "ssl.server.keystore.location $TLS/server.p12"
				echo "ssl.server.keystore.password $TLS_PASSWORD"
				echo "ssl.server.keystore.keypassword $TLS_PASSWORD"
				echo "ssl.server.keystore.type pkcs12"
				echo "ssl.server.stores.reload.interval 1000"
			fi
		} | site "$conf/ssl-$file.xml"
	done
	for ((node = 0; node <= NODES; node++)); do
		file=$conf/yarn-site.xml
		((node == 0)) || file=$RUN/node$node/conf/yarn-site.xml
		put "$file" <<-END
			yarn.http.policy HTTPS_ONLY
			yarn.resourcemanager.webapp.https.address localhost:${PORT[rm_tls]}
			yarn.nodemanager.webapp.https.address localhost:$((NODES == 1 ? PORT[nm_tls] : 0))
			yarn.resourcemanager.application-https.policy $policy
		END
	done
	put "$conf/mapred-site.xml" <<-END
		mapreduce.jobhistory.http.policy HTTPS_ONLY
		mapreduce.jobhistory.webapp.https.address localhost:${PORT[jhs_tls]}
		yarn.app.mapreduce.am.webapp.https.enabled $([[ $policy == STRICT ]] && echo true || echo false)
	END
	RM_URL=https://localhost:${PORT[rm_tls]}
	JHS_URL=https://localhost:${PORT[jhs_tls]}
}

# Every later verb asks over TLS too.
CURL+=(--cacert "$TLS/ca.pem")

tls_ready() {
	echo "PARATIMER_TLS=$TLS"
}
