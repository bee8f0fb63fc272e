import { get } from '../api/client.js';
import { useLoad } from '../ui/use-load.js';

interface Described {
  readonly paths: {
    readonly '/v1/optimize': {
      readonly post: {
        readonly requestBody: {
          readonly content: {
            readonly 'application/json': {
              readonly schema: { readonly properties: { readonly strategy: { readonly enum: readonly string[] } } };
            };
          };
        };
      };
    };
  };
}

/** Names of strategies that a request may force, from the description of the API. */
export function useStrategyNames(): readonly string[] {
  const { data } = useLoad('openapi', () => get<Described>('/v1/openapi.json'));
  if (data === undefined) return [];
  const { schema } = data.paths['/v1/optimize'].post.requestBody.content['application/json'];
  return schema.properties.strategy.enum;
}
