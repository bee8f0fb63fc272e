export function settingsProblem(
  env: Readonly<Record<string, string | undefined>>,
  argv: readonly string[],
): Promise<string | null>;
