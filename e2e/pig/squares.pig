-- One job whose reduces take the square of a group's records, with the tap's jar in it. nocombiner says whether Pig may combine.
%default a 4x6000x1000z1.0w400
%default nocombiner true
SET pig.exec.nocombiner $nocombiner;
REGISTER $udf;
REGISTER $tap;
SET mapreduce.job.map.output.collector.class 'com.github.paratimer.tap.MapOutput';
SET mapreduce.job.reduce.shuffle.consumer.plugin.class 'com.github.paratimer.tap.ReduceInput';
SET paratimer.tap.collect '$collect';
SET paratimer.tap.token '$token';
records = LOAD '$data/$a' AS (user:chararray, action:chararray);
grouped = GROUP records BY user PARALLEL 4;
counted = FOREACH grouped GENERATE group, Pairs(records);
STORE counted INTO '$out';
