#!/usr/bin/env bash
# Runs the tests against a real Hadoop: e2e.sh [all]. They start and stop the cluster themselves.
set -euo pipefail
cd "$(dirname "$0")"

# A cluster that somebody works with is not ours to take down; the tests will say that it is in their way.
if (hadoop/hadoop.sh status 2>/dev/null || true) | grep -q '^down'; then
	# go test's time limit ends the tests without any cleaning up.
	trap 'hadoop/hadoop.sh down' EXIT
fi
case ${1:-} in
'') go test -tags e2e -run 'Test(Join|TapKeys)$' -count=1 -v -timeout 20m . ;;
all) go test -tags e2e -count=1 -v -timeout 120m . -summary ../docs/e2e.md ;;
*) echo "usage: e2e.sh [all]" >&2 && exit 2 ;;
esac
