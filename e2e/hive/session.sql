-- Three queries of one session. In the first one table b is small enough to be broadcast to the tasks that read a (a map
-- join); the second one plans more reducers than its maps turn out to need, and Tez reduces their number
-- (auto-parallelism); the third one is a plain GROUP BY.
CREATE EXTERNAL TABLE IF NOT EXISTS a (k string, action string) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' LOCATION '${data}/6x150x60';
CREATE EXTERNAL TABLE IF NOT EXISTS b (k string, action string) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' LOCATION '${data}/4x60x40';
SET hive.auto.convert.join=true;
SELECT y.action, count(reflect('java.lang.Thread', 'sleep', cast(length(x.k) * 0 + 40 AS bigint))) AS n
FROM a x
JOIN (SELECT k, action, reflect('java.lang.Thread', 'sleep', cast(length(k) * 0 + 40 AS bigint)) AS slept FROM b
      WHERE k <> 'user00001') y ON x.k = y.k AND y.slept <> ''
GROUP BY y.action;
SET hive.tez.auto.reducer.parallelism=true;
SET hive.exec.reducers.max=8;
SELECT k, reflect('java.lang.Thread', 'sleep', cast(n * 0 + 200 AS bigint)), n
FROM (SELECT k, count(reflect('java.lang.Thread', 'sleep', cast(length(k) * 0 + 40 AS bigint))) AS n
      FROM a GROUP BY k) p;
SELECT action, count(reflect('java.lang.Thread', 'sleep', cast(length(k) * 0 + 250 AS bigint))) AS n FROM b GROUP BY action;
