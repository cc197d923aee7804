# Kerberos: a KDC of Debian's krb5-kdc, and SPNEGO on every web page and service of the cluster; RPC stays simple, so jobs are
# submitted as ever. Applications and jobs show themselves to their owner alone. VALUE is how many seconds tickets live
# (default 90); the cookies that servers sign live 45 s. $PARATIMER_KRB5 has the keytabs of alice, bob and others, and
# start-kdc, which starts the KDC again after its process (run/pid/kdc) was killed.
# shellcheck shell=bash disable=SC2034,SC2154,SC2153

PATH=$PATH:/usr/sbin
need krb5kdc "apt-get install krb5-kdc"
need kinit "apt-get install krb5-user"

KRB5=$RUN/krb5
REALM=LAB.PARATIMER
export KRB5_CONFIG=$KRB5/krb5.conf KRB5CCNAME=FILE:$KRB5/witness.ccache
JAVA_ENV+=("JAVA_TOOL_OPTIONS=-Djava.security.krb5.conf=$KRB5/krb5.conf")
CURL+=(--negotiate -u :)

# Whoever asks whether the cluster is ready asks as a principal of its own, whose ticket has not ended.
eval "plain_$(declare -f answer)"
answer() {
	kinit -k -t "$KRB5/witness.keytab" witness >/dev/null 2>&1 || true
	plain_answer "$@"
}

kerberos_ports() { echo kdc=10088; }

kerberos_conf() {
	local life=${1:-90}
	mkdir -p "$KRB5"
	cat >"$KRB5/krb5.conf" <<-END
		[libdefaults]
		 default_realm = $REALM
		 dns_lookup_kdc = false
		 dns_canonicalize_hostname = false
		 udp_preference_limit = 1
		[realms]
		 $REALM = {
		  kdc = localhost:${PORT[kdc]}
		 }
		[domain_realm]
		 localhost = $REALM
	END
	cat >"$KRB5/kdc.conf" <<-END
		[kdcdefaults]
		 kdc_listen = 127.0.0.1:${PORT[kdc]}
		 kdc_tcp_listen = 127.0.0.1:${PORT[kdc]}
		[realms]
		 $REALM = {
		  database_name = $KRB5/principal
		  key_stash_file = $KRB5/stash
		  acl_file = $KRB5/acl
		  max_life = ${life}s
		  max_renewable_life = 1h
		 }
		[logging]
		 kdc = FILE:$KRB5/kdc.log
	END
	put "$RUN/conf/core-site.xml" <<-END
		hadoop.http.filter.initializers org.apache.hadoop.security.AuthenticationFilterInitializer
		hadoop.http.authentication.type kerberos
		hadoop.http.authentication.kerberos.principal HTTP/localhost@$REALM
		hadoop.http.authentication.kerberos.keytab $KRB5/http.keytab
		hadoop.http.authentication.signature.secret.file $KRB5/secret
		hadoop.http.authentication.cookie.domain localhost
		hadoop.http.authentication.token.validity 45
		dfs.web.authentication.kerberos.principal HTTP/localhost@$REALM
		dfs.web.authentication.kerberos.keytab $KRB5/http.keytab
	END
	put "$RUN/conf/yarn-site.xml" <<-END
		yarn.acl.enable true
		yarn.admin.acl witness
	END
	put "$RUN/conf/mapred-site.xml" <<-END
		mapreduce.cluster.acls.enabled true
		mapreduce.cluster.administrators witness
		yarn.app.mapreduce.am.env JAVA_TOOL_OPTIONS=-Djava.security.krb5.conf=$KRB5/krb5.conf
	END
}

kerberos_start() {
	local admin name until=$((SECONDS + 30))
	head -c 32 /dev/urandom | base64 >"$KRB5/secret"
	# The script is what starts it, now and after it was killed; the mark makes it part of the run.
	cat >"$KRB5/start-kdc" <<-END
		#!/bin/sh
		setsid env '$MARK' KRB5_CONFIG='$KRB5/krb5.conf' KRB5_KDC_PROFILE='$KRB5/kdc.conf' krb5kdc -n </dev/null >'$RUN/log/kdc.log' 2>&1 8>&- 9>&- &
		echo \$! >'$RUN/pid/kdc'
	END
	chmod 0755 "$KRB5/start-kdc"
	admin() { KRB5_KDC_PROFILE=$KRB5/kdc.conf "$@" >>"$KRB5/setup.log" 2>&1 || die "the KDC's database: see $KRB5/setup.log"; }
	admin kdb5_util create -s -r "$REALM" -P "$(head -c 16 /dev/urandom | base64)"
	for name in witness alice bob HTTP/localhost; do
		admin kadmin.local -r "$REALM" -q "addprinc -randkey +requires_preauth $name"
	done
	admin kadmin.local -r "$REALM" -q "ktadd -k $KRB5/http.keytab HTTP/localhost"
	for name in witness alice bob; do
		admin kadmin.local -r "$REALM" -q "ktadd -k $KRB5/$name.keytab $name"
	done
	chmod 0600 "$KRB5"/*.keytab "$KRB5/secret"
	"$KRB5/start-kdc"
	until kinit -k -t "$KRB5/witness.keytab" witness 2>/dev/null; do
		kill -0 "$(<"$RUN/pid/kdc")" 2>/dev/null || give_up kdc "has died"
		((SECONDS < until)) || give_up kdc "is not ready after 30 s"
		sleep 0.2
	done
}

kerberos_ready() {
	cat <<-END
		PARATIMER_KRB5='$KRB5'
		KRB5_CONFIG='$KRB5/krb5.conf'
	END
}
