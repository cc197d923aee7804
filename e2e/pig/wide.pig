-- Unbalanced waves: a needs two jobs in a row, b a long one, c a short one, then all are joined.
-- Pig waits for a whole wave, so a's second job starts only when b's and c's first have ended.
-- pace and pace_b are milliseconds a record of a and b, pace_out a group.
%default a 8x500x200
%default b 5x600x150
%default c 2x300x150
%default pace 16
%default pace_b 70
%default pace_out 60
REGISTER $udf;
DEFINE PaceA Pace('$pace');
DEFINE PaceB Pace('$pace_b');
DEFINE PaceUser Pace('$pace_out');
DEFINE PaceBuyer Pace('$pace_out');
a0 = LOAD '$data/$a' AS (user:chararray, action:chararray);
a1 = FOREACH a0 GENERATE PaceA(user) AS user, action;
a2 = GROUP a1 BY (user, action) PARALLEL 3;
a3 = FOREACH a2 GENERATE FLATTEN(group) AS (user, action), COUNT(a1) AS n;
a4 = GROUP a3 BY user PARALLEL 3;
a5 = FOREACH a4 GENERATE PaceUser(group) AS user, SUM(a3.n) AS n;
b0 = LOAD '$data/$b' AS (user:chararray, action:chararray);
b1 = FOREACH b0 GENERATE PaceB(user) AS user;
b2 = DISTINCT b1 PARALLEL 2;
c0 = LOAD '$data/$c' AS (user:chararray, action:chararray);
c1 = FILTER c0 BY action == 'buy';
c2 = GROUP c1 BY user PARALLEL 2;
c3 = FOREACH c2 GENERATE PaceBuyer(group) AS user, COUNT(c1) AS buys;
d0 = JOIN a5 BY user, b2 BY user, c3 BY user PARALLEL 4;
d1 = FOREACH d0 GENERATE a5::user AS user, n AS n, buys AS buys;
STORE d1 INTO '$out';
