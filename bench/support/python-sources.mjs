/** Objectives in Python that several benchmarks upload. */

/** With products instead of powers, which CPython rounds in its own way. */
export const ROSENBROCK = `def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        a = x[i + 1] - x[i] * x[i]
        b = 1.0 - x[i]
        total += 100.0 * a * a + b * b
    return total
`;
