/** Attributes and methods of values: `x.shape`, `x.sum()`, `items.append(v)`, `math.sin`. Start with `attributeOf`. */
import { LaneStatus } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import { int, NONE, string, typeName, Unsupported, type AnyValue, type Value } from '../values/values.js';
import { arrayAttribute, maskedAttribute, scalarAttribute } from './array-attributes.js';
import { lacksAttribute } from './attribute-names.js';
import { dictMethod } from './dict-methods.js';
import { classAttribute, instanceAttribute, superAttribute } from './instances.js';
import type { LibraryMachine } from './library-machine.js';
import { listMethod, tupleAttribute } from './list-methods.js';
import { moduleAttribute } from './modules.js';
import { complexArrayAttribute, complexAttribute } from './numpy-complex.js';
import { ufuncMethod } from './numpy-module.js';
import { setMethod } from './set-methods.js';
import { textMethod } from './text-methods.js';

export function attributeOf(ev: LibraryMachine, object: Value, name: string, position: Position): AnyValue {
  if (lacksAttribute(ev, object, name)) return ev.ops.raise(LaneStatus.Raised, 'AttributeError');
  switch (object.tag) {
    case 'module':
      return moduleAttribute(ev, object.path, name, position);
    case 'ndarray':
      return arrayAttribute(ev, object, name, position);
    case 'list':
      return listMethod(ev, object, name, position);
    case 'dict':
      return dictMethod(ev, object, name, position);
    case 'instance':
      return instanceAttribute(ev, object, name, position);
    case 'class': {
      const member = classAttribute(ev, object, name, position);
      if (member !== undefined) return member;
      throw new Unsupported(`the attribute '${name}' of class ${object.name}`, position);
    }
    case 'scalar':
      return scalarAttribute(ev, object, name, position);
    case 'complex':
    case 'complexarray': {
      const attribute =
        object.tag === 'complex' ? complexAttribute(ev, object, name) : complexArrayAttribute(ev, object, name);
      if (attribute !== undefined) return attribute;
      if (object.tag === 'complexarray' && ['shape', 'size', 'ndim'].includes(name))
        return arrayAttribute(ev, object.re, name, position);
      throw new Unsupported(`the attribute '${name}' of ${typeName(object)}`, position);
    }
    case 'masked':
      return maskedAttribute(ev, object, name, position);
    case 'tuple':
      return tupleAttribute(ev, object, name, position);
    case 'set':
      return setMethod(ev, object, name, position);
    case 'string':
      return textMethod(ev, object.value, name, position);
    case 'slice': {
      const parts = new Map([
        ['start', object.lower],
        ['stop', object.upper],
        ['step', object.step],
      ]);
      const part = parts.get(name);
      if (part === undefined) throw new Unsupported(`the attribute '${name}' of a slice`, position);
      return part === null ? NONE : int(part);
    }
    case 'super':
      return superAttribute(ev, object, name, position);
    case 'builtin': {
      const ufunc = object.name.startsWith('numpy.') ? ufuncMethod(ev, object.name, name) : undefined;
      if (ufunc !== undefined) return ufunc;
      if (object.name === 'itertools.chain') return moduleAttribute(ev, object.name, name, position);
      if (name === '__name__') return string(object.name);
      throw new Unsupported(`the attribute '${name}' of a function`, position);
    }
    case 'function': {
      const cell = object.attributes.get(name);
      if (cell?.value !== undefined) return ev.cells.readAny(cell, position);
      if (name === '__name__') return string(object.name);
      throw new Unsupported(`the attribute '${name}' of a function`, position);
    }
    default:
      throw new Unsupported(`the attribute '${name}' of ${typeName(object)}`, position);
  }
}
