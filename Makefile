# Few targets. `make check` is what must hold before a commit; .ci/run is what CI holds.
.PHONY: check test golden fuzz bench tap tap-jar hadoop-up hadoop-down spark-up spark-down e2e e2e-all accuracy calibration alerts nearestfit models ernest pictures reference man dist deb

check:
	gofmt -l . | (! grep .)
	go vet ./...
	go vet -C lab ./...
	go test ./...
	go test -C lab -count=1 ./...

test:
	go test ./...

# The cases of an independent program, in testdata/golden. PARATIMER_GOLDEN names a folder of more.
golden:
	go test -count=1 -run Golden -v ./...

# Every fuzz target for a while: make fuzz FUZZTIME=1m
FUZZTIME ?= 10s
fuzz:
	.ci/fuzz $(FUZZTIME)

bench:
	go test -run '^$$' -bench . -benchmem ./...

# What a Streaming job ships to its tasks: one static file, small.
tap:
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/paratimer-tap ./cmd/paratimer-tap
	@wc -c bin/paratimer-tap

# The same for jobs that are no Streaming's: a jar for Java 8 and later, of javac and Hadoop's jars from Maven.
tap-jar:
	cmd/paratimer-tap/java/build bin/paratimer-tap.jar
	@wc -c bin/paratimer-tap.jar

# A real Hadoop with Pig on this machine, from Maven's jars: make hadoop-up UP='--memory 2048'
hadoop-up:
	e2e/hadoop/hadoop.sh up $(UP)

hadoop-down:
	e2e/hadoop/hadoop.sh down

# A real Spark on this machine, from PyPI's pyspark: make spark-up VERSION=4.0.5
spark-up:
	e2e/spark/spark.sh up $(VERSION)

spark-down:
	e2e/spark/spark.sh down

e2e:
	e2e/e2e.sh

# All scenarios, nearly two hours; e2e/e2e.sh all PATTERN tries some again and keeps the others' rows.
e2e-all:
	e2e/e2e.sh all

# A command of the lab, run in this folder, writes a page anew: command and page.
define lab
go build -C lab -o $(CURDIR)/bin/lab .
bin/lab $(1) > $(2).new
mv $(2).new $(2)
endef

# docs/evidence/accuracy.md from the recordings in testdata. PARATIMER_RECORDINGS lists folders of others.
accuracy:
	$(call lab,accuracy,docs/evidence/accuracy.md)

# docs/evidence/alerts.md, likewise.
alerts:
	$(call lab,alerts,docs/evidence/alerts.md)

# docs/evidence/calibration.md: some minutes of two cores.
calibration:
	go test -C lab . -run TestPage -count=1 -timeout 2h -page $(CURDIR)/docs/evidence/calibration.md

# docs/evidence/nearestfit.md: some minutes of two cores.
nearestfit:
	$(call lab,nearestfit,docs/evidence/nearestfit.md)

# docs/evidence/models.md: some minutes of two cores.
models:
	$(call lab,models,docs/evidence/models.md)

# The section of docs/evidence/ernest.md about runs of other people, which PARATIMER_FOREIGN has in a folder runtimes.
ernest:
	go test -C lab -tags foreign . -run '^TestOutside$$' -count=1 -timeout 1h -document $(CURDIR)/docs/evidence/ernest.md

# docs/reference.md from the command tree.
reference:
	go run ./cmd/paratimer man --output markdown > docs/reference.md.new
	mv docs/reference.md.new docs/reference.md

# A man page for each command.
man:
	go run ./cmd/paratimer man --out dist/man1

# A release of the last commit, into dist/: the same commit, the same bytes.
dist:
	deploy/dist

# A package for Debian, of what dist has built for this machine.
deb: dist
	deploy/deb dist

# docs/img: what the README and docs show, drawn by the program; the report's by Chromium.
pictures:
	go test ./cmd/paratimer/internal/tests/usage -run TestPictures -count=1 -pictures
	go test ./internal/browser -run TestPictures -count=1 -pictures $(CURDIR)/docs/img
