/**
 * Which arguments Python's own functions and methods take: a call that does not fit raises `TypeError` before anything else
 * happens. As Python writes signatures; `~` before a parameter: it is not translated.
 */
import { LaneStatus } from '../../ir/types.js';
import type { LibraryMachine } from './library-machine.js';
import { Unsupported, type AnyCall, type AnyValue } from '../values/values.js';

const METHODS = `
  list.append(object, /)  list.extend(iterable, /)  list.insert(index, object, /)  list.pop(index=, /)  list.remove(value, /)
  list.clear()  list.sort(*, key=, reverse=)  list.index(value, start=, stop=, /)  list.copy()  list.reverse()  list.count(value, /)
  tuple.index(value, start=, stop=, /)  tuple.count(value, /)
  dict.keys()  dict.values()  dict.items()  dict.get(key, default=, /)  dict.copy()  dict.update(other=, /, **others)
  dict.setdefault(key, default=, /)  dict.pop(key, default=, /)  dict.popitem()  dict.clear()
  set.union(*others)  set.intersection(*others)  set.difference(*others)  set.symmetric_difference(other, /)  set.copy()
  set.add(item, /)  set.discard(item, /)
  str.format(*args, **kwargs)  str.join(iterable, /)  str.startswith(prefix, ~start=, ~end=, /)
  str.endswith(suffix, ~start=, ~end=, /)  str.replace(old, new, ~count=)  str.count(sub, ~start=, ~end=, /)
  str.split(sep=, maxsplit=)  str.splitlines(~keepends=)  str.strip(chars=, /)  str.lstrip(chars=, /)  str.rstrip(chars=, /)
  str.find(sub, ~start=, ~end=, /)  str.index(sub, ~start=, ~end=, /)  str.removeprefix(prefix, /)  str.removesuffix(suffix, /)
  str.upper()  str.lower()  str.isdigit()  str.partition(sep, /)
  conjugate()  complex.conjugate()`;

const FUNCTIONS = `
  abs(x, /)  max(first, /, *others, default=, key=)  min(first, /, *others, default=, key=)  sum(iterable, /, start=)
  range(first, stop=, step=, /)  len(obj, /)  round(number, ndigits=)  sorted(iterable, /, *, key=, reverse=)
  isinstance(obj, classes, /)  print(*args, sep=, end=, file=, flush=)  any(iterable, /)  all(iterable, /)  float(x=, /)
  complex(real=, imag=)  int(x=, /, ~base=)  bool(x=, /)  list(iterable=, /)  tuple(iterable=, /)
  str(object=, ~encoding=, ~errors=)  repr(obj, /)  format(value, spec=, /)  dict(other=, /, **others)  set(iterable=, /)
  frozenset(iterable=, /)  super(cls=, self=, /)  getattr(object, name, default=, /)  hasattr(obj, name, /)
  filter(function, iterable, /)  pow(base, exp, ~mod=)  divmod(x, y, /)  enumerate(iterable, start=)
  zip(*iterables, ~strict=)  map(function, first, /, *iterables)  reversed(sequence, /)  callable(obj, /)
  iter(object, ~sentinel=, /)  next(iterator, default=, /)  slice(first, stop=, step=, /)`;

const MATH = `
  acos(x, /)  acosh(x, /)  asin(x, /)  asinh(x, /)  atan(x, /)  atan2(y, x, /)  atanh(x, /)  cbrt(x, /)  ceil(x, /)  comb(n, k, /)
  copysign(x, y, /)  cos(x, /)  cosh(x, /)  degrees(x, /)  dist(p, q, /)  erf(x, /)  erfc(x, /)  exp(x, /)  exp2(x, /)
  expm1(x, /)  fabs(x, /)  factorial(n, /)  floor(x, /)  fmod(x, y, /)  frexp(x, /)  fsum(seq, /)  gamma(x, /)  gcd(*integers)
  hypot(*coordinates)  isclose(a, b, *, rel_tol=, abs_tol=)  isfinite(x, /)  isinf(x, /)  isnan(x, /)  isqrt(n, /)
  lcm(*integers)  ldexp(x, i, /)  lgamma(x, /)  log(x, base=, /)  log10(x, /)  log1p(x, /)  log2(x, /)  modf(x, /)
  nextafter(x, y, /, *, ~steps=)  perm(n, k=, /)  pow(x, y, /)  prod(iterable, /, *, start=)  radians(x, /)  remainder(x, y, /)
  sin(x, /)  sinh(x, /)  sqrt(x, /)  tan(x, /)  tanh(x, /)  trunc(x, /)  ulp(x, /)`;

