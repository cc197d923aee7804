package com.github.paratimer.tap;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Names and numbers as a collector takes them. */
final class Text {
    /** Bytes of a key's name at most. */
    private static final int MOST_NAME = 64;
    /** Bytes of a note at most. */
    private static final int MOST_NOTE = 200;

    private Text() {}

    /** "#" and 16 digits of a SHA-256: who reads it by chance learns nothing. */
    static String hashed(byte[] key) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(key);
            return String.format("#%016x", ByteBuffer.wrap(sum).getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A key that may be shown, with everything escaped that a terminal does not print; a long one ends with its hash. */
    static String shown(String key) {
        String name = printable(key);
        if (name.isEmpty()) {
            return "\\empty";
        }
        if (name.length() <= MOST_NAME) {
            return name;
        }
        String tail = "~" + hashed(key.getBytes(StandardCharsets.UTF_8));
        return name.substring(0, MOST_NAME - tail.length()) + tail;
    }

    static String note(String text) {
        String out = printable(text);
        return out.substring(0, Math.min(out.length(), MOST_NOTE));
    }

    /** ASCII that does nothing to a terminal, one byte a character. */
    static String printable(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                out.append("\\\\");
            } else if (c >= ' ' && c < 127) {
                out.append(c);
            } else {
                out.append(String.format("\\u%04x", (int) c));
            }
        }
        return out.toString();
    }

    /** A JSON string of printable text. */
    static String quoted(String printable) {
        return '"' + printable.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** A number with six digits: more are noise on the wire. */
    static String number(double v) {
        if (v == Math.rint(v) && Math.abs(v) < 1e15) {
            return Long.toString((long) v);
        }
        return new BigDecimal(v, new MathContext(6)).toString();
    }
}
