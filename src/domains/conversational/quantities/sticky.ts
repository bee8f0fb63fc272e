/** One step of the scanners: an expression at a place, and nowhere else. */

/** Sticky expressions at a place. */
export function at(expression: RegExp, text: string, place: number): RegExpExecArray | null {
  expression.lastIndex = place;
  return expression.exec(text);
}
