-- A Pig script whose reducers stream the records of their keys through a command of yours, with the tap around it:
-- `paratimer attach --collect ADDRESS` then knows which keys there are and what they cost. docs/hadoop.md says more.
--
--   pig -p input=… -p output=… -p tap=/usr/local/bin/paratimer-tap -p program=reduce.py -p 'command="python3 reduce.py"' \
--       -p collect=watcher:9190 -p token=… stream.pig

-- Where the tap finds the watcher.
SET mapreduce.reduce.env 'PARATIMER_COLLECT=$collect,PARATIMER_TOKEN=$token';
DEFINE Tapped `paratimer-tap reduce -- $command` SHIP('$tap', '$program');

records = LOAD '$input' AS (key:chararray, value:chararray);
grouped = GROUP records BY key PARALLEL 4;
-- The records of a key come one after the other.
sorted = FOREACH grouped GENERATE FLATTEN(records);
counted = STREAM sorted THROUGH Tapped AS (key:chararray, n:long);
STORE counted INTO '$output';
