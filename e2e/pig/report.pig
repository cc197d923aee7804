-- Six jobs in five waves: two GROUPs, a JOIN, a GROUP, ORDER's sampler and its sort.
-- Needs HDFS: with a local default file system ORDER looks for its partitions in the wrong folder.
-- pace and pace_b are milliseconds a record of a and b, pace_out a group.
%default a 20x600x300
%default b 7x600x200
%default pace 25
%default pace_b $pace
%default pace_out 150
REGISTER $udf;
DEFINE PaceA Pace('$pace');
DEFINE PaceB Pace('$pace_b');
DEFINE PaceUser Pace('$pace_out');
DEFINE PaceBuyer Pace('$pace_out');
a0 = LOAD '$data/$a' AS (user:chararray, action:chararray);
a1 = FOREACH a0 GENERATE PaceA(user) AS user, action;
a2 = GROUP a1 BY user PARALLEL 5;
a3 = FOREACH a2 GENERATE PaceUser(group) AS user, COUNT(a1) AS n;
b0 = LOAD '$data/$b' AS (user:chararray, action:chararray);
b1 = FOREACH b0 GENERATE PaceB(user) AS user, action;
b2 = FILTER b1 BY action == 'buy';
b3 = GROUP b2 BY user PARALLEL 3;
b4 = FOREACH b3 GENERATE PaceBuyer(group) AS user, COUNT(b2) AS buys;
c0 = JOIN a3 BY user, b4 BY user PARALLEL 4;
c1 = FOREACH c0 GENERATE a3::user AS user, n AS n, buys AS buys;
d0 = GROUP c1 BY buys PARALLEL 3;
d1 = FOREACH d0 GENERATE group AS buys, COUNT(c1) AS users, AVG(c1.n) AS mean;
e0 = ORDER d1 BY users DESC PARALLEL 2;
STORE e0 INTO '$out';