const CMATH = `
  acos(z, /)  acosh(z, /)  asin(z, /)  asinh(z, /)  atan(z, /)  atanh(z, /)  cos(z, /)  cosh(z, /)  exp(z, /)
  isclose(a, b, *, rel_tol=, abs_tol=)  isfinite(z, /)  isinf(z, /)  isnan(z, /)  log(z, base=, /)  log10(z, /)  phase(z, /)
  polar(z, /)  rect(r, phi, /)  sin(z, /)  sinh(z, /)  sqrt(z, /)  tan(z, /)  tanh(z, /)`;

interface Parameter {
  readonly name: string;
  readonly kind: 'positional' | 'either' | 'keyword';
  readonly isOptional: boolean;
  readonly isTranslated: boolean;
}

interface Signature {
  readonly parameters: readonly Parameter[];
  /** It takes any number of positional arguments, of named ones. */
  readonly isVariadic: boolean;
  readonly takesNames: boolean;
}

function signatureOf(text: string): Signature {
  const parts = text.split(',').map((part) => part.trim());
  const marker = parts.findIndex((part) => part.startsWith('*') && !part.startsWith('**'));
  const slash = parts.indexOf('/');
  const parameters = parts.flatMap((part, k): Parameter[] => {
    const [, tilde, name, optional] = /^(~?)(\w+)(=?)$/.exec(part) ?? [];
    if (name === undefined) return [];
    const kind = k < slash ? 'positional' : marker >= 0 && k > marker ? 'keyword' : 'either';
    return [{ name, kind, isOptional: optional !== '', isTranslated: tilde === '' }];
  });
  const isVariadic = marker >= 0 && parts[marker] !== '*';
  return { parameters, isVariadic, takesNames: parts.some((part) => part.startsWith('**')) };
}

const SIGNATURES: ReadonlyMap<string, Signature> = new Map(
  [
    [METHODS, ''],
    [FUNCTIONS, ''],
    [MATH, 'math.'],
    [CMATH, 'cmath.'],
  ].flatMap(([texts, prefix]) =>
    [...texts.matchAll(/([\w.]+)\(([^)]*)\)/g)].map(([, name, text]): [string, Signature] => [
      prefix + name,
      signatureOf(text),
    ]),
  ),
);

/** The call with every argument that may stand in its place there, in place of its name. */
export function fitted(ev: LibraryMachine, name: string, call: AnyCall): AnyCall {
  const signature = SIGNATURES.get(name);
  if (signature === undefined) return call;
  const { parameters, isVariadic, takesNames } = signature;
  const misfit = (): never => ev.ops.raise(LaneStatus.Raised, 'TypeError');
  const places = parameters.filter(({ kind }) => kind !== 'keyword');
  const args: AnyValue[] = [...call.args];
  const keywords = new Map(call.keywords);
  if (args.length > places.length && !isVariadic) return misfit();
  const given = new Set(places.slice(0, args.length));
  for (const key of keywords.keys()) {
    const parameter = parameters.find((p) => p.name === key && p.kind !== 'positional');
    if (parameter === undefined ? !takesNames : given.has(parameter)) return misfit();
    if (parameter !== undefined) given.add(parameter);
  }
  if (parameters.some((p) => !p.isOptional && !given.has(p) && p.kind !== 'keyword')) return misfit();
  const strange = [...given].find(({ isTranslated }) => !isTranslated);
  if (strange !== undefined) throw new Unsupported(`the argument '${strange.name}' of ${name}()`, call.position);
  for (const parameter of places.slice(args.length)) {
    const value = keywords.get(parameter.name);
    if (value === undefined || parameter.kind !== 'either') break;
    keywords.delete(parameter.name);
    args.push(value);
  }
  return { ...call, args, keywords };
}
