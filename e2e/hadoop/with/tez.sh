# --with tez: Pig runs its scripts on Tez. Tez' jars are got once, into $LAB/tezlib.
# shellcheck shell=bash disable=SC2034,SC2154
TEZ_POM=$HERE/tez.xml
PIG_ENGINE=tez
PIG_JARS="$LAB/tezlib/*"

tez_fetch() { fetch_pom "$TEZ_POM" tezlib Tez; }

# fetch_pom POM FOLDER NAME gets the jars of a pom into a folder of the lab, once.
fetch_pom() {
	local stamp new=$LAB/new-$2
	stamp=$(cksum <"$1")
	if [[ -f $LAB/$2/stamp && $(<"$LAB/$2/stamp") == "$stamp" ]]; then
		return
	fi
	echo "hadoop.sh: getting the jars of $3 into $LAB (a minute the first time)" >&2
	rm -rf "$new" && mkdir -p "$new"
	mvn -B -q --strict-checksums -f "$1" package "-Dlab=$new" >"$LAB/fetch-$2.log" 2>&1 || {
		tail -n 20 "$LAB/fetch-$2.log" >&2
		die "Maven did not get the jars of $3: see $LAB/fetch-$2.log"
	}
	echo "$stamp" >"$new/$2/stamp"
	rm -rf "${LAB:?}/$2"
	mv "$new/$2" "$LAB"
	rmdir "$new"
}

# Tez and Hive reach into packages that Java 17 keeps closed.
tez_opens() {
	local package opens=()
	for package in java.lang java.lang.reflect java.net java.util java.util.concurrent java.util.concurrent.atomic java.nio java.io java.text java.time; do
		opens+=("--add-opens=java.base/$package=ALL-UNNAMED")
	done
	echo "${opens[*]}"
}

tez_conf() {
	local node opens hosts=-Djdk.net.hosts.file=$RUN/hosts
	opens=$(tez_opens)
	# The jars lie on this machine: nothing is put into the distributed cache.
	site "$RUN/conf/tez-site.xml" <<-END
		tez.ignore.lib.uris true
		tez.use.cluster.hadoop-libs true
		tez.cluster.additional.classpath.prefix $LAB/tezlib/*
		tez.staging-dir $RUN/staging/tez
		tez.am.resource.memory.mb 512
		tez.task.resource.memory.mb 256
		tez.am.launch.cmd-opts -Xmx320m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 $opens $hosts
		tez.task.launch.cmd-opts -Xmx160m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 $opens $hosts
		${KRB5:+tez.am.launch.env JAVA_TOOL_OPTIONS=-Djava.security.krb5.conf=$KRB5/krb5.conf}
	END
	# With Kerberos the NodeManagers show the files of a master to those who may view its application.
	[[ -z ${KRB5:-} ]] || for ((node = 1; node <= NODES; node++)); do
		put "$RUN/node$node/conf/yarn-site.xml" <<-END
			yarn.acl.enable true
			yarn.admin.acl witness
		END
	done
}
