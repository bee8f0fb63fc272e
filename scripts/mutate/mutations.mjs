/**
 * Faults that can be seeded into a file of dist/: places in its syntax tree, and what stands there instead.
 * Deterministic: the same file has the same places in the same order.
 */
import ts from 'typescript';

const SWAPPED = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
]);

/**
 * What means something to the compiler: kinds of numbers, operations, classes of exceptions, kinds of values and nodes.
 */
const WORDS = new Map(
  Object.entries({
    float: 'npfloat',
    npfloat: 'float',
    int: 'float',
    npint: 'int',
    bool: 'int',
    npbool: 'bool',
    list: 'ndarray',
    ndarray: 'list',
    lt: 'le',
    le: 'lt',
    eq: 'ne',
    ne: 'eq',
    and: 'or',
    or: 'and',
    add: 'sub',
    sub: 'add',
    mul: 'add',
    div: 'mul',
    floor: 'trunc',
    trunc: 'floor',
    ceil: 'floor',
    rint: 'floor',
    neg: 'abs',
    abs: 'neg',
    min: 'max',
    max: 'min',
    sin: 'cos',
    cos: 'sin',
    exp: 'expm1',
    log: 'log1p',
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '==': '!=',
    '!=': '==',
    '+': '-',
    '-': '+',
    '*': '+',
    '//': '/',
    ValueError: 'TypeError',
    TypeError: 'ValueError',
    IndexError: 'KeyError',
    KeyError: 'IndexError',
    ZeroDivisionError: 'OverflowError',
    OverflowError: 'ZeroDivisionError',
    ArithmeticError: 'ValueError',
    LookupError: 'ValueError',
    none: 'string',
  }),
);

const isText = (node) =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right)));

/** The function or method around a node, by its name; '' at the top of the file. */
function functionAround(node) {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name) return at.name.getText();
    const isValue = ts.isVariableDeclaration(at) || ts.isPropertyAssignment(at);
    if (isValue && at.initializer && (ts.isArrowFunction(at.initializer) || ts.isFunctionExpression(at.initializer)))
      return at.name.getText();
  }
  return '';
}

const isStatement = (node) => ts.isExpressionStatement(node) || ts.isThrowStatement(node);

/**
 * Every place of a file: what stands there from start to end, `{start, end, isStatement, faulty, kind, line, within}`,
 * with `faulty` what stands there with the fault (null: nothing). Places outside of functions are left out: they run
 * once, as the file is loaded.
 */
export function placesIn(fileName, source) {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const places = [];
  let depth = 0;
  const add = (node, faulty, kind) => {
    if (depth === 0) return;
    const [start, end] = [node.getStart(), node.getEnd()];
    const { line } = file.getLineAndCharacterOfPosition(start);
    places.push({
      start,
      end,
      isStatement: isStatement(node),
      faulty,
      kind,
      line: line + 1,
      within: functionAround(node),
    });
  };
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const other = SWAPPED.get(node.operatorToken.kind);
      const joins = node.operatorToken.kind === ts.SyntaxKind.PlusToken && (isText(node.left) || isText(node.right));
      if (other !== undefined && !joins)
        add(node, `(${node.left.getText()}) ${other} (${node.right.getText()})`, 'operator');
    } else if (ts.isIfStatement(node)) {
      add(node.expression, `!(${node.expression.getText()})`, 'condition negated');
      add(node.expression, 'false', 'branch left out');
    } else if (ts.isConditionalExpression(node)) {
      const [yes, no] = [node.whenTrue.getText(), node.whenFalse.getText()];
      add(node, `(${node.condition.getText()}) ? (${no}) : (${yes})`, 'branches swapped');
    } else if (ts.isExpressionStatement(node)) {
      const isSuper =
        ts.isCallExpression(node.expression) && node.expression.expression.kind === ts.SyntaxKind.SuperKeyword;
      if (!isSuper && !ts.isStringLiteralLike(node.expression)) add(node, null, 'statement dropped');
    } else if (ts.isThrowStatement(node)) {
      add(node, null, 'refusal dropped');
    } else if (ts.isNumericLiteral(node) && node.parent.name !== node) {
      add(node, `${node.getText()} + 1`, 'off by one');
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) {
      add(node, 'false', 'truth value');
    } else if (node.kind === ts.SyntaxKind.FalseKeyword) {
      add(node, 'true', 'truth value');
    } else if (ts.isStringLiteral(node) && WORDS.has(node.text) && node.parent.name !== node) {
      add(node, `'${WORDS.get(node.text)}'`, 'wrong kind');
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      add(node, node.operand.getText(), 'condition negated');
    } else if (isPlainCall(node)) {
      const [a, b, ...rest] = node.arguments;
      const isPlain = (n) => n && !ts.isArrowFunction(n) && !ts.isFunctionExpression(n) && !ts.isStringLiteralLike(n);
      if (isPlain(a) && isPlain(b) && a.getText() !== b.getText()) {
        const args = [b, a, ...rest].map((n) => n.getText()).join(', ');
        add(node, `${node.expression.getText()}(${args})`, 'arguments swapped');
      }
      if (ts.isReturnStatement(node.parent) && a && ts.isIdentifier(a)) add(node, a.getText(), 'call left out');
    }
    const isFunction = ts.isFunctionLike(node);
    if (isFunction) depth++;
    ts.forEachChild(node, visit);
    if (isFunction) depth--;
  };
  ts.forEachChild(file, visit);
  return places;
}

/** Not a part of `a?.b(c)`, whose end would be cut off, nor of a constructor's `super(...)`. */
const isPlainCall = (node) =>
  ts.isCallExpression(node) &&
  (node.flags & ts.NodeFlags.OptionalChain) === 0 &&
  node.expression.kind !== ts.SyntaxKind.SuperKeyword &&
  !node.arguments.some(ts.isSpreadElement);

/**
 * The file with faults at some places that do not overlap; `globalThis.seededFault` says which one is there, by its
 * number.
 */
export function withFaults(source, places) {
  let text = '';
  let at = 0;
  for (const { start, end, isStatement: isDropped, faulty, number } of [...places].sort((a, b) => a.start - b.start)) {
    const original = source.slice(start, end);
    text += source.slice(at, start);
    text += isDropped
      ? `if (globalThis.seededFault !== ${number}) { ${original} }`
      : `(globalThis.seededFault === ${number} ? (${faulty}) : (${original}))`;
    at = end;
  }
  return text + source.slice(at);
}
