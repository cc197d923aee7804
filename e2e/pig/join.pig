-- Two DISTINCTs and their JOIN, three jobs in two waves: the shape of the paper's section 4.2.
-- pace and pace_b are milliseconds a record of a and b, pace_out a joined one.
%default a 20x600x300
%default b 7x600x200
%default pace 25
%default pace_b $pace
%default pace_out 150
%default parallel_a 6
%default parallel_b 4
%default parallel 6
REGISTER $udf;
DEFINE PaceA Pace('$pace');
DEFINE PaceB Pace('$pace_b');
DEFINE PaceOut Pace('$pace_out');
a0 = LOAD '$data/$a' AS (user:chararray, action:chararray);
a1 = FOREACH a0 GENERATE PaceA(user) AS user;
a2 = DISTINCT a1 PARALLEL $parallel_a;
b0 = LOAD '$data/$b' AS (user:chararray, action:chararray);
b1 = FOREACH b0 GENERATE PaceB(user) AS user;
b2 = DISTINCT b1 PARALLEL $parallel_b;
c0 = JOIN a2 BY user, b2 BY user PARALLEL $parallel;
c1 = FOREACH c0 GENERATE PaceOut(a2::user) AS user;
STORE c1 INTO '$out';
