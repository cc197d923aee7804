package com.github.paratimer.tap;

/** Keeps faults of the measuring away from the task. It says what ended the measuring, once. */
final class Care {
    private volatile String why; // nothing more is measured

    boolean off() {
        return why != null;
    }

    /** Ends the measuring. */
    void fault(Throwable t) {
        end("a fault of the tap: " + t);
    }

    void end(String because) {
        synchronized (this) {
            if (why != null) {
                return;
            }
            why = Text.note("nothing is measured: " + because);
        }
        say(why + "; the task is not affected");
    }

    /** Why nothing more is measured, "" where all is well. */
    String note() {
        return why == null ? "" : why;
    }

    /** Writes a line to the task's log. */
    static void say(String line) {
        System.err.println("paratimer-tap: " + line);
    }
}
