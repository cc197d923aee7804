-- Two GROUP BYs, their join and an ORDER BY: six vertices of Tez.
-- A plain method sleeps for each record, so that containers, not cores, limit a run; its argument is no constant, which
-- Hive would compute once.
CREATE EXTERNAL TABLE IF NOT EXISTS a (k string, action string) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' LOCATION '${data}/6x150x60';
CREATE EXTERNAL TABLE IF NOT EXISTS b (k string, action string) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' LOCATION '${data}/4x150x40';
SELECT x.k, x.n, y.n AS m, reflect('java.lang.Thread', 'sleep', cast(x.n * 0 + 150 AS bigint)) AS slept
FROM (SELECT k, count(slept) AS n
      FROM (SELECT k, reflect('java.lang.Thread', 'sleep', cast(length(k) * 0 + 40 AS bigint)) AS slept FROM a) p
      GROUP BY k) x
JOIN (SELECT k, count(slept) AS n
      FROM (SELECT k, reflect('java.lang.Thread', 'sleep', cast(length(k) * 0 + 40 AS bigint)) AS slept FROM b
            WHERE k <> 'hunter2') q
      GROUP BY k) y ON x.k = y.k
ORDER BY n DESC, k;
