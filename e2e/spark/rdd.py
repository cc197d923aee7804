"""Jobs on RDDs: rdd.py PROGRAM [ARG]...

sort CLICKS BUYERS MS      a join of two data sets by MS milliseconds a record, sorted
group CLICKS MS [TASKS]    groups of a data set in 6 or TASKS tasks, MS milliseconds a record to read and to use
iterate CLICKS MS TIMES    TIMES jobs over a cached data set
fail CLICKS MS TIMES       the third task of the second stage fails TIMES times
straggle TASKS SECONDS     the first attempt of the last task takes ten times as long as the others
waves SECONDS              stages of 12, 1 and 12 tasks
pools CLICKS MS            two threads, each with a job group and a pool of its own: a at once, b five seconds later
many TASKS MS              a stage of so many tasks, and one that counts 20 groups
"""

import operator
import sys
import time

from pyspark import InheritableThread, SparkContext, TaskContext
from pyspark.sql import SparkSession


def paced(ms):
    def wait(record):
        time.sleep(ms / 1000)
        return record

    return wait


def pairs(sc, path, ms):
    return sc.textFile(path).map(paced(ms)).map(lambda line: tuple(line.split("\t")))


def used(ms):
    def use(group):
        n = 0
        for _ in group[1]:
            time.sleep(ms / 1000)
            n += 1
        return group[0], n

    return use


def sort(sc, clicks, buyers, ms):
    joined = pairs(sc, clicks, int(ms)).join(pairs(sc, buyers, int(ms)).reduceByKey(max), 6)
    print(joined.map(paced(int(ms) / 4)).sortByKey(numPartitions=4).count(), "records")


def group(sc, clicks, ms, tasks=6):
    print(pairs(sc, clicks, int(ms)).groupByKey(int(tasks)).map(used(int(ms))).count(), "groups")


def iterate(sc, clicks, ms, times):
    data = pairs(sc, clicks, int(ms)).cache()
    for _ in range(int(times)):
        n = data.map(paced(int(ms) / 2)).map(lambda r: (r[0], 1)).reduceByKey(operator.add, 4).count()
        print(n, "groups", flush=True)


def fail(sc, clicks, ms, times):
    def check(index, groups):
        if index == 2 and TaskContext.get().attemptNumber() < int(times):
            time.sleep(2)
            raise ValueError("the third task has a bad record")
        return groups

    print(pairs(sc, clicks, int(ms)).groupByKey(6).map(used(int(ms))).mapPartitionsWithIndex(check).count(), "groups")


def straggle(sc, tasks, seconds):
    last = int(tasks) - 1

    def work(index, records):
        late = index == last and TaskContext.get().attemptNumber() == 0
        time.sleep(float(seconds) * (10 if late else 1))
        return records

    print(sc.parallelize(range(int(tasks)), int(tasks)).mapPartitionsWithIndex(work).count(), "records")


def waves(sc, seconds):
    wait = paced(1000 * float(seconds))
    wide = sc.parallelize(range(12), 12).map(wait).map(lambda n: (n, 1))
    one = wide.reduceByKey(operator.add, 1).map(lambda kv: (kv[0] % 12, 1))
    lone = one.mapPartitions(lambda records: map(paced(4000 * float(seconds) / 12), records))
    print(lone.groupByKey(12).map(wait).count(), "records")


def pools(sc, clicks, ms):
    def job(name, after):
        time.sleep(after)
        sc.setLocalProperty("spark.scheduler.pool", name)
        sc.setJobGroup(name, "the report of " + name)
        group(sc, clicks, ms)

    threads = [InheritableThread(target=job, args=("a", 0)), InheritableThread(target=job, args=("b", 5))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def many(sc, tasks, ms):
    # Tasks so short are Java's: those of Python take longer to begin than to run.
    spark = SparkSession(sc)
    spark._jvm.SqlPace.register(spark._jsparkSession)
    keys = spark.range(0, int(tasks), 1, int(tasks)).selectExpr(f"pace(string(id % 20), {ms}) AS k")
    print(len(keys.groupBy("k").count().collect()), "groups")


def main():
    programs = {f.__name__: f for f in (sort, group, iterate, fail, straggle, waves, pools, many)}
    with SparkContext() as sc:
        programs[sys.argv[1]](sc, *sys.argv[2:])


main()
