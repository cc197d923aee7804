# --with tez: Pig runs its scripts on Tez. Tez' jars are got once, into $LAB/tezlib.
# shellcheck shell=bash disable=SC2034,SC2154
TEZ_POM=$HERE/tez.xml
PIG_ENGINE=tez
PIG_JARS="$LAB/tezlib/*"

tez_fetch() {
	local stamp new=$LAB/new-tez
	stamp=$(cksum <"$TEZ_POM")
	if [[ -f $LAB/tezlib/stamp && $(<"$LAB/tezlib/stamp") == "$stamp" ]]; then
		return
	fi
	echo "hadoop.sh: getting the jars of Tez into $LAB (a minute the first time)" >&2
	rm -rf "$new" && mkdir -p "$new"
	mvn -B -q --strict-checksums -f "$TEZ_POM" package "-Dlab=$new" >"$LAB/fetch-tez.log" 2>&1 || {
		tail -n 20 "$LAB/fetch-tez.log" >&2
		die "Maven did not get the jars of Tez: see $LAB/fetch-tez.log"
	}
	echo "$stamp" >"$new/tezlib/stamp"
	rm -rf "$LAB/tezlib"
	mv "$new/tezlib" "$LAB"
	rmdir "$new"
}

tez_conf() {
	local opens=() package hosts=-Djdk.net.hosts.file=$RUN/hosts
	for package in java.lang java.net java.util java.util.concurrent java.nio; do
		opens+=("--add-opens=java.base/$package=ALL-UNNAMED")
	done
	# The jars lie on this machine: nothing is put into the distributed cache.
	site "$RUN/conf/tez-site.xml" <<-END
		tez.ignore.lib.uris true
		tez.use.cluster.hadoop-libs true
		tez.cluster.additional.classpath.prefix $LAB/tezlib/*
		tez.staging-dir $RUN/staging/tez
		tez.am.resource.memory.mb 512
		tez.task.resource.memory.mb 256
		tez.am.launch.cmd-opts -Xmx320m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 ${opens[*]} $hosts
		tez.task.launch.cmd-opts -Xmx160m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 ${opens[*]} $hosts
	END
}
