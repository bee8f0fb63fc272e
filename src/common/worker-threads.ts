/**
 * Arguments for the threads of a pool. The pool loads our module with `require` where Node can, and a thread that is
 * ended in the middle of that takes the whole process down ("IsGraphAsync must be used on an instantiated module", seen
 * on 20.20). With this it uses `import`.
 *
 * Nothing of `process.execArgv`: a thread refuses what is for the process (`--max-old-space-size`, `--expose-gc`), and
 * what else there may be (loaders, conditions) is for the user's modules, not for ours.
 */
export const workerExecArgv = (): string[] =>
  process.allowedNodeEnvironmentFlags.has('--experimental-require-module') ? ['--no-experimental-require-module'] : [];
