/**
 * Calls of the API's own routes, for whoever has a caller and no HTTP request of its own: the same scopes, the same
 * checks of what is sent, the same answers.
 */
import { ExtremumError } from '../../common/errors.js';
import type { IdSource } from '../../common/ids.js';
import { validate } from '../../common/validation.js';
import { allows, type Caller } from '../../identity/identity-service.js';
import type { AnyRoute, RouteReply } from '../route.js';

interface CallRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export class RouteCalls {
  private readonly byOperation: ReadonlyMap<string, AnyRoute>;

  constructor(
    routes: readonly AnyRoute[],
    private readonly ids: IdSource,
  ) {
    this.byOperation = new Map(routes.map((route) => [route.operationId, route]));
  }

  /** Whether the key may call them all. */
  mayCall({ key }: Caller, operations: readonly string[]): boolean {
    return operations.every((operation) => {
      const { scope } = this.route(operation);
      return scope === null || allows(key, scope);
    });
  }

  /** @throws {ExtremumError} as the route answers; `forbidden` where the key lacks the scope. */
  async call(caller: Caller, operation: string, request: CallRequest = {}): Promise<RouteReply> {
    const route = this.route(operation);
    if (!this.mayCall(caller, [operation])) {
      throw new ExtremumError('forbidden', `The API key lacks the scope \`${route.scope}\`.`);
    }
    const { params = {}, headers = {} } = request;
    return route.handle({
      caller,
      params,
      query: validate(route.query, request.query ?? {}, 'query'),
      body: route.body === null ? undefined : validate(route.body, request.body ?? {}, 'body'),
      ids: this.ids,
      header: (name) => headers[name],
    });
  }

  private route(operation: string): AnyRoute {
    const route = this.byOperation.get(operation);
    if (route === undefined) throw new Error(`no route is called ${operation}`);
    return route;
  }
}
