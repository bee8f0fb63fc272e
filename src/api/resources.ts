/**
 * The whole API: a line for each resource, in the order of the OpenAPI document. A new one:
 * docs/guides/adding-a-resource.md.
 */
import { analyticsRoutes } from './analytics/routes.js';
import { batchRoutes } from './batches/routes.js';
import { configurationRoutes } from './configuration/routes.js';
import { conversationRoutes } from './conversations/routes.js';
import { domainRoutes } from './domains/routes.js';
import { federatedRoutes } from './federated/routes.js';
import { functionRoutes } from './functions/routes.js';
import { identityRoutes } from './identity/routes.js';
import { learningRoutes } from './learning/routes.js';
import { optimizeRoutes } from './optimize/routes.js';
import type { ApiParts } from './parts.js';
import type { AnyRoute } from './route.js';
import { serviceRoutes } from './service/routes.js';
import { studyRoutes } from './studies/routes.js';
import { webhookRoutes } from './webhooks/routes.js';

export const apiRoutes = (parts: ApiParts): readonly AnyRoute[] => [
  ...functionRoutes(parts),
  ...optimizeRoutes(parts),
  ...batchRoutes(parts),
  ...conversationRoutes(parts),
  ...domainRoutes(parts),
  ...learningRoutes(parts),
  ...federatedRoutes(parts),
  ...studyRoutes(parts),
  ...analyticsRoutes(parts),
  ...configurationRoutes(parts),
  ...webhookRoutes(parts),
  ...identityRoutes(parts),
  ...serviceRoutes(parts),
];
