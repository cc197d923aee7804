package com.github.paratimer.tap;

import java.io.File;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/** What the job's properties, and where they say nothing the task's environment, say of the tap. */
final class Settings {
    /** The most keys that a map's batch may hold. */
    static final int MOST_KEYS = 8192;

    static final String SHUFFLE = "paratimer.tap.shuffle.class";

    final String host;
    final int port;
    final String token;
    final File spool; // null: none
    final long every; // nanoseconds
    final int lambda;
    final boolean show;
    final String trouble; // why nothing can be measured; null where nothing is wrong

    Settings(Configuration conf) {
        String collect = or(conf.get("paratimer.tap.collect"), or(System.getenv("PARATIMER_COLLECT"), ""));
        token = or(conf.get("paratimer.tap.token"), or(System.getenv("PARATIMER_TOKEN"), ""));
        String wrong = null;
        int colon = collect.lastIndexOf(':');
        int number = 0;
        if (!collect.isEmpty()) {
            try {
                number = Integer.parseInt(collect.substring(colon + 1));
            } catch (NumberFormatException e) {
                number = -1;
            }
            if (colon < 1 || number < 1 || number > 65535) {
                wrong = "paratimer.tap.collect is HOST:PORT, not \"" + Text.printable(collect) + "\"";
                number = 0;
            }
        }
        port = number;
        host = number > 0 ? collect.substring(0, colon).replaceAll("^\\[|\\]$", "") : null;
        every = TimeUnit.MILLISECONDS.toNanos(
                within(conf.getTimeDuration("paratimer.tap.every", 2000, TimeUnit.MILLISECONDS), 100, 3_600_000));
        lambda = (int) within(conf.getLong("paratimer.tap.lambda", 2000), 1, MOST_KEYS);
        show = conf.getBoolean("paratimer.tap.show.keys", false);
        spool = folder(conf.get("paratimer.tap.spool"));
        if (wrong == null && port == 0 && spool == null) {
            wrong = "paratimer.tap.collect is not set, and there is no log folder";
        }
        trouble = wrong;
    }

    /** YARN's folder of the container's logs, unless another one is given. */
    private static File folder(String given) {
        String named = or(given, or(System.getProperty("yarn.app.container.log.dir"), System.getenv("LOG_DIRS")));
        if (named == null) {
            return null;
        }
        String first = named.split(",")[0].trim();
        File f = first.startsWith("file:") ? new File(URI.create(first).getPath()) : new File(first);
        return f.isAbsolute() && f.isDirectory() ? f : null;
    }

    private static long within(long v, long least, long most) {
        return Math.max(least, Math.min(v, most));
    }

    private static String or(String v, String otherwise) {
        return v == null || v.trim().isEmpty() ? otherwise : v.trim();
    }
}
