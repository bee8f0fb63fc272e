/** A finding about the source. Nothing is thrown at the caller of the front end: several are collected and reported. */
export interface Diagnostic {
  /**
   * `syntax`: CPython would refuse it too. `objective`: no function, wrong arity. `unsupported`: valid Python outside
   * the compiled subset. `limit`: larger than the compiler takes.
   */
  readonly kind: 'syntax' | 'objective' | 'unsupported' | 'limit';
  /** Plain words for the person who wrote the source. */
  readonly message: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units of the source line. */
  readonly column: number;
}
