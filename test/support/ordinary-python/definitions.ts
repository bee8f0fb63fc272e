/** Helpers, classes and imports of random programs. */
import { bool, definite, num, test, text } from './expressions.js';
import { returnStatement, statements } from './statements.js';
import type { ClassInfo, Kind, Variable, Writer } from './writer.js';

const CHECKS = ['check', 'feasible', 'validate', 'status', 'problem', 'lookup'];
const NUMBERS = ['cost', 'penalty', 'g', 'h', 'term', 'energy', 'clip'];

/** A function of its own, known from here on. */
export function functionDefinition(w: Writer, d: number, gives?: Kind): void {
  const kind =
    gives ??
    w.choose<Kind>([
      [3, () => 'num'],
      [w.if('any', 5), () => 'any'],
      [1, () => 'bool'],
      [w.if('text', 1), () => 'text'],
      [w.if('list', 1), () => 'list'],
    ]);
  const name = w.fresh(w.pick(kind === 'num' ? NUMBERS : CHECKS));
  const takesVector = w.chance(0.55);
  const first: Variable = takesVector
    ? { name: w.pick(['x', 'p', 'v']), kind: 'vector' }
    : { name: w.pick(['a', 'q', 't']), kind: 'num' };
  const takes: Kind[] = [first.kind];
  const parameters: Variable[] = [first];
  let signature = first.name;
  if (w.chance(0.4)) {
    const second: Variable = { name: w.pick(['b', 'scale', 'eps']), kind: 'num' };
    parameters.push(second);
    const isOptional = w.chance(0.7);
    if (!isOptional) takes.push('num');
    signature += `, ${second.name}${
      isOptional
        ? `=${w.choose([
            [3, () => w.pick(['1.0', '2.0', '0', '1e-3'])],
            [w.if('any', 1), () => 'None'],
          ])}`
        : ''
    }`;
    if (isOptional && signature.endsWith('=None')) parameters[1] = { ...second, kind: 'any' };
  }
  if (w.chance(0.1)) signature += ', *args';
  if (w.chance(0.08)) signature += ', **kwargs';
  const returns = w.returns;
  w.returns = kind;
  w.scope(`def ${name}(${signature}):`, parameters, () => {
    if (w.chance(0.15)) w.line('"""Says what it is."""');
    body(w, d, kind);
  });
  w.returns = returns;
  if (!takesVector || w.variables.some((v) => v.kind === 'vector') || w.inFunction === 0)
    w.helpers.push({ name, takes, gives: kind });
}

function body(w: Writer, d: number, kind: Kind): void {
  const budget = w.budget;
  w.budget = Math.min(budget, 10);
  const given = w.budget;
  if (kind === 'any') {
    w.choose([
      [
        3,
        () => {
          for (let k = 1 + w.below(3); k > 0; k--)
            w.block(`if ${bool(w, 1)}:`, () => w.line(`return ${definite(w, 1)}`));
          if (w.chance(0.6)) w.line(`return ${definite(w, 1)}`);
        },
      ],
      [2, () => w.line(`return ${bool(w, 1)} and ${definite(w, 1)} or ${definite(w, 1)}`)],
      [1, () => w.line(`return ${definite(w, 1)} if ${bool(w, 1)} else ${definite(w, 1)}`)],
      [
        1,
        () => {
          w.line('out = []');
          w.block(`if ${bool(w, 1)}:`, () => w.line(`out.append(${w.pick(['"x too small"', '1', num(w, 0)])})`));
          w.line(`return ${w.pick(['out', 'out or None', 'out[0] if out else None', 'len(out) and out'])}`);
        },
      ],
      [
        1,
        () => {
          w.block(
            'for v in x if not isinstance(x, float) else [x]:'
              .replaceAll('x', w.find('vector')?.name ?? '(1.0,)')
              .replace(/^for v in (\S+) if.*$/, 'for v in $1:'),
            () =>
              w.block(`if v ${w.pick(['<', '>'])} ${w.pick(['0', '1.0', '-1'])}:`, () =>
                w.line(`return ${definite(w, 1)}`),
              ),
          );
          if (w.chance(0.7)) w.line(`return ${definite(w, 1)}`);
        },
      ],
      [
        1,
        () => {
          statements(w, 1 + w.below(2), Math.min(d, 1));
          returnStatement(w);
        },
      ],
    ]);
  } else {
    statements(w, w.below(3), Math.min(d, 2));
    if (kind === 'text') w.line(`return ${text(w, 2)}`);
    else if (kind === 'bool') w.line(`return ${w.chance(0.7) ? bool(w, 2) : test(w, definite(w, 1))}`);
    else returnStatement(w);
  }
  w.budget = budget - (given - w.budget);
}

export function classDefinition(w: Writer): void {
  const name = w.fresh(w.pick(['Config', 'Point', 'Node', 'Options']));
  w.choose([
    [2, () => plainClass(w, w.fresh(w.pick(['Problem', 'Model'])))],
    [2, () => dataclass(w, name)],
    [0.4, () => enumeration(w, name)],
    [0.4, () => namedTuple(w, name)],
  ]);
}

