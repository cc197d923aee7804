# --with version=V: another Hadoop. V's jars are got once, into $LAB/lib-V, by the same pom as the lab's own.
# shellcheck shell=bash disable=SC2034,SC2154
VERSION=${1:-}
VERSION_POM=$HERE/pom.xml
VERSION_OURS=$(sed -n 's|.*<hadoop.version>\(.*\)</hadoop.version>.*|\1|p' "$VERSION_POM")
# What a public registry may lack of a version. Where the other parts are there, the daemons and SleepJob are.
VERSION_OPTIONAL=(hadoop-mapreduce-examples hadoop-streaming)
[[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "--with version=V takes a release such as 3.5.0, not '$VERSION'"
[[ $VERSION == "$VERSION_OURS" ]] || LIB=$LAB/lib-$VERSION

version_fetch() {
	[[ $VERSION != "$VERSION_OURS" ]] || return 0
	local stamp new=$LAB/new-$VERSION part log=$LAB/fetch-$VERSION.log missing=()
	stamp=$(cksum <"$VERSION_POM")
	if [[ -f $LIB/stamp && $(<"$LIB/stamp") == "$stamp" ]]; then
		return
	fi
	echo "hadoop.sh: getting the jars of Hadoop $VERSION into $LIB (some minutes the first time)" >&2
	rm -rf "$new" && mkdir -p "$new"
	cp "$VERSION_POM" "$new/pom.xml"
	: >"$log"
	for part in "${VERSION_OPTIONAL[@]}"; do
		mvn -B -q --strict-checksums dependency:get -Dtransitive=false "-Dartifact=org.apache.hadoop:$part:$VERSION" >>"$log" 2>&1 || {
			missing+=("$part")
			sed -i "/<artifactId>$part</d" "$new/pom.xml"
		}
	done
	mvn -B -q --strict-checksums -f "$new/pom.xml" dependency:copy-dependencies@hadoop \
		"-Dhadoop.version=$VERSION" "-Dlab=$new" >>"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		die "Maven did not get the jars of Hadoop $VERSION: see $log"
	}
	printf '%s\n' ${missing[@]+"${missing[@]}"} >"$new/lib/missing"
	echo "$stamp" >"$new/lib/stamp"
	rm -rf "$LIB"
	mv "$new/lib" "$LIB"
	rm -rf "$new"
}

version_conf() {
	# The history's format is what the version makes of it: text in 2.x, binary since.
	sed -i '/<name>mapreduce.jobhistory.jhist.format</d' "$RUN/conf/mapred-site.xml"
	# Since 3.4 the NodeManager opens java.lang by itself; before, Guice and JAXB cannot start on Java 17.
	if [[ $(printf '%s\n' 3.4.0 "$VERSION" | sort -V | head -n 1) != 3.4.0 ]]; then
		local opens=--add-opens=java.base/java.lang=ALL-UNNAMED hosts=-Djdk.net.hosts.file=$RUN/hosts
		put "$RUN/conf/mapred-site.xml" <<-END
			yarn.app.mapreduce.am.command-opts -Xmx320m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 $opens $hosts
			mapreduce.map.java.opts -Xmx160m -XX:TieredStopAtLevel=1 $opens $hosts
			mapreduce.reduce.java.opts -Xmx160m -XX:TieredStopAtLevel=1 $opens $hosts
		END
	fi
}

version_ready() {
	echo "PARATIMER_HADOOP=$VERSION"
	echo "PARATIMER_MISSING='$([[ ! -f $LIB/missing ]] || xargs <"$LIB/missing")'"
}
