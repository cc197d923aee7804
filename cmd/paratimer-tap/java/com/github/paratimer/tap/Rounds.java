package com.github.paratimer.tap;

import java.util.function.Supplier;

/** Sends what there is from time to time, on a thread of its own: the task waits for it at its end only, and never long. */
final class Rounds {
    /** Milliseconds that all usually may take when the task has ended. */
    static final long FAREWELL = 2000;

    private final Post post;
    private final long every; // nanoseconds
    private final Supplier<Batch> take;
    private final Care care;
    private final Thread thread;
    private boolean soon;
    private Supplier<Batch> last;

    /** Begins to send every so often what take returns, unless that is empty. */
    Rounds(Post post, long every, Supplier<Batch> take, Care care) {
        this.post = post;
        this.every = every;
        this.take = take;
        this.care = care;
        thread = new Thread(this::run, "paratimer-tap");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            Supplier<Batch> end;
            while ((end = pause()) == null) {
                Batch b = take.get();
                if (!b.empty()) {
                    post.send(b);
                }
            }
            Batch b = end.get();
            b.last = true;
            post.send(b);
        } catch (Throwable t) {
            care.fault(t);
        }
    }

    private synchronized Supplier<Batch> pause() throws InterruptedException {
        long until = System.nanoTime() + every;
        while (last == null && !soon) {
            long left = (until - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                break;
            }
            wait(left);
        }
        soon = false;
        return last;
    }

    /** Says that there is much to send. */
    synchronized void hurry() {
        soon = true;
        notifyAll();
    }

    /** Sends the last batch, and waits so many milliseconds for that: a disk may hang as well as a collector. */
    void end(Supplier<Batch> batch, long most) {
        synchronized (this) {
            // A request that is under way is given up: the end has its own time. The thread must not begin with the last batch before that.
            post.cancel();
            last = batch;
            notifyAll();
        }
        try {
            thread.join(most);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