function plainClass(w: Writer, name: string): void {
  const attributes: string[] = ['a'];
  const methods: ClassInfo['methods'][number][] = [];
  // An enumeration and a named tuple are made otherwise, and cannot be extended like this.
  const extensible = w.classes.filter(({ make }) => make.startsWith('Problem') || make.startsWith('Model'));
  const base = extensible.length > 0 && w.chance(0.25) ? w.pick(extensible) : null;
  const isEmpty = base !== null && w.chance(0.3);
  w.scope(
    `class ${name}${base === null ? '' : `(${base.name})`}:`,
    [],
    () => {
      if (w.chance(0.5)) {
        w.line(`k = ${w.pick(['2.0', '1', '0.5', '[1.0, 2.0]', 'None', '"a"'])}`);
        attributes.push('k');
      }
      if (isEmpty) return;
      w.scope(
        'def __init__(self, a=1.0, b=2.0):',
        [
          { name: 'a', kind: 'num' },
          { name: 'b', kind: 'num' },
        ],
        () => {
          if (base !== null && w.chance(0.6))
            w.line(w.pick(['super().__init__(a, b)', 'super().__init__(a)', `${base.name}.__init__(self, b)`]));
          w.line(`self.a = ${w.pick(['a', 'a', 'a + b', 'a * 2'])}`);
          if (w.chance(0.6)) {
            w.line(`self.b = ${w.pick(['b', 'b', 'None', '[a, b]', '"x"', 'a > b'])}`);
            attributes.push('b');
          }
        },
      );
      if (w.chance(0.7)) {
        methods.push({ name: 'value', gives: 'num' });
        const returns = w.returns;
        w.returns = 'num';
        w.scope('def value(self, q):', [{ name: 'q', kind: 'num' }], () => {
          if (w.chance(0.3)) w.line(`self.a ${w.pick(['+=', '='])} q`);
          if (base !== null && w.chance(0.3)) w.line(`q = super().value(q)`);
          if (w.chance(0.1))
            w.line(
              w.pick([
                'del self.b',
                'self.c = q',
                'self.a, self.b = q, self.a',
                'setattr(self, "b", q)',
                'for self.b in (1.0, q): pass',
              ]),
            );
          if (w.chance(0.4))
            w.block(`if ${w.pick(['q > self.a', 'self.a', 'not self.a', bool(w, 1)])}:`, () =>
              w.line(`return ${num(w, 1)}`),
            );
          w.line(`return ${w.pick(['self.a * q', 'q + self.a', 'self.a', num(w, 1)])}`);
        });
        w.returns = returns;
      }
      if (w.chance(0.15)) w.scope('def __bool__(self):', [], () => w.line('return self.a > 1.0'));
      if (w.chance(0.15)) w.scope('def __len__(self):', [], () => w.line('return 2'));
      if (w.chance(0.2))
        w.scope('def __eq__(self, other):', [], () =>
          w.line(
            w.pick([
              'return self.a == other.a',
              'return isinstance(other, type(self)) and self.a == other.a',
              'return True',
            ]),
          ),
        );
      if (w.chance(0.15)) w.scope('def __lt__(self, other):', [], () => w.line('return self.a < other.a'));
      if (w.chance(0.15))
        w.scope('def __add__(self, other):', [], () =>
          w.line(`return ${name}(self.a + ${w.pick(['other.a', 'other'])})`),
        );
      if (w.chance(0.2)) {
        w.line('@property');
        w.scope('def twice(self):', [], () => w.line('return 2 * self.a'));
        attributes.push('twice');
      }
      if (w.chance(0.15)) {
        w.line(w.pick(['@staticmethod', '@classmethod']));
        const isStatic = w.lines[w.lines.length - 1].includes('static');
        w.scope(`def make(${isStatic ? '' : 'cls, '}q=1.0):`, [], () =>
          w.line(`return ${isStatic ? 'q + 1.0' : 'q * 2.0'}`),
        );
        methods.push({ name: 'make', gives: 'num' });
      }
      if (w.chance(0.12)) w.scope('def __call__(self, q):', [], () => w.line('return self.a + q'));
      if (w.chance(0.1)) w.scope('def __getattr__(self, name):', [], () => w.line('return 7.0'));
    },
    false,
  );
  const given = w.pick(['', '2.0', '3.0, b=1.0']);
  w.classes.push({
    name,
    make: `${name}(${given})`,
    attributes: [...attributes, ...(base?.attributes ?? [])],
    methods: [...methods, ...(base?.methods ?? [])],
  });
}

