#!/usr/bin/env bash
# Runs the tests against a real Hadoop: e2e.sh [all [PATTERN]]. They start and stop the cluster themselves.
set -euo pipefail
cd "$(dirname "$0")"

# A cluster that somebody works with is not ours to take down; the tests will say that it is in their way.
if (hadoop/hadoop.sh status 2>/dev/null || true) | grep -q '^down'; then
	# go test's time limit ends the tests without any cleaning up.
	trap 'hadoop/hadoop.sh down' EXIT
fi
run() { go test -tags e2e -count=1 -v "$@"; }
case ${1:-}/$# in
/0) run -run 'Test(Join|TapKeys)$' -timeout 20m . ;;
all/1)
	# Rows of scenarios that there are no more go with the old table.
	rm -f ../docs/e2e.md.new
	code=0
	run -timeout 220m . -summary ../docs/e2e.md.new || code=$?
	mv ../docs/e2e.md.new ../docs/e2e.md
	make -C .. versions
	exit $code
	;;
all/2)
	code=0
	run -run "$2" -timeout 120m . -summary ../docs/e2e.md || code=$?
	make -C .. versions
	exit $code
	;;
*) echo "usage: e2e.sh [all [PATTERN]]" >&2 && exit 2 ;;
esac
