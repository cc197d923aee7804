package com.github.paratimer.tap;

import java.util.concurrent.CountDownLatch;

/**
 * Ends many attempts, as many at once as there are threads, each with one batch that is its last: Ends HOST PORT TOKEN ATTEMPTS THREADS. More threads
 * than processors let the end of an attempt be interrupted anywhere.
 */
public final class Ends {
    public static void main(String[] args) throws Exception {
        int attempts = Integer.parseInt(args[3]);
        int threads = Integer.parseInt(args[4]);
        CountDownLatch ended = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            int first = t;
            new Thread(() -> {
                for (int a = first; a < attempts; a += threads) {
                    Post post = new Post(args[0], Integer.parseInt(args[1]), args[2], null, "job_1700000000000_0001",
                            String.format("attempt_1700000000000_0001_r_%06d_0", a));
                    Rounds rounds = new Rounds(post, 3_600_000_000_000L, Batch::new, new Care());
                    rounds.end(Batch::new, 10_000);
                }
                ended.countDown();
            }).start();
        }
        ended.await();
    }
}
