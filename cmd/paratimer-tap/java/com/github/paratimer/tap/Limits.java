package com.github.paratimer.tap;

/**
 * How finely groups are measured: the defaults are those of the paper.
 *
 * <p>E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 6.
 */
final class Limits {
    static final long TINY = 50;
    static final int FILL = 100;
    static final long NEAR = 500;

    /** Groups of so many bytes or fewer are told in bursts. */
    final long tiny;
    /** A burst is told when it has more groups. */
    final int fill;
    /** Times of groups of one size that are so many seconds apart or less are one point. */
    final double near;

    Limits(long tiny, int fill, long nearMillis) {
        this.tiny = tiny;
        this.fill = fill;
        this.near = nearMillis / 1e3;
    }
}
