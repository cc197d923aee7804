"""Structured streaming: stream.py CLICKS MS

Counts a data set's records by user, four files a micro-batch; each record takes MS milliseconds to read. It ends when all
files are read.
"""

import sys

from pyspark.sql import SparkSession


def main():
    clicks, ms = sys.argv[1], int(sys.argv[2])
    spark = SparkSession.builder.getOrCreate()
    spark._jvm.SqlPace.register(spark._jsparkSession)
    files = spark.readStream.option("maxFilesPerTrigger", 4).csv(clicks, sep="\t", schema="user string, action string")
    counts = files.selectExpr(f"pace(user, {ms}) AS user").groupBy("user").count()
    query = counts.writeStream.outputMode("complete").format("memory").queryName("counts").trigger(availableNow=True)
    query.start().awaitTermination()
    print(spark.table("counts").count(), "users")
    spark.stop()


main()
