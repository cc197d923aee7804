package com.github.paratimer.tap;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;

/** Sends one attempt's batches in order; those that nobody takes go to a file beside the task's log. One thread uses it. */
final class Post {
    private static final int KEPT = 16; // batches that wait for a collector that may come back
    private static final long REST = 2_000_000_000L; // how long a collector is left alone; it doubles
    private static final long MOST_REST = 30_000_000_000L;
    private static final long SPOOL_BYTES = 8 << 20;

    private final Client client; // null: none
    private final String job;
    private final String attempt;
    private final String address;
    private Path spool; // null: none
    private long spooled;
    private final ArrayDeque<Batch> unsent = new ArrayDeque<>();
    private int seq;
    private long again;
    private long rest = REST;
    private boolean over; // the collector has said that it will never take any
    private boolean hung; // the last try ended without an answer
    private boolean said;

    Post(String host, int port, String token, File folder, String job, String attempt) {
        client = port > 0 ? new Client(host, port, token) : null;
        over = client == null;
        address = host + ":" + port;
        spool = folder == null ? null : folder.toPath().resolve("paratimer-tap." + attempt + ".ndjson");
        this.job = job;
        this.attempt = attempt;
        again = System.nanoTime();
    }

    /** Sends a batch after those that still wait. What cannot be sent now is spooled, and sent later if the collector comes back. */
    void send(Batch b) {
        b.seq = seq++;
        unsent.add(b);
        if (b.last && client != null) {
            client.resume();
        }
        if (!over && (b.last && !hung || System.nanoTime() - again >= 0)) {
            attempt(b);
        }
        if (!unsent.isEmpty() && unsent.peekLast() == b) {
            keep(b);
            if (unsent.size() > KEPT) {
                unsent.removeFirst();
            }
        }
        if (over) {
            unsent.clear();
        }
    }

    private void attempt(Batch newest) {
        while (!unsent.isEmpty()) {
            Batch b = unsent.peekFirst();
            try {
                client.post(b.json(job, attempt, System.nanoTime()));
                rest = REST;
                hung = false;
            } catch (Client.Cancelled e) {
                return; // the last batch comes next, and takes this one with it
            } catch (Client.Refused e) {
                if (!e.batch) {
                    over = e.all;
                    hung = e.silent;
                    again = System.nanoTime() + rest;
                    rest = Math.min(2 * rest, MOST_REST);
                    tell(e);
                    return;
                }
                // This one will never be taken; others may be.
                if (b == newest) {
                    keep(b);
                }
                tell(e);
            }
            unsent.removeFirst();
        }
    }

    private void tell(Client.Refused e) {
        if (!said) {
            said = true;
            Care.say(address + " does not take measurements of key groups (" + e.getMessage() + "): "
                    + (spool == null ? "the measurements are lost" : "the measurements go to " + spool) + "; the task is not affected");
        }
    }

    private void keep(Batch b) {
        if (spool == null) {
            return;
        }
        byte[] line = (b.json(job, attempt, System.nanoTime()) + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            if (spooled + line.length > SPOOL_BYTES) {
                throw new IOException(spool + " has reached " + SPOOL_BYTES + " bytes");
            }
            try (OutputStream out = Files.newOutputStream(spool, StandardOpenOption.WRITE, StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS)) {
                out.write(line);
            }
            spooled += line.length;
        } catch (IOException e) {
            Care.say("no more measurements of key groups are kept: " + e + "; the task is not affected");
            spool = null;
        }
    }

    /** Gives up the request that is under way, and those after it until the last batch; another thread may call it. */
    void cancel() {
        if (client != null) {
            client.cancel();
        }
    }
}
