/** Ports of a run in this thread, on a kernel of the benchmark's own. */
export const portsOf = (strategies, kernel) => ({
  strategies,
  primary: kernel,
  fallback: null,
  now: () => performance.now(),
  isCancelled: () => false,
  backendReason: 'benchmark',
});
