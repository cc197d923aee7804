package com.github.paratimer.tap;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * A reduce's merged input, as it is. Hadoop asks for a record's value when the reduce takes it, and looks one record ahead to see
 * where a group ends: so a group has ended when the first value of the next one is asked for.
 */
final class Records implements RawKeyValueIterator {
    private final RawKeyValueIterator inner;
    private final Keys keys;
    private final Groups groups;
    private final Care care;
    private final Runnable hurry;

    private boolean any; // a record is current
    private boolean taken; // its value has been asked for
    private boolean known; // groups has a key

    Records(RawKeyValueIterator inner, Keys keys, Groups groups, Care care, Runnable hurry) {
        this.inner = inner;
        this.keys = keys;
        this.groups = groups;
        this.care = care;
        this.hurry = hurry;
    }

    @Override
    public DataInputBuffer getKey() throws IOException {
        return inner.getKey();
    }

    @Override
    public DataInputBuffer getValue() throws IOException {
        DataInputBuffer value = inner.getValue();
        if (!taken) {
            take(value);
        }
        return value;
    }

    @Override
    public boolean next() throws IOException {
        if (any && !taken && !care.off()) {
            skipped();
        }
        any = inner.next();
        taken = false;
        return any;
    }

    /** Counts a record whose value the reduce has not asked for. */
    private void skipped() {
        try {
            take(inner.getValue());
        } catch (IOException | RuntimeException e) {
            care.fault(e);
        }
    }

    private void take(DataInputBuffer value) {
        taken = true;
        if (care.off()) {
            return;
        }
        try {
            DataInputBuffer key = inner.getKey();
            int from = key.getPosition();
            int length = key.getLength() - from;
            if (!known || !keys.same(groups.key, groups.keyLength, key.getData(), from, length)) {
                known = true;
                if (groups.begin(key.getData(), from, length, System.nanoTime())) {
                    hurry.run();
                }
            }
            groups.grow(length + value.getLength() - value.getPosition());
        } catch (Throwable t) {
            care.fault(t);
        }
    }

    @Override
    public void close() throws IOException {
        inner.close();
    }

    @Override
    public Progress getProgress() {
        return inner.getProgress();
    }
}
