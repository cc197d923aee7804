-- One job whose reducers get Zipf keys: one of eight takes several times as long as the others.
-- pace is milliseconds a record in the maps, pace_out a record in the reducers.
%default a 10x500x60z1.2
%default pace 8
%default pace_out 30
-- A combiner would take the skew away.
SET pig.exec.nocombiner true;
REGISTER $udf;
DEFINE PaceA Pace('$pace');
DEFINE PaceOut Pace('$pace_out');
a0 = LOAD '$data/$a' AS (user:chararray, action:chararray);
a1 = FOREACH a0 GENERATE PaceA(user) AS user, action;
b0 = GROUP a1 BY user PARALLEL 8;
b1 = FOREACH b0 GENERATE group, FLATTEN(a1.action) AS action;
b2 = FOREACH b1 GENERATE group AS user, PaceOut(action) AS action;
STORE b2 INTO '$out';
