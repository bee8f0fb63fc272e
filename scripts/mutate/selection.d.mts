interface Part {
  readonly name: string;
  readonly share: number;
  files(): readonly string[];
}

export function selectParts<P extends Part>(
  parts: readonly P[],
  wanted: { readonly part?: string | undefined; readonly file?: string | undefined },
): P[];
