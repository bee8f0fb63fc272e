import { get } from '../api/client.js';
import { useLoad } from '../ui/use-load.js';

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      { readonly get?: { readonly parameters?: readonly { name: string; schema?: { enum?: string[] } }[] } }
    >
  >;
}

/** Methods of domain problems, which no function can be searched with. */
const isSearch = (name: string): boolean => !name.includes('.');

/** Names that a run may be filtered by and asked for, from the description of the API. */
export function useStrategyNames(): readonly string[] {
  const described = useLoad('openapi', () => get<Described>('/v1/openapi.json'));
  const parameters = described.data?.paths['/v1/optimize']?.get?.parameters ?? [];
  const names = parameters.find(({ name }) => name === 'strategy')?.schema?.enum ?? [];
  return names.filter(isSearch);
}
