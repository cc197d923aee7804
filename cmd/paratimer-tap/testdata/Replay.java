package com.github.paratimer.tap;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Plays a script to the jar's own classes: Replay HOST PORT TOKEN SPOOL EVERY LIMITS..., where EVERY is in milliseconds, and
 * LIMITS are the bytes and groups of a burst and the milliseconds of a point. Each line of its input is an instant in nanoseconds and the key and bytes of the group
 * that begins then; one without a key is the end.
 */
public final class Replay {
    public static void main(String[] args) throws Exception {
        Groups groups = new Groups(Long.parseLong(args[5]), Integer.parseInt(args[6]), Long.parseLong(args[7]));
        Post post = new Post(args[0], Integer.parseInt(args[1]), args[2], args[3].isEmpty() ? null : new File(args[3]),
                "job_1700000000000_0001", "attempt_1700000000000_0001_r_000003_0");
        Care care = new Care();
        Rounds rounds = new Rounds(post, Long.parseLong(args[4]) * 1_000_000, () -> batch(groups, 0), care);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        long now = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] word = line.split(" ");
            now = Long.parseLong(word[0]);
            if (word.length == 1) {
                groups.end(now);
                break;
            }
            byte[] key = word[1].getBytes(StandardCharsets.UTF_8);
            groups.begin(key, 0, key.length, now);
            groups.grow(Long.parseLong(word[2]));
        }
        // Ages are as of now: this makes them those of the script.
        long late = System.nanoTime() - now;
        long began = System.nanoTime();
        rounds.end(() -> batch(groups, late), Rounds.FAREWELL);
        System.out.println((System.nanoTime() - began) / 1_000_000);
    }

    private static Batch batch(Groups groups, long late) {
        Batch b = groups.take(0, Text::hashed);
        for (Batch.Point p : b.points) {
            p.at += late;
        }
        return b;
    }
}
