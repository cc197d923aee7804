-- 2,000 tasks of a single record each.
CREATE EXTERNAL TABLE IF NOT EXISTS many (k string, action string) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' LOCATION '${data}/2000x1x60';
SET tez.grouping.split-count=2000;
SELECT k, count(*) AS n FROM many GROUP BY k;
