/**
 * Tables that are looked up by names of a program.
 */

/** Rows by name. A name such as `toString` finds none: no table has a prototype. */
export type Table<Row> = Readonly<Record<string, Row | undefined>>;

export const table = <Row>(...rows: readonly Table<Row>[]): Table<Row> =>
  Object.assign(Object.create(null) as Record<string, Row | undefined>, ...rows) as Table<Row>;
