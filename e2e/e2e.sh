#!/usr/bin/env bash
# Runs the tests against a real Hadoop and a real Spark: e2e.sh [all [PATTERN]]. They start and stop the cluster themselves.
set -euo pipefail
cd "$(dirname "$0")"

# A cluster that somebody works with is not ours to take down; the tests will say that it is in their way.
ours=()
for of in hadoop/hadoop.sh spark/spark.sh; do
	! ("$of" status 2>/dev/null || true) | grep -q '^down' || ours+=("$of")
done
# go test's time limit ends the tests without any cleaning up.
take_down() {
	local of
	for of in ${ours[@]+"${ours[@]}"}; do
		"$of" down
	done
}
trap take_down EXIT
run() { go test -tags e2e -count=1 -v "$@"; }
case ${1:-}/$# in
/0) run -run 'Test(Join|TapKeys|Hive|Spark)$' -timeout 20m . ;;
all/1)
	# Rows of scenarios that there are no more go with the old table.
	rm -f ../docs/evidence/e2e.md.new
	code=0
	run -timeout 220m . -summary ../docs/evidence/e2e.md.new || code=$?
	mv ../docs/evidence/e2e.md.new ../docs/evidence/e2e.md
	exit $code
	;;
all/2)
	code=0
	run -run "$2" -timeout 120m . -summary ../docs/evidence/e2e.md || code=$?
	exit $code
	;;
*) echo "usage: e2e.sh [all [PATTERN]]" >&2 && exit 2 ;;
esac
