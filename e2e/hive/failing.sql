-- A query that fails: one group is refused in its reducer, four times. Hive names its DAG by the text, cut in the middle:
-- the cut falls into the literal at the end.
CREATE EXTERNAL TABLE IF NOT EXISTS a (k string, action string) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' LOCATION '${data}/6x150x60';
SELECT k, assert_true(k <> 'user00031'), reflect('java.lang.Thread', 'sleep', cast(n * 0 + 200 AS bigint))
FROM (SELECT k, count(reflect('java.lang.Thread', 'sleep', cast(length(k) * 0 + 40 AS bigint))) AS n FROM a GROUP BY k) p
WHERE k <> 'somebody with the name of hunter2';
