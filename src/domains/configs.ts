/** Configs against the schemas of their problem types: what the API, the workers and the command line check with. */
import { z } from 'zod';
import type { ExtremumError } from '../common/errors.js';
import { nearMatch } from '../common/near-match.js';
import { fieldPath, invalid, shown, validate } from '../common/validation.js';
import { DOMAINS, type DomainName, type ProblemReference } from '../model/problem.js';
import type { AnyModel, ProblemType } from './problem-type.js';
import { PROBLEM_TYPES } from './registry.js';

export interface CheckedProblem {
  readonly reference: ProblemReference;
  readonly type: ProblemType;
  readonly model: AnyModel;
  /** The config with every default filled in. */
  readonly config: unknown;
}

export const typesOf = (domain: DomainName): readonly ProblemType[] =>
  PROBLEM_TYPES.filter((type) => type.domain === domain);

export const isDomain = (name: string): name is DomainName => (DOMAINS as readonly string[]).includes(name);

/** @throws {ExtremumError} `invalid_request` on `problem_type`, with those that there are */
export function typeNamed(domain: DomainName, name: string): ProblemType {
  const types = typesOf(domain);
  const found = types.find((type) => type.name === name || type.aliases.includes(name));
  if (found !== undefined) return found;
  const known = types.map((type) => type.name);
  const near = nearMatch(name, [...known, ...types.flatMap(({ aliases }) => aliases)]);
  const hint = near === null ? '' : ` Did you mean \`${near}\`?`;
  const message = `\`problem_type\` must be one of ${known.map(shown).join(', ')} in the domain ${domain}, not ${shown(name)}.${hint}`;
  throw invalid('problem_type', message);
}

/** Model of a config, with the models' own names: `model` decides which fields there are. */
function modelNamed(type: ProblemType, config: unknown): AnyModel {
  const [first] = type.models;
  if (first === undefined) throw new Error(`${type.name} has no model`);
  if (first.name === null || typeof config !== 'object' || config === null) return first;
  const { model: name } = config as { readonly model?: unknown };
  if (name === undefined) return first;
  const found = type.models.find((one) => one.name === name);
  if (found !== undefined) return found;
  const known = type.models.map((one) => one.name ?? '');
  const near = typeof name === 'string' ? nearMatch(name, known) : null;
  const hint = near === null ? '' : ` Did you mean \`${near}\`?`;
  throw invalid(
    'config.model',
    `\`config.model\` must be one of ${known.map(shown).join(', ')}, not ${shown(name)}.${hint}`,
  );
}

/** The schema of a model's configs, `model` included. */
export function configSchema(type: ProblemType, model: AnyModel): z.ZodObject {
  if (model.name === null) return model.fields;
  const isDefault = model === type.models[0];
  const name = z.literal(model.name).describe(model.summary);
  return model.fields.extend({ model: isDefault ? name.default(model.name) : name });
}

const envelopes = new WeakMap<AnyModel, z.ZodType<{ readonly config: unknown }>>();

/** Schemas are made once: that takes longer than a check. */
function envelopeOf(type: ProblemType, model: AnyModel): z.ZodType<{ readonly config: unknown }> {
  let envelope = envelopes.get(model);
  if (envelope === undefined) {
    envelope = z.strictObject({ config: configSchema(type, model) });
    envelopes.set(model, envelope);
  }
  return envelope;
}

/**
 * @throws {ExtremumError} `invalid_request` with the path of the first fault, from `config` on
 */
export function checkConfig(type: ProblemType, given: unknown): CheckedProblem {
  if (given === undefined) throw invalid('config', '`config` is required.');
  const model = modelNamed(type, given);
  const { config } = validate(envelopeOf(type, model), { config: given }, 'body');
  let complaint: ExtremumError | null = null;
  model.check?.(config, (path, message) => {
    const field = fieldPath(['config', ...path]);
    complaint ??= invalid(field, message.replaceAll('{field}', field));
  });
  if (complaint !== null) throw complaint as ExtremumError;
  return { reference: { domain: type.domain, problemType: type.name, model: model.name }, type, model, config };
}

/**
 * Checks a config again that was checked when it was submitted. @throws {Error} where it does not hold any more: a
 * defect
 */
export const checkedAgain = ({ domain, problemType }: ProblemReference, config: unknown): CheckedProblem =>
  checkConfig(typeNamed(domain, problemType), config);
