"""A query of SQL over two data sets: sql.py QUERY CLICKS BUYERS MS [TIMES [PAUSE]]

report is a join, a GROUP BY and an ORDER BY; skew is a join in which the records of one key wait for each other; udf is the
report with functions of Python. Each record takes MS milliseconds where it is read, and where its group or pair is. The query
runs TIMES times, with PAUSE seconds between two.
"""

import sys
import time

from pyspark.sql import SparkSession

QUERIES = {
    "report": """
SELECT pace(user, {ms}) AS user, clicks FROM (
  SELECT c.user, count(*) AS clicks
  FROM (SELECT pace(user, {ms}) AS user FROM clicks) c
  JOIN (SELECT DISTINCT user FROM (SELECT pace(user, {ms}) AS user FROM buyers)) b ON c.user = b.user
  GROUP BY c.user)
ORDER BY clicks DESC, user
""",
    "skew": """
SELECT buys, count(user) FROM (
  SELECT pace(c.user, {ms}) AS user, b.buys
  FROM clicks c JOIN (SELECT user, count(*) AS buys FROM buyers GROUP BY user) b ON c.user = b.user)
GROUP BY buys
""",
}
QUERIES["udf"] = QUERIES["report"].replace("pace(", "slow(")


def slow(value, ms):
    time.sleep(ms / 1000)
    return value


def main():
    query, clicks, buyers, ms = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    times = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    pause = float(sys.argv[6]) if len(sys.argv) > 6 else 0
    spark = SparkSession.builder.getOrCreate()
    spark._jvm.SqlPace.register(spark._jsparkSession)
    spark.udf.register("slow", spark.udf.register("slower", slow).asNondeterministic())
    for name, path in ("clicks", clicks), ("buyers", buyers):
        spark.read.csv(path, sep="\t", schema="user string, action string").createOrReplaceTempView(name)
    for n in range(times):
        if n:
            time.sleep(pause)
        rows = spark.sql(QUERIES[query].format(ms=ms)).collect()
        print(len(rows), "rows, the first", *rows[0], flush=True)
    spark.stop()


main()
