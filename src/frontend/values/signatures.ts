/**
 * Parameters of Python's own functions.
 */
interface Parameter {
  readonly name: string;
  readonly kind: 'positional' | 'either' | 'keyword';
  readonly isOptional: boolean;
  readonly isTranslated: boolean;
}

export interface Signature {
  readonly parameters: readonly Parameter[];
  /** It takes any number of positional arguments, of named ones. */
  readonly isVariadic: boolean;
  readonly takesNames: boolean;
}

/** Reads them as Python writes them: `first, /, *, key=`. A `~` before a parameter says that it is not translated. */
export function signatureOf(text: string): Signature {
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
