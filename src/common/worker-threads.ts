/**
 * Arguments for the threads of a pool. The pool loads our module with `require` where Node can, and a thread that is ended in the
 * middle of that takes the whole process down ("IsGraphAsync must be used on an instantiated module", seen on 20.20). With
 * this it uses `import`.
 */
export function workerExecArgv(): string[] {
  const withoutRequire = process.allowedNodeEnvironmentFlags.has('--experimental-require-module')
    ? ['--no-experimental-require-module']
    : [];
  return [...process.execArgv, ...withoutRequire];
}