function dataclass(w: Writer, name: string): void {
  w.line(`@dataclass${w.pick(['', '', '(frozen=True)', '(order=True)', '(eq=False)'])}`);
  w.scope(
    `class ${name}:`,
    [],
    () => {
      w.line('a: float = 1.0');
      w.line(
        w.pick([
          'b: float = 2.0',
          'b: list = field(default_factory=list)',
          'b: object = None',
          'b: str = "x"',
          'b: list = field(default_factory=lambda: [1.0, 2.0])',
        ]),
      );
      if (w.chance(0.3))
        w.scope('def __post_init__(self):', [], () => w.line('object.__setattr__(self, "k", self.a * 2)'));
      if (w.chance(0.5))
        w.scope('def value(self, q):', [], () =>
          w.line(w.pick(['return self.a * q', 'return q if self.b else self.a'])),
        );
      else w.scope('def value(self, q=1.0):', [], () => w.line('return q - self.a'));
    },
    false,
  );
  w.classes.push({
    name,
    make: `${name}(${w.pick(['', '3.0', 'a=2.0', '1.0, None'])})`,
    attributes: ['a', 'b'],
    methods: [{ name: 'value', gives: 'num' }],
  });
}

function enumeration(w: Writer, name: string): void {
  w.scope(
    `class ${name}(${w.pick(['enum.Enum', 'enum.IntEnum'])}):`,
    [],
    () => {
      w.line('A = 1');
      w.line('B = 2');
    },
    false,
  );
  w.classes.push({ name, make: `${name}.${w.pick(['A', 'B'])}`, attributes: ['value'], methods: [] });
}

function namedTuple(w: Writer, name: string): void {
  w.line(`${name} = collections.namedtuple("${name}", ["a", "b"])`);
  w.classes.push({
    name,
    make: `${name}(1.0, ${w.pick(['2.0', 'None', '"x"'])})`,
    attributes: ['a', 'b'],
    methods: [],
  });
}

export function exceptionClasses(w: Writer): void {
  const base = w.pick(['Exception', 'ValueError', 'ArithmeticError', 'LookupError', 'RuntimeError']);
  w.scope(
    `class Infeasible(${base}):`,
    [],
    () => {
      if (w.chance(0.3))
        w.scope(
          'def __init__(self, amount=1.0):',
          [],
          () => (w.line('super().__init__("infeasible")'), w.line('self.amount = amount')),
        );
    },
    false,
  );
  w.exceptions.push('Infeasible');
  if (w.chance(0.4)) {
    w.scope('class TooSmall(Infeasible):', [], () => w.line('pass'), false);
    w.exceptions.push('TooSmall');
  }
}

/** Modules that may not be there, and names that modules may not have. */
export function attemptedImport(w: Writer): void {
  const flag = w.fresh('HAVE');
  const module = w.pick([
    'nosuchmodule',
    'numba',
    'cupy',
    'torch',
    'math',
    'statistics',
    'jax.numpy',
    'autograd.numpy',
    'functools',
  ]);
  w.choose([
    [
      3,
      () => {
        w.block(
          'try:',
          () => (w.line(`import ${module}${module.includes('.') ? ' as xp' : ''}`), w.line(`${flag} = True`)),
        );
        w.block(`except ${w.pick(['ImportError', 'ModuleNotFoundError', 'Exception'])}:`, () =>
          w.line(`${flag} = False`),
        );
        w.bind({ name: flag, kind: 'bool' });
      },
    ],
    [
      2,
      () => {
        const what = w.pick(['sumprod', 'cbrt', 'exp2', 'nosuch', 'prod', 'dist', 'lcm']);
        w.block('try:', () => (w.line(`from math import ${what}`), w.line(`${flag} = 1.0`)));
        w.block('except ImportError:', () => w.line(`${flag} = 2.0`));
        w.bind({ name: flag, kind: 'num' });
      },
    ],
    [
      1,
      () => {
        w.block('try:', () => w.line(`import ${module}${module.includes('.') ? '' : ' as xp'}`));
        w.block('except ImportError:', () => w.line(`${module.includes('.') ? module.split('.')[0] : 'xp'} = None`));
        if (!module.includes('.')) w.line(`${flag} = 1.0 if xp is not None else 0.0`);
        else w.line(`${flag} = 3.0`);
        w.bind({ name: flag, kind: 'num' });
      },
    ],
    [
      0.6,
      () => {
        const part = w.pick(['dom', 'sax', 'nosuch']);
        w.line('import xml');
        if (w.chance(0.5)) w.line(`import ${w.pick(['xml.dom', 'xml.sax', 'xml.dom.minidom', 'json'])}`);
        w.block('try:', () => (w.line(`xml.${part}`), w.line(`${flag} = 1.0`)));
        w.block('except AttributeError:', () => w.line(`${flag} = 2.0`));
        w.bind({ name: flag, kind: 'num' });
      },
    ],
    [
      0.6,
      () => {
        w.line(
          `${flag} = hasattr(${w.pick(['math', 'math'])}, "${w.pick(['sumprod', 'cbrt', 'nosuch', 'sqrt', 'lcm'])}")`,
        );
        w.bind({ name: flag, kind: 'bool' });
      },
    ],
  ]);
}
