/**
 * A fault in the compiler, for tests of what finds it: the number 4.25 of a source is 0 in its program. Loaded by
 * worker threads (`ThreadFaults`).
 */
const WRITTEN = 4.25;

function region({ body, yields }) {
  return { body: body.map(node), yields };
}

function node(of) {
  switch (of.kind) {
    case 'op':
      return of.op === 'const' && of.imm === WRITTEN ? { ...of, imm: 0 } : of;
    case 'if':
      return { ...of, then: region(of.then), otherwise: region(of.otherwise) };
    case 'loop':
    case 'for':
      return { ...of, body: region(of.body) };
  }
}

export default (program) => ({ ...program, body: region(program.body) });
