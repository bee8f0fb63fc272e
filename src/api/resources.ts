/**
 * The whole API: a group for each resource, in the order of the OpenAPI document. A new one:
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

/** Routes that belong together: a tag of the OpenAPI document, a class of generated clients. */
export interface RouteGroup {
  /** Generated clients name the class after it, so it never changes. */
  readonly name: string;
  /** For people who read the document. */
  readonly description: string;
  readonly routes: readonly AnyRoute[];
}

/** In the order of use. The first route of each can be tried as it stands, in `/docs`. */
export const apiGroups = (parts: ApiParts): readonly RouteGroup[] => [
  {
    name: 'Functions',
    description: 'Objectives: Python functions, uploaded once, named by their id from then on.',
    routes: functionRoutes(parts),
  },
  {
    name: 'Optimization',
    description: 'Runs: started, followed, explained, cancelled, extended and repeated.',
    routes: optimizeRoutes(parts),
  },
  { name: 'Batch', description: 'Many runs with one request.', routes: batchRoutes(parts) },
  {
    name: 'Domains',
    description: 'Business problems, solved from their figures, without a function.',
    routes: domainRoutes(parts),
  },
  {
    name: 'Conversational',
    description: 'Such a problem, built in a dialogue in plain English.',
    routes: conversationRoutes(parts),
  },
  {
    name: 'Advanced',
    description: 'Studies: objectives that you evaluate yourself. Ask for points, tell their values.',
    routes: studyRoutes(parts),
  },
  {
    name: 'Analytics',
    description: 'Reports on runs: how many, how long, at what cost. As JSON, csv, xlsx or pdf.',
    routes: analyticsRoutes(parts),
  },
  { name: 'Learning', description: 'What earlier runs of the account have taught.', routes: learningRoutes(parts) },
  {
    name: 'Federated Learning',
    description: 'What deployments tell each other of what they learned, with noise that hides every run.',
    routes: federatedRoutes(parts),
  },
  {
    name: 'Configuration',
    description: 'Defaults of the account, and the presets.',
    routes: configurationRoutes(parts),
  },
  {
    name: 'Webhooks',
    description: 'Your HTTPS endpoints that hear what becomes of runs, and what was sent to them.',
    routes: webhookRoutes(parts),
  },
  { name: 'Identity', description: 'The account and its API keys.', routes: identityRoutes(parts) },
  { name: 'Health', description: 'The state of the service, and this document.', routes: serviceRoutes(parts) },
];
